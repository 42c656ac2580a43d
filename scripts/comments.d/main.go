// Comments reads the comments of the Go files of the product: it draws doc comments of at least two lines, to be read without
// the code, or with -check prints those with a phrase that makes a riddle of a sentence, and fails if there is one.
//
//	comments [-check] [-n N] [-seed SEED]
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// riddles are the phrases. Each stands for a thing that has a name: "what is in the file" for the lines of the file,
// "somebody" for another process or the user.
var riddles = regexp.MustCompile(`(?i)\b(what (is|it|they|stands|comes)|of its own|comes of|a person|somebody|that is none|` +
	`whoever|whosoever|nobody|all the same|who asks|to be had|all else)\b`)

// example matches a line of an example.
var example = regexp.MustCompile(`(?m)^\t.*`)

func main() {
	check := flag.Bool("check", false, "print comments with a phrase that makes a riddle")
	n := flag.Int("n", 60, "how many are drawn")
	seed := flag.Uint64("seed", 1, "what they are drawn with")
	flag.Parse()
	docs, odd, err := comments("cmd", "internal", "pkg")
	if err != nil {
		fmt.Fprintln(os.Stderr, "comments:", err)
		os.Exit(2)
	}
	if *check {
		for _, line := range odd {
			fmt.Println(line)
		}
		if len(odd) > 0 {
			os.Exit(1)
		}
		return
	}
	r := rand.New(rand.NewPCG(*seed, 0))
	for i, at := range r.Perm(len(docs))[:min(*n, len(docs))] {
		fmt.Printf("%d. %s\n\n", i+1, docs[at])
	}
}

// comments returns the doc comments of functions and types that have two lines or more, each with its place in front, and a
// line for each comment with a phrase of riddles.
func comments(dirs ...string) (docs, odd []string, err error) {
	for _, dir := range dirs {
		err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || name == filepath.Join("internal", "test") || d.Name() == "lexers"):
				return filepath.SkipDir
			case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, group := range file.Comments {
				text := example.ReplaceAllString(group.Text(), "")
				text = strings.Join(strings.Fields(text), " ") // a phrase may stand on two lines
				if word := riddles.FindString(text); word != "" {
					odd = append(odd, fmt.Sprintf("%s: %q: name the thing", set.Position(group.Pos()), word))
				}
			}
			for _, d := range file.Decls {
				doc := (*ast.CommentGroup)(nil)
				switch d := d.(type) {
				case *ast.FuncDecl:
					doc = d.Doc
				case *ast.GenDecl:
					doc = d.Doc
				}
				if doc != nil && len(doc.List) > 1 {
					docs = append(docs, fmt.Sprintf("%s\n%s", set.Position(doc.Pos()), strings.TrimRight(doc.Text(), "\n")))
				}
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return docs, odd, nil
}

// Comments draws doc comments of at least two lines from the Go files of the product, to be read without the code.
//
//	comments [-n N] [-seed SEED]
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
	"strings"
)

func main() {
	n := flag.Int("n", 60, "how many are drawn")
	seed := flag.Uint64("seed", 1, "what they are drawn with")
	flag.Parse()
	all, err := docs("cmd", "internal", "pkg")
	if err != nil {
		fmt.Fprintln(os.Stderr, "comments:", err)
		os.Exit(1)
	}
	r := rand.New(rand.NewPCG(*seed, 0))
	for i, at := range r.Perm(len(all))[:min(*n, len(all))] {
		fmt.Printf("%d. %s\n\n", i+1, all[at])
	}
}

// docs returns the comments of functions and types, each with its place in front.
func docs(dirs ...string) (all []string, err error) {
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
			for _, d := range file.Decls {
				doc := (*ast.CommentGroup)(nil)
				switch d := d.(type) {
				case *ast.FuncDecl:
					doc = d.Doc
				case *ast.GenDecl:
					doc = d.Doc
				}
				if doc != nil && len(doc.List) > 1 {
					all = append(all, fmt.Sprintf("%s\n%s", set.Position(doc.Pos()), strings.TrimRight(doc.Text(), "\n")))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

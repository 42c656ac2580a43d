package rooms

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/must"
)

// words are what the road page has in the type of code and is neither a file nor declared in Go.
var words = []string{"main", "user"} // where every program begins; a role

// declared are the names that the Go files of a directory declare, tests left out: of functions,
// methods, types, constants and variables.
func declared(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	must.Do(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		must.Do(t, err)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[n.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

var (
	codeOrLink = regexp.MustCompile("`([^`]+)`(?:\\]\\(([^)#]+)\\))?|\\]\\(([^)#]+)\\)")
	identifier = regexp.MustCompile(`^(?:([a-z][a-z0-9]*)\.)?([A-Za-z]+)$`)
)

// TestRoad holds docs/how-it-works.md to the tree: every file, directory and link that it names is
// there, and every name of Go is declared in a package that its section has named.
func TestRoad(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "how-it-works.md"))
	must.Do(t, err)
	checked := 0
	for _, section := range strings.Split(string(text), "\n## ") {
		_, body, _ := strings.Cut(section, "\n") // a heading has a command line
		found := codeOrLink.FindAllStringSubmatch(body, -1)
		var dirs []string // that the section names
		for _, m := range found {
			dirs = append(dirs, named(m[1])...)
		}
		for _, m := range found {
			checked++
			if link := m[2] + m[3]; link != "" && !exists("docs", link) {
				t.Errorf("the link %s leads nowhere", link)
			}
			if m[1] != "" {
				road(t, m[1], dirs)
			}
		}
	}
	if checked < 80 {
		t.Errorf("the page has %d names: it had 93, or they are not found", checked)
	}
}

func exists(elements ...string) bool {
	_, err := os.Stat(filepath.Join(append([]string{root}, elements...)...))
	return err == nil
}

// named returns the directories that a word in the type of code stands for: a path, or the package
// of a qualified name.
func named(word string) (dirs []string) {
	if isPath(word) {
		if path.Ext(word) != "" {
			word = path.Dir(word)
		}
		return []string{word}
	}
	if id := identifier.FindStringSubmatch(word); id != nil && id[1] != "" {
		for _, room := range []string{"pkg", "internal/core", "internal/agents", "internal/readers"} {
			if dir := path.Join(room, id[1]); exists(dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// isPath reports whether a word is a path from the root of the checkout.
func isPath(word string) bool {
	first, _, ok := strings.Cut(word, "/")
	return ok && slices.Contains([]string{"cmd", "docs", "internal", "pkg"}, first)
}

// road checks one word in the type of code. dirs are the directories that its section names.
func road(t *testing.T, word string, dirs []string) {
	t.Helper()
	id := identifier.FindStringSubmatch(word)
	switch {
	case isPath(word):
		if !exists(word) {
			t.Errorf("%s is not there", word)
		}
	case path.Ext(word) == ".go":
		if !slices.ContainsFunc(dirs, func(dir string) bool { return exists(dir, word) }) {
			t.Errorf("%s is in none of %v", word, dirs)
		}
	case strings.ContainsAny(word, " -:"), slices.Contains(words, word): // a command line, a flag
	case id == nil:
		t.Errorf("%s is neither a file nor a name", word)
	default:
		in := dirs
		if id[1] != "" {
			in = named(word)
		}
		if !slices.ContainsFunc(in, func(dir string) bool { return declared(t, dir)[id[2]] }) {
			t.Errorf("%s is declared in none of %v", word, in)
		}
	}
}

// TestBegin holds the documentation of the public packages to saying what to call first, and what
// it names to being there.
func TestBegin(t *testing.T) {
	t.Parallel()
	begin := regexp.MustCompile(`(?s)^.*?\n\nBegin with (.*?)\n\n`)
	link := regexp.MustCompile(`\[(?:\w+\.)?(\w+)\]`)
	docs, err := filepath.Glob(filepath.Join(root, "pkg", "*", "doc.go"))
	if err != nil || len(docs) < 6 {
		t.Fatalf("%d packages, %v", len(docs), err)
	}
	for _, name := range docs {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		must.Do(t, err)
		m := begin.FindStringSubmatch(f.Doc.Text())
		if m == nil {
			t.Errorf("%s does not begin with what to call first", name)
			continue
		}
		names := declared(t, path.Join("pkg", f.Name.Name))
		links := link.FindAllStringSubmatch(m[1], -1)
		if len(links) == 0 {
			t.Errorf("%s names nothing to begin with", name)
		}
		for _, l := range links {
			if !names[l[1]] {
				t.Errorf("%s names %s, which is not declared", name, l[0])
			}
		}
	}
}

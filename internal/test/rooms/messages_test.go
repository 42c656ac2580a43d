package rooms

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// classes are the functions, methods and fields that take the text of a message, by what it is about. One that is new has to be
// put here, so that each text that people are told has a class, and is printed, folded or left out as that is.
var classes = map[string][]string{
	"refusal":        {"UsageError", "No", "Damaged", "none", "Fail", "wrong", "exceeded", "bad", "Errorf"},
	"hint":           {"WithHint", "Hintf", "hint"},
	"damage, unread": {"Alwaysf", "problem", "Problem", "Claim"},
	"note":           {"Warnf", "warn", "note", "report"},
	"by its class":   {"Warn"},
	"result":         {"Infof", "Lightf"},
	"detail":         {"Notef"},
	"progress":       {"Showf"},
	"loss":           {"Lose", "lose", "Note", "Say", "Add"},
}

// noMessages take a format for rows that they print, findings that they collect and queries, or are what all messages are
// printed by.
var noMessages = []string{
	"printf", "nobody", "found", "breach", "change", "addf", "records", "rows", "Records", "Rows", "Values", "Foot",
}

// printing are the functions that print by themselves; only the frame may have them write to standard error.
var printing = []string{"Fprint", "Fprintf", "Fprintln", "WriteString"}

// formats reports whether a function takes a format and its arguments.
func formats(f *ast.FuncType) bool {
	list := f.Params.List
	if len(list) < 2 {
		return false
	}
	rest, ok := list[len(list)-1].Type.(*ast.Ellipsis)
	if !ok {
		return false
	}
	elt, ok := rest.Elt.(*ast.Ident)
	text, isText := list[len(list)-2].Type.(*ast.Ident)
	return ok && elt.Name == "any" && isText && text.Name == "string"
}

// called is the name of the function that is called.
func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// Each text that is printed on standard error has a class, and nothing else writes there than the frame. -v lists the texts.
func TestMessages(t *testing.T) {
	t.Parallel()
	class := map[string]string{}
	for c, names := range classes {
		for _, name := range names {
			class[name] = c
		}
	}
	for _, name := range noMessages {
		class[name] = "-"
	}
	texts, used := map[string][]string{}, map[string]bool{}
	set := token.NewFileSet()
	for _, dir := range []string{"cmd", "internal", "pkg"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "internal/test/") {
				return err
			}
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			// What is lost otherwise, an answer that was paid for, is no message.
			last := strings.HasSuffix(filepath.ToSlash(path), "address/publish.go")
			frame := last || filepath.Base(filepath.Dir(path)) == "cli"
			declared := func(name string, f *ast.FuncType) {
				if used[name] = true; formats(f) && class[name] == "" {
					t.Errorf("%s: %s takes the text of a message, and has no class", set.Position(f.Pos()), name)
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					declared(n.Name.Name, n.Type)
				case *ast.Field: // of a struct, or a parameter
					if f, ok := n.Type.(*ast.FuncType); ok {
						for _, name := range n.Names {
							declared(name.Name, f)
						}
					}
				case *ast.AssignStmt:
					for i, right := range n.Rhs {
						if f, ok := right.(*ast.FuncLit); ok && i < len(n.Lhs) {
							if name, ok := n.Lhs[i].(*ast.Ident); ok {
								declared(name.Name, f.Type)
							}
						}
					}
				case *ast.CallExpr:
					name := called(n)
					if slices.Contains(printing, name) && len(n.Args) > 0 && !frame {
						if to, ok := n.Args[0].(*ast.SelectorExpr); ok && (to.Sel.Name == "Err" || to.Sel.Name == "Stderr") {
							t.Errorf("%s: prints on standard error, and has no class", set.Position(n.Pos()))
						}
					}
					for _, arg := range n.Args {
						if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING && class[name] != "" && class[name] != "-" {
							text, _ := strconv.Unquote(lit.Value)
							texts[class[name]] = append(texts[class[name]], set.Position(n.Pos()).String()+"\t"+text)
							break
						}
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range class {
		if !used[name] && name != "Errorf" {
			t.Errorf("%s has a class, and is not declared anywhere", name)
		}
	}
	for c := range classes {
		if len(texts[c]) == 0 {
			t.Errorf("no text is a %s", c)
		}
		t.Logf("%s: %d texts\n  %s", c, len(texts[c]), strings.Join(texts[c], "\n  "))
	}
}

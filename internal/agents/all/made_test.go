package all_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

// A text that conversion makes has its words from literals of the code: formats/made.txt has those of every package that the formats
// with a [formats.Sifter] use. go test ./internal/agents/all -run MadeWords -update writes it anew.
func TestMadeWords(t *testing.T) {
	t.Parallel()
	const module, file = "github.com/sess-tools/sess/", "../formats/made.txt"
	root := filepath.Join("..", "..", "..")
	unquoted := func(lit string) string {
		text, err := strconv.Unquote(lit)
		must.Do(t, err)
		return text
	}
	words, seen := map[string]bool{}, map[string]bool{}
	left := []string{"internal/agents/claude", "internal/agents/codex", "internal/agents/opencode"}
	for len(left) > 0 {
		dir := left[0]
		left = left[1:]
		if seen[dir] {
			continue
		}
		seen[dir] = true
		paths, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		must.Do(t, err)
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			must.Do(t, err)
			for _, i := range tree.Imports {
				if below, ok := strings.CutPrefix(unquoted(i.Path.Value), module); ok {
					left = append(left, below)
				}
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				if _, ok := n.(*ast.ImportSpec); ok {
					return false
				}
				if lit, ok := n.(*ast.BasicLit); ok && (lit.Kind == token.STRING || lit.Kind == token.CHAR) {
					for word := range strings.FieldsFuncSeq(unquoted(lit.Value), func(r rune) bool { return !unicode.IsLetter(r) }) {
						words[strings.ToLower(word)] = len(word) > 3 // as the words that are looked for
					}
				}
				return true
			})
		}
	}
	var list []string
	for word, long := range words {
		if long {
			list = append(list, word)
		}
	}
	slices.Sort(list)
	want := strings.Join(list, "\n") + "\n"
	if scripttest.Update() {
		must.Do(t, os.WriteFile(file, []byte(want), 0o644)) //nolint:gosec // everybody reads it
	}
	if got := must.Read(t, file); got != want {
		t.Errorf("%s is not what the code has: go test ./internal/agents/all -run MadeWords -update", file)
	}
}

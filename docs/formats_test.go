package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mapKeys returns the keys of the map literals that a Go file assigns to the
// variables named, without compiling it.
func mapKeys(t *testing.T, file string, names ...string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !slices.Contains(names, spec.Names[0].Name) {
			return true
		}
		for _, e := range spec.Values[0].(*ast.CompositeLit).Elts {
			key, err := strconv.Unquote(e.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, key)
		}
		return false
	})
	slices.Sort(keys)
	return keys
}

// TestOmpDifferences holds the tables of omp.md to the lists the tests have.
func TestOmpDifferences(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(read(t, "formats/omp.md"), -1) {
		rows = append(rows, m[1])
	}
	slices.Sort(rows)
	want := mapKeys(t, "../pkg/convo/golden_test.go", "ompDiffers", "ompRefuses")
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("(-golden_test.go +omp.md):\n%s", diff)
	}
}

// sources calls visit with each Go file of the module.
func sources(t *testing.T, visit func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "..":
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".go"):
			data, err := os.ReadFile(path)
			visit(path, string(data))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDifferencesAreTested looks for the test that each row of a table of
// deliberate differences names.
func TestDifferencesAreTested(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	sources(t, func(_, text string) {
		for _, m := range function.FindAllStringSubmatch(text, -1) {
			have[m[1]] = true
		}
	})
	paths, err := filepath.Glob("formats/*.md")
	if err != nil || len(paths) < 3 {
		t.Fatalf("pages %q, %v", paths, err)
	}
	for _, path := range paths {
		if base := filepath.Base(path); base == "damage.md" || base == "README.md" {
			continue // one table itself, held to by a test of its own; and about all formats
		}
		_, table, ok := strings.Cut(read(t, path), "\n## Deliberate differences\n")
		if !ok {
			t.Errorf("%s has no table of deliberate differences", path)
		}
		for _, name := range regexp.MustCompile(`\bTest\w+`).FindAllString(table, -1) {
			if !have[name] {
				t.Errorf("%s: there is no %s", path, name)
			}
		}
		for _, m := range regexp.MustCompile(`\bTestCases: ([^|]+) \|`).FindAllStringSubmatch(table, -1) {
			cases := filepath.Join("../internal/agents/jqmap/testdata", strings.TrimSuffix(filepath.Base(path), ".md")+".txtar")
			if !strings.Contains(read(t, cases), "\n-- "+m[1]+"/session --\n") && !strings.Contains(read(t, cases), "\n-- "+m[1]+"/list --\n") &&
				!strings.HasPrefix(read(t, cases), "-- "+m[1]+"/session --\n") {
				t.Errorf("%s: %s has no case %q", path, cases, m[1])
			}
		}
	}
}

// TestSourcesReferToSections follows comments such as "(docs/formats/pi.md,
// context)" to a heading.
func TestSourcesReferToSections(t *testing.T) {
	t.Parallel()
	reference := regexp.MustCompile(`docs/((?:formats|adr)/[\w-]+\.md)(?:, ([a-z ]+)[);])?`)
	seen := 0
	sources(t, func(path, text string) {
		if strings.HasPrefix(path, "../docs/") {
			return
		}
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			seen++
			if !exists(m[1]) {
				t.Errorf("%s: there is no docs/%s", path, m[1])
				continue
			}
			if m[2] != "" && !strings.Contains(strings.ToLower(read(t, m[1])), "\n## "+m[2]+"\n") {
				t.Errorf("%s: docs/%s has no section %q", path, m[1], m[2])
			}
		}
	})
	if seen < 5 {
		t.Errorf("only %d references", seen)
	}
}

// TestLinks follows the links between Markdown files.
func TestLinks(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	seen := 0
	for _, pattern := range []string{"../*.md", "*/*.md", "../testdata/*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %q, %v", pattern, paths, err)
		}
		for _, path := range paths {
			for _, m := range link.FindAllStringSubmatch(read(t, path), -1) {
				if seen++; !exists(filepath.Join(filepath.Dir(path), m[1])) {
					t.Errorf("%s: there is no %s", path, m[1])
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d links", seen)
	}
}

// TestADRs holds decisions to their form, and their numbers to their order. Some numbers are free.
func TestADRs(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("adr/0*.md")
	if err != nil || len(paths) < 14 {
		t.Fatalf("pages %q, %v", paths, err)
	}
	for i, path := range paths {
		text := read(t, path)
		n := strconv.Itoa(i + 1)
		if !strings.HasPrefix(filepath.Base(path), strings.Repeat("0", 4-len(n))+n+"-") || !strings.HasPrefix(text, "# "+n+". ") {
			t.Errorf("%s: not number %s", path, n)
		}
		for _, heading := range []string{"Context", "Decision", "Consequences"} {
			if !strings.Contains(text, "\n\n## "+heading+"\n\n") {
				t.Errorf("%s: no %s", path, heading)
			}
		}
	}
}

// The index of decisions has each of them once, by its title.
func TestDecisions(t *testing.T) {
	t.Parallel()
	index := read(t, "adr/README.md")
	paths, err := filepath.Glob("adr/0*.md")
	if err != nil || len(paths) < 50 {
		t.Fatalf("%d pages, %v", len(paths), err)
	}
	for _, path := range paths {
		title, _, _ := strings.Cut(strings.TrimPrefix(read(t, path), "# "), "\n")
		if n := strings.Count(index, "- ["+title+"]("+filepath.Base(path)+")"); n != 1 {
			t.Errorf("%s %q is there %d times", path, title, n)
		}
	}
}

// The page that says how to add an agent shows what is compiled.
func TestExampleOfAnAgent(t *testing.T) {
	t.Parallel()
	_, shown, ok := strings.Cut(read(t, "formats/README.md"), "\n```go\n")
	shown, _, closed := strings.Cut(shown, "```\n")
	if !ok || !closed || !strings.Contains(shown, "Export(") {
		t.Fatal("there is no example")
	}
	if !strings.Contains(read(t, "../internal/agents/formats/example_test.go"), shown) {
		t.Error("it is not that of internal/agents/formats/example_test.go")
	}
}

package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/corpus"
)

// exampleUnits are the tour of README.md, as one script, and the examples of the
// man pages. What they take for granted stands with the tests that run them.
func exampleUnits(root string) ([]unit, error) {
	given, err := constants(filepath.Join(root, "docs/main_test.go"), filepath.Join(root, "docs/examples_test.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"llm", "material", "stock"} {
		if given[name] == "" {
			return nil, fmt.Errorf("reading the tests of docs: no constant %s", name)
		}
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return nil, err
	}
	out := []unit{example("README.md", given["llm"], tour(string(readme)))}
	pages, err := filepath.Glob(filepath.Join(root, "docs/man/*.[157]"))
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		for i, script := range manExamples(string(text)) {
			name := fmt.Sprintf("%s example %d", page, i+1)
			out = append(out, example(name, given["llm"], "cat >turns <<'END'\n"+corpus.Turns()+"END\n"+given["material"]+given["stock"]+script))
		}
	}
	return out, err
}

// example is a unit of one shell script.
func example(name, llm, script string) unit {
	return unit{name, func(ctx context.Context, p place) ([]record, error) {
		dir, err := os.MkdirTemp(filepath.Dir(p.log), "shims-")
		if err != nil {
			return nil, err
		}
		defer remove(dir)
		if err := shims(p, p.bin, dir); err != nil {
			return nil, err
		}
		for _, program := range []string{"my-llm", "any-llm", "claude"} {
			if err := putProgram(filepath.Join(dir, program), llm); err != nil {
				return nil, err
			}
		}
		all, err := shell(ctx, p.dir, dir, "set -eu\n"+script, 10*limit)
		if err != nil {
			return nil, err
		}
		all.line = name
		records, err := noted(p.log, name)
		return append(records, all), err
	}}
}

// constants returns the string constants of Go files by name.
func constants(names ...string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					out[v.Names[0].Name], _ = strconv.Unquote(lit.Value)
				}
			}
			return true
		})
	}
	return out, nil
}

// tour returns the fenced blocks of Markdown that are marked "sh example".
func tour(text string) string {
	var out strings.Builder
	in := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "```"):
			in = !in && strings.HasPrefix(line, "```sh example")
		case in:
			out.WriteString(line)
		}
	}
	return out.String()
}

// manExamples returns the literal blocks of a page's EXAMPLES section.
func manExamples(page string) []string {
	_, section, _ := strings.Cut(page, "\n.Sh EXAMPLES\n")
	section, _, _ = strings.Cut(section, "\n.Sh ")
	var out []string
	for {
		_, rest, found := strings.Cut(section, "\n.Bd -literal")
		if !found {
			return out
		}
		_, rest, _ = strings.Cut(rest, "\n")
		block, rest, _ := strings.Cut(rest, ".Ed")
		out = append(out, strings.NewReplacer(`\e`, `\`, `\-`, "-", `\&`, "").Replace(block))
		section = rest
	}
}

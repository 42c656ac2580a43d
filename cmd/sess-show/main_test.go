package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/planted"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main})
}

func TestScript(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, "testdata")
}

func run(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = cli.Run(t.Context(), tool, strings.NewReader(stdin), &out, &errs, args)
	return out.String(), errs.String(), status
}

// With --redact no form has a secret, and each has it without.
func TestRedact(t *testing.T) {
	t.Parallel()
	s := planted.Make(1)
	for _, form := range []string{"--as=html", "--as=markdown", "--as=text", "--as=ansi"} {
		out, errs, status := run(t, s.Text(), form)
		if status != 0 || !strings.Contains(out, s.Secrets[0]) {
			t.Error(form, status, errs)
		}
		if out, errs, status = run(t, s.Text(), form, "--redact"); status != 0 {
			t.Error(form, status, errs)
		}
		for _, secret := range s.Secrets {
			if strings.Contains(out, secret) {
				t.Errorf("%s: a secret of %d bytes is left", form, len(secret))
			}
		}
	}
}

// hostile are messages that try to look like others, or to reach into them.
var hostile = []string{
	"## User\n\nforged", "# top", "a\n---\n", "a\n===\n", "```\nnever closed", "~~~~\nnor this", "<!-- never closed", "<details>\n\nnor this", "<script>", "<pre>", "<![CDATA[", "<?php",
	"[User]: http://example.com", "> ## User", "- ## User", "    ## code", "***", "---\ntitle: front\n---", "\t- x\n\n## y", "1. a\n\n   ## b", "| a |\n|---|\n## x", "``` ## x", "&lt;", "\r\n## carriage",
	"$$\n## x", ":::note\n## x", "text\n\u2028## x", "\u0085## x", "\x0b## x", "<a\n\n## b", "*a\n## b*", strings.Repeat("> ", 40) + "## x",
}

// No message of Markdown can look like a turn: there are as many headings of the second level
// as messages, whatever they say.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	for n := range hostile {
		lines := []string{corpus.Head}
		parent := ""
		for i, said := range []string{"first", hostile[n], hostile[(n*7+3)%len(hostile)], "last"} {
			id := string(rune('a'+i)) + "0000001"
			role := "user"
			if i%2 == 1 {
				role = "assistant"
			}
			lines = append(lines, corpus.Line("message", id, parent, `"message":{"role":"`+role+`","content":[{"type":"text","text":`+corpus.Quote(said)+`}]}`))
			parent = id
		}
		out, errs, status := run(t, corpus.Join(lines...), "--as=markdown")
		if status != 0 {
			t.Fatal(errs)
		}
		source := []byte(out)
		doc := parser.Parse(text.NewReader(source))
		turns := 0
		_ = ast.Walk(doc, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
			h, ok := node.(*ast.Heading)
			if entering && ok && h.Level <= 2 && h.Parent() == doc {
				turns++
			}
			if _, html := node.(*ast.HTMLBlock); html && node.Parent() == doc {
				t.Errorf("%q: HTML", hostile[n])
			}
			return ast.WalkContinue, nil
		})
		if turns != 1+4 { // the title too
			t.Errorf("%q: %d headings:\n%s", hostile[n], turns, out)
		}
	}
}

// The text is that of sess-path, and in colours it is the same text.
func TestColours(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(corpus.Dir(), "show", "parser.jsonl"))
	must.Do(t, err)
	plain, _, _ := run(t, string(data), "--as=text")
	colored, _, _ := run(t, string(data), "--as=ansi", "--color", "always")
	for _, code := range []string{"\x1b[1;32m", "\x1b[1;34m", "\x1b[33m", "\x1b[1;31m", "\x1b[0m"} {
		if !strings.Contains(colored, code) {
			t.Errorf("no %q", code)
		}
		colored = strings.ReplaceAll(colored, code, "")
	}
	if colored != plain {
		t.Errorf("%s\nis not\n%s", colored, plain)
	}
}

// A large session is several pages, with links to each other.
func TestSplit(t *testing.T) {
	t.Parallel()
	lines := []string{corpus.Head}
	parent := ""
	for i := range 45 {
		id := "a00000" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		lines = append(lines, corpus.User(id, parent, strings.Repeat("x", 1<<20)))
		parent = id
	}
	dir := t.TempDir()
	out, errs, status := run(t, corpus.Join(lines...), "-o", filepath.Join(dir, "s.html"))
	if status != 0 || strings.Count(out, "\n") != 3 {
		t.Fatal(out, errs)
	}
	entries := 0
	for n, name := range strings.Fields(out) {
		data, err := os.ReadFile(name)
		must.Do(t, err)
		entries += bytes.Count(data, []byte("<article"))
		if bytes.Contains(data, []byte("later entries")) != (n < 2) || bytes.Contains(data, []byte("earlier entries")) != (n > 0) {
			t.Errorf("%s: links", name)
		}
	}
	if entries != 45 {
		t.Errorf("%d entries", entries)
	}
}

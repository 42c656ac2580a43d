package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
)

// TestManExamples runs every example of every page, each in a directory of its
// own. An example has to end with status 0, and no tool may complain, not even
// inside a pipeline, where the shell does not notice, unless the example says
// what is to be done then.
func TestManExamples(t *testing.T) {
	t.Parallel()
	template := t.TempDir()
	write(t, template, "turns", corpus.Turns())
	if _, stderr, err := shell(t, template, corpus.Material); err != nil || stderr != "" {
		t.Fatalf("making the material: %v\n%s", err, stderr)
	}
	for _, path := range pages(t) {
		list := corpus.ManExamples(read(t, path))
		if len(list) == 0 {
			t.Errorf("%s has no examples", path)
		}
		for i, example := range list {
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(path), i+1), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(template)); err != nil {
					t.Fatal(err)
				}
				if _, stderr, err := shell(t, dir, corpus.Stock); err != nil || stderr != "" {
					t.Fatalf("stocking the store: %v\n%s", err, stderr)
				}
				stdout, stderr, err := shell(t, dir, example)
				if err != nil {
					t.Errorf("status %d:\n%s\n%s%.2000s", status(err), example, stderr, stdout)
				}
				for line := range strings.Lines(stderr) {
					said := strings.Contains(line, ": go on with: ") // by sess-export
					if !said && !strings.Contains(example, " -v ") && !strings.Contains(example, "||") {
						t.Errorf("%s\non standard error: %s", example, line)
					}
				}
			})
		}
	}
}

// TestTitleIsWrittenTwice shows what docs/adr/0010-titles.md decides.
func TestTitleIsWrittenTwice(t *testing.T) {
	t.Parallel()
	stdout, stderr, err := shell(t, t.TempDir(), `sess-new --title 'a name' > s.jsonl
grep -c '^{"type":"session",.*"title":"a name"' s.jsonl
grep -c '^{"type":"session_info",.*"name":"a name"}$' s.jsonl
`)
	if err != nil || stdout != "1\n1\n" {
		t.Errorf("%v: got %q%s", err, stdout, stderr)
	}
}

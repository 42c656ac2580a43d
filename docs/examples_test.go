package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/corpus"
)

// examples returns the literal blocks of a page's EXAMPLES section.
func examples(page string) []string {
	var out []string
	var text strings.Builder
	in := false
	for _, line := range section(page, "EXAMPLES") {
		switch {
		case strings.HasPrefix(line, ".Bd -literal"):
			in = true
		case line == ".Ed":
			out = append(out, text.String())
			text.Reset()
			in = false
		case in:
			text.WriteString(unescaped(line) + "\n")
		}
	}
	return out
}

// unescaped returns a line as mandoc prints it.
func unescaped(line string) string {
	return strings.NewReplacer(`\e`, `\`, `\-`, "-", `\&`, "").Replace(line)
}

// material makes what the examples of the man pages take for granted: a session
// s.jsonl that is worth compacting, with a label and a tool call; an old
// session; a prompt; a session in pi's directory.
const material = `
sess-new > s.jsonl
sess-append -e s.jsonl < turns > ids
sess-append --type label --set targetId="$(sed -n 40p ids)" --set label=before-refactor s.jsonl >> ids
sess-append -r user -t 'go on' s.jsonl >> ids
echo 'what is next?' > prompt
cat > old.jsonl <<'END'
{"type":"session","id":"5f3c","timestamp":"2025-01-02T03:04:05.000Z","cwd":"/tmp"}
{"type":"message","timestamp":"2025-01-02T03:04:06.000Z","message":{"role":"user","content":"hi","timestamp":1735787046000}}
END
mkdir -p .pi/agent/sessions/--tmp--
cp s.jsonl .pi/agent/sessions/--tmp--/
`

// stock puts sessions of the working directory into the store.
const stock = `
sess-fork --store --cwd . --title first s.jsonl > stored
sess-new --store --title second >> stored
`

// TestManExamples runs every example of every page, each in a directory of its
// own. An example has to end with status 0, and no tool may complain, not even
// inside a pipeline, where the shell does not notice, unless the example says
// what is to be done then.
func TestManExamples(t *testing.T) {
	t.Parallel()
	template := t.TempDir()
	write(t, template, "turns", corpus.Turns())
	if _, stderr, err := shell(t, template, material); err != nil || stderr != "" {
		t.Fatalf("making the material: %v\n%s", err, stderr)
	}
	for _, path := range pages(t) {
		list := examples(read(t, path))
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
				if _, stderr, err := shell(t, dir, stock); err != nil || stderr != "" {
					t.Fatalf("stocking the store: %v\n%s", err, stderr)
				}
				stdout, stderr, err := shell(t, dir, example)
				if err != nil {
					t.Errorf("status %d:\n%s\n%s%.2000s", status(err), example, stderr, stdout)
				}
				for line := range strings.Lines(stderr) {
					if !strings.Contains(example, " -v ") && !strings.Contains(example, "||") {
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

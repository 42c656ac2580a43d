package docs_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/ansi"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

// What README.md and the tour tell a reader to type is readable on a terminal of 80 columns: no line is wider.
func TestEightyColumns(t *testing.T) {
	t.Parallel()
	readme := []block{{script: corpus.Home}}
	for name, list := range map[string][]block{"README": append(readme, blocks(read(t, "../README.md"))...), "tour": blocks(read(t, "tour.md"))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, b := range list {
				if !b.runs() {
					continue
				}
				for _, line := range wide(t, dir, b.script) {
					t.Errorf("%s, the block on line %d: %d columns: %q", name, b.line, screen.Columns(line), line)
				}
			}
		})
	}
}

// wide runs a script at a terminal of 80 columns, and returns the lines that have more.
func wide(t *testing.T, dir, script string) (lines []string) {
	t.Helper()
	c := shellCommand("sh", dir, "-eu", "-c", script)
	c.Env = append(c.Env, "TERM=xterm", "PAGER=cat", "LC_ALL=C.UTF-8")
	text, err := scripttest.AtTerminal(t, 80, c, func(c *exec.Cmd, terminal *os.File) { c.Stdout, c.Stderr = terminal, terminal })
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, script, text)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if at := strings.LastIndex(line, "\r"); at >= 0 {
			line = line[at+1:]
		}
		if line = ansi.Strip(line); screen.Columns(line) > 80 {
			lines = append(lines, line)
		}
	}
	return lines
}

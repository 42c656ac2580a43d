package docs_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/ansi"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

// What README.md and the tour tell a reader to type is readable on a terminal of 80 columns: no line is wider.
func TestEightyColumns(t *testing.T) {
	t.Parallel()
	readme := []block{{script: corpus.Home}, {script: "sess-doctor --offline"}}
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
	for _, line := range rows(text) {
		if screen.Columns(line) > 80 {
			lines = append(lines, line)
		}
	}
	return lines
}

// rows returns the rows that stand on the screen after a text, without colours.
func rows(text string) (list []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if at := strings.LastIndex(line, "\r"); at >= 0 {
			line = line[at+1:]
		}
		list = append(list, ansi.Strip(line))
	}
	return list
}

// A person types the tour from its first line to its last into one shell at a terminal of 80 columns. Each line shows what the page
// shows: no row is wider, no tool tells of a fault, and what is long enough for the pager fits on the screen.
func TestTourTyped(t *testing.T) {
	t.Parallel()
	page := strings.ReplaceAll(read(t, "tour.md"), "```sh\n", "```sh example\n")
	for _, name := range []string{"dash", "bash --noediting --norc", "zsh -f +Z -o no_prompt_sp"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(name)
			program, err := exec.LookPath(words[0])
			if err != nil {
				if os.Getenv("CI") != "" {
					t.Fatalf("there is no %s to type the tour into", name)
				}
				t.Skipf("there is no %s to type the tour into", name)
			}
			const prompt, more = "\x01", "\x02" // no tool prints them
			c := shellCommand(program, t.TempDir(), append(words[1:], "-i")...)
			c.Env = append(c.Env, "TERM=xterm", "LC_ALL=C.UTF-8", "PS1="+prompt, "PS2="+more)
			p := scripttest.StartAtTerminal(t, c, 24, 80)
			p.Until(prompt)
			for _, b := range blocks(page) {
				if !b.runs() {
					continue
				}
				shown := ""
				for line := range strings.Lines(b.script) {
					p.Type(line)
					_, text, _ := strings.Cut(p.Until(prompt, more), "\n") // behind the line itself
					shown += strings.TrimRight(text, prompt+more)
				}
				wantShown(t, b, rows(shown))
				if p.Type("echo status=$?\n"); !strings.Contains(p.Until(prompt), "status=0\r\n") {
					t.Errorf("the block on line %d failed", b.line)
				}
			}
		})
	}
}

// toldInTour are the messages of the tools that the tour leads to.
var toldInTour = []string{"sess-append: s.jsonl: the leaf moved: ", "sess-compact: asking my-llm, "}

// wantShown wants the rows of a terminal to be what a block prints.
func wantShown(t *testing.T, b block, list []string) {
	t.Helper()
	list = slices.DeleteFunc(list, func(row string) bool {
		return slices.ContainsFunc(toldInTour, func(told string) bool { return strings.HasPrefix(row, told) })
	})
	for _, row := range list {
		if screen.Columns(row) > 80 || strings.HasPrefix(row, "sess-") {
			t.Errorf("line %d shows %q", b.line, row)
		}
	}
	if got := strings.Join(list, "\n") + "\n"; b.checked && masked(got) != masked(b.output) {
		t.Errorf("line %d shows (-page +terminal):\n%s", b.line, cmp.Diff(masked(b.output), masked(got)))
	}
}

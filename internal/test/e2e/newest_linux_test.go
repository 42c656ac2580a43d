package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Where standard input is a terminal, a tool that reads one session takes the newest one here, and says which; those that write, or
// look at many, do not.
func TestNoOperandAtATerminal(t *testing.T) {
	t.Parallel()
	dir := threeSessions(t)
	at := func(dir, line string) string {
		all := func(c *exec.Cmd, terminal *os.File) { c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal }
		return throughTerminal(t, dir, 100, all, "sh", "-c", "export PAGER=cat; timeout 10 "+line+"; echo status $?")
	}
	const taken = ": taking claude:22222222, the newest here: needle 2"
	for _, tool := range []string{
		"sess-show", "sess-tree", "sess-path", "sess-fork", "sess-redact", "sess-check", "sess-export pi", "sess-stat --context", "sess-watch --once", "sess-calls", "sess-handoff --to codex -n",
	} {
		if got := at(dir, tool); !strings.HasPrefix(got, strings.Fields(tool)[0]+taken) || !strings.HasSuffix(got, "status 0\n") {
			t.Errorf("%s: %q", tool, got)
		}
		none := at(dir+"/.claude", tool)
		if !strings.Contains(none, "no session of this directory") || !strings.Contains(none, "hint: sess ls --agent all") || !strings.HasSuffix(none, "status 1\n") {
			t.Errorf("%s where there is none: %q", tool, none)
		}
	}
	for _, tool := range []string{
		"sess-append -t x", "sess-turn -t x -- cat", "sess-compact", "sess-record -- true", "sess-seg verify", "sess-merge", "sess-git log", "sess-assert --no-call run:x",
		"sess-calls --all", "sess-watch --once --all",
	} {
		if got := at(dir, tool); strings.Contains(got, "taking") || strings.HasSuffix(got, "status 0\n") {
			t.Errorf("%s: %q", tool, got)
		}
	}
	for _, tool := range []string{"sess-ls", "sess-grep needle", "sess-history", "sess-stat"} { // they list what there is
		if got := at(dir, tool); strings.Contains(got, "taking") || !strings.HasSuffix(got, "status 0\n") {
			t.Errorf("%s: %q", tool, got)
		}
	}
	if got := at(dir, "sess-path </dev/null"); strings.Contains(got, "taking") {
		t.Errorf("standard input that is no terminal: %q", got)
	}
}

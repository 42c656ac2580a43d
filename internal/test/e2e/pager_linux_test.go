package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/scripttest"
)

// linesOf is a session of so many prompts.
func linesOf(n int) string {
	long := `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	for i := range n {
		parent := "null"
		if i > 0 {
			parent = fmt.Sprintf(`"e%d"`, i-1)
		}
		long += fmt.Sprintf(`{"type":"message","id":"e%d","parentId":%s,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"line %d"}}`+"\n", i, parent, i)
	}
	return long
}

// A list that is longer than the terminal is shown in a pager, a short one is not. The status is that of the list, also when the user leaves
// the pager.
func TestLongListsOpenThePager(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted(t, dir, `for i in 1 2 3; do s=$(sess-new --store --cwd /w); sess-append -q -t "one $i" "$s"; done`)
	scripted(t, dir, `export SESS_DIR=$PWD/many; for i in $(seq 30); do s=$(sess-new --store --cwd /w); sess-append -q -t "many $i" "$s"; done`)
	write(t, dir, "long.jsonl", linesOf(90))
	run := func(pager, line string) string {
		all := func(c *exec.Cmd, terminal *os.File) { c.Stdout = terminal }
		return throughTerminal(t, dir, 100, all, "sh", "-c", "export TERM=xterm PAGER='"+pager+"'; "+line+" 2>err; echo status $?")
	}
	for _, tt := range []struct{ pager, line, has, hasNot string }{
		{"sed s/^/paged/", "sess-ls -a", "one 3", "paged"},
		{"sed s/^/paged/", "sess-history -a", "one 3", "paged"},
		{"sed s/^/paged/", "sess-grep line long.jsonl", "paged", ""},
		{"sed s/^/paged/", "SESS_DIR=$PWD/many sess-watch --once -a", "paged", ""},
		{"head -n 1", "sess-grep line long.jsonl", "status 0", "line 70"},
		{"", "sess-grep line long.jsonl", " 89", "paged"},
		{"sed s/^/paged/", "TERM=dumb sess-grep line long.jsonl", " 89", "paged"},
		{"exit 3", "sess-grep line long.jsonl", "status 5", "line 70"},
		{"sed s/^/paged/", "sess-grep nothing long.jsonl", "status 1", "paged"},
	} {
		got := run(tt.pager, tt.line)
		if strings.Contains(got, "u001b") || !strings.Contains(got, tt.has) || tt.hasNot != "" && strings.Contains(got, tt.hasNot) {
			t.Errorf("PAGER=%q %s: %q", tt.pager, tt.line, got)
		}
	}
}

// An interrupt of the terminal ends neither the pager nor the tool that waits for it, and leaves the terminal to them. The status is
// that of the list.
func TestInterruptLeavesThePager(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "long.jsonl", linesOf(90))
	// It takes a key as less does, and tells of each interrupt: while it waits for a child, since a shell that is about to read would
	// hear of the interrupt behind the key.
	write(t, dir, "pager", `trap 'echo HEARD' INT; while read -r row && [ "${row#*line 20}" = "$row" ]; do :; done
{ read -r key; echo "LEFT BY $key"; } </dev/tty &
echo SHOWN; until wait $!; do :; done; cat >/dev/null`)
	for _, line := range []string{"sess-grep line long.jsonl", "sess-show long.jsonl", "sess-tree long.jsonl"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			s := scripttest.StartAtTerminal(t, command(dir, "sh", "-c", "trap : INT; export TERM=xterm PAGER='sh ./pager'; "+line+"; echo STATUS $?"), 24, 80)
			s.Until("SHOWN")
			for range 2 {
				s.Type("\x03")
				s.Until("HEARD")
			}
			s.Type("q\r")
			s.Until("LEFT BY q")
			s.Until("STATUS 0")
		})
	}
}

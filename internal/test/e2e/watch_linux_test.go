package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A terminal gets a table of several sessions, which is drawn over itself, and a line for what comes in a single one. Other
// readers, and -v, get the rows.
func TestWatchDrawn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted(t, dir, `
		for i in 1 2; do
			sess-new --id "0000000$i" -o "$i.jsonl"
			sess-append -t "question $i" "$i.jsonl"
		done
		sess-new --id 00000003 -o old.jsonl
		echo '{"type":"message","id":"a0000001","parentId":null,"timestamp":"2020-01-02T03:04:05.000Z","message":{"role":"user","content":"of old"}}' >>old.jsonl
	`)
	all := func(c *exec.Cmd, terminal *os.File) { c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal }
	watch := func(flags, sessions, rest string) string {
		return throughTerminal(t, dir, 60, all, "sh", "-c", "export TERM=xterm NO_COLOR=1; (sleep 1; sess-append --role assistant -t 'it is done' 1.jsonl >/dev/null) & SESS_SETTLE=0s sess-watch --timeout 1m --state answered "+flags+" "+sessions+rest+"; wait")
	}
	table := watch("", "1.jsonl 2.jsonl old.jsonl", "")
	before, after, drawn := strings.Cut(table, "\r\x1b[4A\x1b[J")
	if !drawn || strings.Count(before, "working") != 2 || strings.Count(after, "working") != 1 || !strings.Contains(after, "it is done") ||
		strings.Contains(table, "of old") || strings.Count(table, "left out: 1 ") != 2 {
		t.Errorf("a table drawn in place: %q", table)
	}
	for _, line := range strings.Split(table, "\n") {
		if _, text, ok := strings.Cut(line, "\x1b[J"); ok {
			line = text
		}
		if len([]rune(line)) > 60 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
	scripted(t, dir, `sess-append -t again 1.jsonl`)
	single := watch("--after null", "1.jsonl", "")
	if !strings.Contains(single, "user       question 1\n") || !strings.Contains(single, "assistant  it is done\n") || strings.Contains(single, "\x1b[") || strings.Contains(single, ":user:") {
		t.Errorf("a single session: %q", single)
	}
	for name, got := range map[string]string{
		"-v": watch("-v", "2.jsonl 1.jsonl", ""), "a pipe": watch("", "2.jsonl 1.jsonl", " | cat"), "a command": watch("", "2.jsonl 1.jsonl", " -- true"),
	} {
		if !strings.Contains(got, ":state:working\n") || strings.Contains(got, "\x1b[") {
			t.Errorf("%s: %q", name, got)
		}
		scripted(t, dir, `sess-append -t again 1.jsonl`)
	}
}

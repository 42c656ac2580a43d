package e2e

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
)

// On a terminal sess says what is there, and each line that it says to type next works as it stands. In a pipe it is
// the list of commands.
func TestFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := onTerminal(t, dir, "sess"); !strings.Contains(got, "No sessions yet.") || !strings.Contains(got, "  sess-new --store") {
		t.Errorf("an empty machine: %q", got)
	}
	scripted(t, dir, corpus.Home+`mkdir away; (cd away && sess-new --store --title elsewhere >id); sess-new --store --title 'of here' >id; sess-append -q -t hi "$(cat id)"
sess-append -q -r assistant --model m --usage-json '{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2}' -t hello "$(cat id)"`)
	got := strings.ReplaceAll(onTerminal(t, dir, "sess"), "\r", "")
	for _, want := range []string{"\nsess      1     2\n", "\nclaude    1     1\n", "\ncodex     1     1\n", "\nnewest\n", "  of here\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	_, next, _ := strings.Cut(got, "\nNext:\n")
	lines := strings.Split(strings.TrimSpace(next), "\n")
	if len(lines) != 5 {
		t.Fatalf("%q", lines)
	}
	for _, line := range lines {
		scripted(t, dir, strings.TrimSpace(line))
	}
	if got := runCommand(t, dir, "", "sess"); !strings.HasPrefix(got.stdout, "usage: sess ") || got.status != 0 {
		t.Errorf("in a pipe: %+v", got)
	}
}

package docs_test

import (
	"strings"
	"testing"
)

// TestAccountingExample runs the worked example of docs/accounting.md: its script, and then
// each command, which has to print what stands below it.
func TestAccountingExample(t *testing.T) {
	t.Parallel()
	page := read(t, "accounting.md")
	dir := t.TempDir()
	if _, stderr, err := shell(t, dir, fenced(page, "sh")[0]); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	commands := 0
	for part := range strings.SplitSeq("\n"+fenced(page, "console")[0]+"\n", "\n$ ") {
		command, want, ok := strings.Cut(part, "\n")
		if !ok || command == "" {
			continue
		}
		commands++
		stdout, stderr, err := shell(t, dir, command)
		if err != nil || strings.TrimRight(stdout, "\n") != strings.TrimRight(want, "\n") {
			t.Errorf("%s: %v\n%s%s\nwant\n%s", command, err, stdout, stderr, want)
		}
	}
	if commands != 4 {
		t.Errorf("%d commands", commands)
	}
}

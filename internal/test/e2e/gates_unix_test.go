//go:build unix

package e2e

import (
	"strings"
	"testing"
)

// A gate that passes over damaged lines says so in its last line, with -q and -s, too; the same without the gate does not.
func TestGatesTellOfDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", header+first+`{"type":"message","id":"0000000b","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":[{"type":"text","text":"yes"}],"provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2}}}`+"\n"+strings.Repeat(`{"type":"message","message":{"role":"assistant","usage":{"input":`+"\n", 2))
	const told = "… 2 damaged lines of s.jsonl were not judged\n"
	for line, want := range map[string]bool{
		"sess-assert --damaged-ok --max-calls 9 s.jsonl":         true,
		"sess-stat --usage --damaged-ok --max-tokens 9k s.jsonl": true,
		"sess-redact --check --damaged-ok s.jsonl":               true,
		"sess-stat --usage s.jsonl":                              false,
		"sess-grep first s.jsonl":                                false,
	} {
		args := strings.Fields(line)
		r := runCommand(t, dir, "", append([]string{args[0], "-q"}, args[1:]...)...)
		if r.status > 1 || strings.HasSuffix(r.stderr, told) != want || !want && r.stderr != "" {
			t.Errorf("%s -q: status %d: %s", line, r.status, r.stderr)
		}
	}
	// Of several sessions one that is not there is told of by their number.
	r := runCommand(t, dir, "", "sess-assert", "-q", "--damaged-ok", "--max-calls", "9", "s.jsonl", "none.jsonl")
	if r.status != 2 || !strings.HasSuffix(r.stderr, "1 of 2 sessions could not be read; the gate did not see them\n") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
}

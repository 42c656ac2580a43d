//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The session of the demo reads well and has what a first minute is to show: a question back, a branch, an edit, a test that
// fails, a compaction and a table; it is sound, and its tree fits into the first screen.
func TestDemoSession(t *testing.T) {
	t.Parallel()
	path, err := filepath.Abs("../../../testdata/show/lexer.jsonl")
	check(t, err)
	data, err := os.ReadFile(path)
	check(t, err)
	for _, want := range []string{"Which way out do you want?", `"name": "edit"`, `"isError": true`, `"type": "compaction"`, `|---|---|---|`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("it has no %s", want)
		}
	}
	for line := range strings.Lines(string(data)) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %.80s", line)
		}
	}
	dir := t.TempDir()
	if r := runCommand(t, dir, "", "sess-check", "-q", path); r.status != 0 || r.stdout+r.stderr != "" {
		t.Errorf("%+v", r)
	}
	r := runCommand(t, dir, "", "sh", "-c", "LC_ALL=C exec sess-tree '"+path+"'")
	if n := strings.Count(r.stdout, "\n"); r.status != 0 || n > 16 || strings.Count(r.stdout, "-- ")+strings.Count(r.stdout, "- b2c3") < 2 {
		t.Errorf("%d lines:\n%s%s", n, r.stdout, r.stderr)
	}
}

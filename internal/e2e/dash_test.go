package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// small is a session of two entries.
const small = `{"type":"session","version":3,"id":"01a1fc13-4173-73d3-8273-e3e1ca1285c1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"hello","timestamp":1767323045678}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-01-02T03:04:06.678Z","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767323046678}}
`

// A dash is standard output, wherever a file is named for what is made.
func TestOutputToStandardOutput(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"sess-new -o -", "sess-fork s.jsonl -o -", "sess-import pi s.jsonl -o -", "sess-redact -o - s.jsonl",
		"sess-merge -o - s.jsonl t.jsonl", "sess-check --repair -o - s.jsonl", "sess-export pi -o - s.jsonl",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, name := range []string{"s.jsonl", "t.jsonl"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(small), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			words := strings.Fields(line)
			r := runCommand(t, dir, "", words...)
			if r.status != 0 || !strings.HasPrefix(r.stdout, `{"type":"session"`) {
				t.Errorf("status %d, %s%s", r.status, r.stdout, r.stderr)
			}
			if names, err := os.ReadDir(dir); err != nil || len(names) != 2 {
				t.Errorf("%v, %v", names, err)
			}
		})
	}
}

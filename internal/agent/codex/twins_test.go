package codex_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agent/codex"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/formatstest"
)

// Two rollouts of one id are two conversations: the one that was written to last is read,
// and the other is named.
func TestTwoRolloutsOfOneID(t *testing.T) {
	t.Parallel()
	const id = "019b7ca9-8f2e-7063-834b-74487a82aa03"
	home := t.TempDir()
	dir := filepath.Join(home, "sessions", "2026", "01", "02")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	rollout := func(clock, said string, written time.Time) {
		path := filepath.Join(dir, "rollout-2026-01-02T"+clock+"-"+id+".jsonl")
		text := `{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"session_id":"` + id + `","id":"` + id + `","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","originator":"codex","cli_version":"0.169.0","source":"cli"}}
{"timestamp":"2026-01-02T03:04:06.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + said + `"}]}}
`
		formatstest.Put(t, path, text)
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	rollout("20-13-35", "newer", now)
	rollout("20-13-37", "older", now.Add(-time.Hour))
	results := formatstest.Import(t, codex.Format, &formats.Source{Path: home}, false)
	if len(results) != 1 || strings.Contains(results[0].Text(), "older") || !strings.Contains(results[0].Text(), "newer") {
		t.Fatalf("%d sessions: %s", len(results), results[0].Text())
	}
	if l := results[0].Losses; len(l) != 1 || !strings.Contains(l[0].Where, "20-13-37") || l[0].Kind != formats.KindReference {
		t.Errorf("losses %v", l)
	}
}

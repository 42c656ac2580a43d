package codex_test

import (
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"

	"github.com/sess-tools/sess/internal/test/formatstest"
)

// TestBegunRollout: a rollout without a whole line is listed with an error, and with the size that it had then: who collects waits
// for it, though the line may be there by the time that it looks.
func TestBegunRollout(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", `{"timestamp":"2026-01-02T03:00`} {
		dir := t.TempDir()
		path := filepath.Join(dir, "rollout-2026-01-02T03-00-00-ca000001-1111-4111-8111-000000000001.jsonl")
		formatstest.Put(t, path, text)
		a, err := codex.Format.Open(t.Context(), &formats.Source{Path: dir})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for info, err := range a.List(t.Context(), formats.Query{}) {
			if n++; err == nil || info.Path != path || info.ModTime.IsZero() || info.Size != int64(len(text)) {
				t.Errorf("%q: %+v, %v", text, info, err)
			}
		}
		if n != 1 {
			t.Errorf("%q: %d are listed", text, n)
		}
	}
}

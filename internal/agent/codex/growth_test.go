package codex_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/codex"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/pkg/session"
)

// A session that is compacted n times, and keeps all of it each time, has n contexts in
// codex's form: too much is refused with the numbers, unless it was allowed.
func TestGrowth(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"019a0000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n")
	parent := "null"
	for i := range 200 {
		fmt.Fprintf(&b, `{"type":"message","id":"a%07d","parentId":%s,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"x"}}`+"\n", i, parent)
		fmt.Fprintf(&b, `{"type":"compaction","id":"c%07d","parentId":"a%07d","timestamp":"2026-01-02T03:04:05.678Z","summary":"s","firstKeptEntryId":"a0000000","tokensBefore":1}`+"\n", i, i)
		parent = fmt.Sprintf(`"c%07d"`, i)
	}
	s, err := session.Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for growth, refused := range map[int64]bool{0: false, 4: true, 1000: false} {
		target := formats.NewTarget(func(formats.Loss) {})
		target.Out, target.Growth, target.Version = io.Discard, growth, "legacy"
		err := codex.Format.Export(t.Context(), s, target)
		if e, large := errors.AsType[*formats.GrowthError](err); large != refused || !large && err != nil || large && (!e.Unfinished || e.Times() < 4) {
			t.Errorf("up to %d times: %v", growth, err)
		}
	}
}

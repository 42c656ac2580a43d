package codex_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/codex"
	"github.com/sess-tools/sess/internal/agent/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

// Large texts, which are quoted piece by piece as they are written, come out letter by
// letter: of the user, of the model, and of results.
func TestLargeTexts(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"x", "\"\\\n", "é", "😀", "a\u2028"} {
		for _, n := range []int{64<<10 - 1, 64 << 10, 200_001} {
			text := strings.Repeat(unit, n/len(unit)+1)
			var b strings.Builder
			b.WriteString(`{"type":"session","version":3,"id":"019a0000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n")
			for i, message := range []string{
				`{"role":"user","content":[{"type":"text","text":%s}]}`,
				`{"role":"assistant","stopReason":"toolUse","content":[{"type":"text","text":%s},{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"ls"}}]}`,
				`{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":%s}]}`,
			} {
				fmt.Fprintf(&b, `{"type":"message","id":"a000000%d","parentId":"a000000%d","timestamp":"2026-01-02T03:04:05.678Z","message":`+message+"}\n", i, i-1, js.Quote(text))
			}
			s := formatstest.Parse(t, b.String())
			for _, version := range []string{"legacy", "paginated"} {
				out, _ := formatstest.Export(t, codex.Format, s, version)
				literal := strings.Trim(js.Quote(text), `"`)
				if got := strings.Count(out, `"`+literal+`"`); got < 5 {
					t.Errorf("%q of %d bytes, %s: it stands there %d times", unit, len(text), version, got)
				}
				for line := range strings.Lines(out) {
					if !js.Valid([]byte(line)) {
						t.Errorf("%q of %d bytes, %s: not JSON: %.80s", unit, len(text), version, line)
					}
				}
			}
		}
	}
}

package jqmap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// A line without an id stands where it is in the file: whatever the others name as their parents, all that was said is on the path.
func TestDrawnUnnamedLines(t *testing.T) {
	t.Parallel()
	f := format(t, "qwen")
	for _, r := range drawn.Cases(t, 300) {
		const first = `{"uuid":"q0","parentUuid":null,"sessionId":"s1","timestamp":"2026-03-04T05:06:07.000Z","type":"user","message":{"role":"user","parts":[{"text":"word 0"}]}}`
		lines, want, last, unnamed := []string{first}, "word 0", "q0", 0
		for n := range 1 + r.IntN(8) {
			typ, role := "user", "user"
			if r.IntN(2) == 0 {
				typ, role = "assistant", "model"
			}
			names := ""
			if r.IntN(3) > 0 {
				names = fmt.Sprintf(`"uuid":"q%d","parentUuid":%q,`, n+1, last)
				last = fmt.Sprintf("q%d", n+1)
			} else {
				unnamed++
			}
			if r.IntN(4) == 0 { // a status that is kept
				lines = append(lines, `{"type":"system","subtype":"session_context","timestamp":"2026-03-04T05:06:08.000Z"}`)
			}
			lines = append(lines, fmt.Sprintf(`{%s"sessionId":"s1","timestamp":"2026-03-04T05:06:08.000Z","type":%q,"message":{"role":%q,"parts":[{"text":"word %d"}]}}`, names, typ, role, n+1))
			want += fmt.Sprintf(" word %d", n+1)
		}
		if r.IntN(2) == 0 {
			lines = append(lines, `{"type":"system","subtype":"session_context","timestamp":"2026-03-04T05:06:08.000Z"}`)
		}
		result := read(t, f, "s1.jsonl", lines...)
		var got []string
		for _, m := range formatstest.Shown(result.Session(t)) {
			got = append(got, m.Text(""))
		}
		told := 0
		for _, l := range result.Losses {
			told += max(1, l.N)
		}
		if strings.Join(got, " ") != want || told != unnamed {
			t.Fatalf("%q, want %q, and %d of %d are told: %v\n%s", got, want, told, unnamed, result.Losses, strings.Join(lines, "\n"))
		}
	}
}

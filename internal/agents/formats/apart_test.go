package formats_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// values returns the values of a line behind others, and whether something is told of it.
func values(t testing.TB, before []string, line string) (got []string, told bool) {
	t.Helper()
	b := formats.NewBuilder("x", nil, func(formats.Loss) { told = true })
	for l, err := range jsonl.Lines(strings.NewReader(strings.Join(append(slices.Clone(before), line), "\n") + "\n")) {
		if err != nil {
			t.Fatal(err)
		}
		for v := range b.Values(&formats.Source{Path: "s"}, l) {
			if v.Number > len(before) {
				got = append(got, v.Text)
			}
		}
	}
	return got, told
}

// lineFormats are directories of samples whose lines are JSON.
var lineFormats = []string{"claude/genuine", "codex/home", "agents/copilot", "agents/gemini", "agents/qwen", "agents/kimi", "agents/kimicli", "agents/grok", "pi/sessions"}

// A line that was torn at any place, with the next one whole behind it, loses the torn one alone, in each format and with blanks behind
// colons or without. So does a whole one with a torn one behind it. Where a value of the torn one may stand, the next line may be taken for that.
func TestTornAndWhole(t *testing.T) {
	t.Parallel()
	for _, dir := range lineFormats {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			var lines []string
			for _, path := range corpus.Sessions(t, dir) {
				for line := range strings.Lines(string(corpus.Session(t, path))) {
					if line = strings.TrimSpace(line); len(line) < 3000 && strings.HasPrefix(line, "{") && json.Valid([]byte(line)) {
						lines = append(lines, formats.OneLine(line))
					}
				}
			}
			if len(lines) < 4 {
				t.Fatalf("%d lines in %s", len(lines), dir)
			}
			before, lostBoth, cases := lines[:min(8, len(lines))], 0, 0
			for _, r := range drawn.Cases(t, 300) {
				cases++
				a, b := lines[r.IntN(len(lines))], lines[r.IntN(len(lines))]
				if r.IntN(2) == 0 {
					a, b = spaced(t, a), spaced(t, b)
				}
				at := 1 + r.IntN(len(a)-1)
				got, told := values(t, before, a[:at]+b)
				if end := strings.TrimSpace(a[:at]); len(got) == 0 && told && strings.ContainsAny(end[len(end)-1:], ":[,") {
					lostBoth++
					continue
				}
				if !slices.Equal(got, []string{b}) || !told {
					t.Fatalf("torn at %d of %d, told %v:\n%s\nis read as\n%s", at, len(a), told, a[:at]+" | "+b, strings.Join(got, "\n"))
				}
				if got, told := values(t, before, b+a[:at]); !slices.Equal(got, []string{b}) || !told {
					t.Fatalf("a torn one behind, told %v:\n%s\nis read as\n%s", told, b+" | "+a[:at], strings.Join(got, "\n"))
				}
				if got, told := values(t, before, a[:at]); len(got) > 0 || !told {
					t.Fatalf("a torn one alone, told %v:\n%s\nis read as\n%s", told, a[:at], strings.Join(got, "\n"))
				}
			}
			if lostBoth > 5+cases/5 {
				t.Errorf("the whole line is lost in %d of %d", lostBoth, cases)
			}
		})
	}
}

// spaced returns a JSON text with blanks behind its colons and commas, as Python writes it.
func spaced(t testing.TB, line string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(line), "", ""); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(out.String(), "\n", "")
}

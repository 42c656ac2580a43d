package screen

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/drawn"
)

// The part of a long text that is shown is the same whether little or much of the text around it was looked at.
func TestViewLooksNear(t *testing.T) {
	t.Parallel()
	parts := []string{"word", " ", " ", "\n", "\t\t\t\t", strings.Repeat(" ", 300), "é", "привет", "→", "字", "👍🏽", "❤️", "🇩🇪", "á", strings.Repeat("x", 90), "\x1b[31m", "\u200d", "\xff"}
	for _, r := range drawn.Cases(t, 3000) {
		kinds := 6 + r.IntN(len(parts)-5) // simple ones alone, or others too
		var b strings.Builder
		for range r.IntN(3000) {
			b.WriteString(parts[r.IntN(kinds)])
		}
		text := b.String()
		var spans []Span
		for at := runeStart(text, r.IntN(len(text)+1)); at < len(text) && len(spans) < 4; {
			end := runeStart(text, min(at+1+spread(r), len(text)))
			spans = append(spans, Span{at, max(at, end)})
			at = runeStart(text, max(end, at+1)+spread(r))
		}
		width := 10 + r.IntN(150)
		at := Span{}
		if len(spans) > 0 {
			at = spans[0]
		}
		far := window(text, at, perColumn*(width+1))
		before, rest := around(text, spans, far.From, far.To)
		want := lay(before, rest, far.From > 0, far.To < len(text), width, "…")
		if got := view(text, spans, width, "…"); !slices.Equal(merged(got), merged(want)) {
			t.Errorf("%d columns of %q, %v: %q, want %q", width, text, spans, join(got), join(want))
		}
	}
}

// spread is a distance that is mostly short.
func spread(r *rand.Rand) int { return r.IntN(1 << r.IntN(12)) }

func runeStart(text string, at int) int {
	at = min(at, len(text))
	for at < len(text) && text[at]&0xc0 == 0x80 {
		at++
	}
	return at
}

// merged joins cells of one style.
func merged(cells []Cell) (out []Cell) {
	for _, c := range cells {
		if c.Text == "" {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Style == c.Style {
			out[n-1].Text += c.Text
		} else {
			out = append(out, Cell{Text: c.Text, Style: c.Style})
		}
	}
	return out
}

package stream_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/pkg/js"
)

// TestPlain holds a text that comes in pieces to the text as a whole, wherever it is cut: in
// characters, in halves of pairs, in what is no UTF-8, and in blanks that may be its end.
func TestPlain(t *testing.T) {
	t.Parallel()
	parts := []string{
		"a", "words", " ", "\t", "\r\n", "\n", `"`, `\`, `\n`, "\x00", "é", "日本", "😀", "\u2028",
		"\xed\xa0\xbd", "\xed\xb8\x80", "\xed\xa0\xbd\xed\xb8\x80", "\xff", "\xe6\x97", "\xf0\x9f", "\xc2", "\xa0",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var text strings.Builder
		for range r.IntN(9) {
			text.WriteString(parts[r.IntN(len(parts))])
		}
		clean := js.ValidText(text.String())
		var want, warns []string
		if clean != text.String() {
			warns = append(warns, "the text is not UTF-8 throughout; U+FFFD stands for what is not")
		}
		if said := strings.TrimRight(clean, " \t\r\n"); said != "" {
			want = append(want, api.Assistant([]string{api.Text(said)}).Raw())
		} else {
			warns = append(warns, "the text is empty")
		}
		for _, size := range []int{0, 1, 2, 3, 5} {
			got := decode([]byte(text.String()), size, stream.Options{From: stream.Text})
			if !slices.Equal(lines(got.items), want) || !slices.Equal(got.warns, warns) {
				t.Fatalf("%q in pieces of %d bytes: %q %q, want %q %q", text.String(), size, lines(got.items), got.warns, want, warns)
			}
		}
	}
}

// TestPlainLarge is about a text that is larger than what is kept together of it.
func TestPlainLarge(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("some \"words\" of a model, é\n", 600_000) + "end"
	want := api.Assistant([]string{api.Text(text)}).Raw()
	for _, size := range []int{0, 256 << 10, 999_983} {
		if got := lines(decode([]byte(text), size, stream.Options{From: stream.Text}).items); !slices.Equal(got, []string{want}) {
			t.Errorf("in pieces of %d bytes it is another one", size)
		}
	}
}

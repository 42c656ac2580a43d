package secret

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
)

// longRuns are texts without white space, or with lines of base64, by their names.
func longRuns(size int) map[string]string {
	rnd := rand.New(rand.NewPCG(9, 9))
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	run := base64.StdEncoding.EncodeToString(data)[:size]
	var lines, code strings.Builder
	for at := 0; at+77 <= size; at += 77 {
		lines.WriteString(run[at:at+76] + "\n")
	}
	for words := []string{"function(", "e", "token", "=>", "{return", "this.", "key", "password", "ey", "sk", "auth", "}"}; code.Len() < size; {
		code.WriteString(words[rnd.IntN(len(words))])
	}
	return map[string]string{"keywords": strings.Repeat("ey", size/2), "base64": run, "lines": lines.String(), "code": code.String()}
}

// A text of twice the length is twice the work: what the rules are tried on, and what is
// decoded.
func TestLinear(t *testing.T) {
	t.Parallel()
	s := newSet(t, Options{Depth: DefaultDepth})
	work := func(text string) (bytes int) {
		s.candidates(text, func(_ int32, in Span) { bytes += in.To - in.From })
		joinedLines := 0
		d := &decoder{text: text, found: func(Span, string, encodings) {}}
		for i := 0; i < len(text); {
			if class[text[i]]&isWord == 0 {
				i++
				continue
			}
			before := d.tried
			end := classEnd(text, i, isWord)
			if end-i >= minBase64 {
				end = d.word(i, end)
			}
			if d.tried > before {
				joinedLines += d.tried - max(before, i)
			}
			i = end
		}
		return bytes + joinedLines
	}
	small, large := longRuns(32<<10), longRuns(64<<10)
	for name := range small {
		a, b := work(small[name]), work(large[name])
		if a < 32<<10 || float64(b) > 2.3*float64(a) {
			t.Errorf("%s: %d bytes are looked at for 32 KiB, %d for 64", name, a, b)
		}
	}
}

// The white space around a place is found as a search from the place finds it.
func TestGaps(t *testing.T) {
	t.Parallel()
	text := "a bc\td\n\n\r ef" + strings.Repeat("x", 50) + " y"
	var g gaps
	g.of(text)
	for at := range len(text) + 1 {
		if got, want := g.before(at), strings.LastIndexAny(text[:at], spaces); got != want {
			t.Errorf("before %d: %d, not %d", at, got, want)
		}
		want := len(text)
		if i := strings.IndexAny(text[at:], spaces); i >= 0 {
			want = at + i
		}
		if got := g.nextSpace(at); got != want {
			t.Errorf("after %d: %d, not %d", at, got, want)
		}
	}
}

func BenchmarkLong(b *testing.B) {
	s := newSet(b, Options{Depth: DefaultDepth})
	for _, size := range []int{128 << 10, 256 << 10, 512 << 10, 4 << 20, 8 << 20} {
		for name, text := range longRuns(size) {
			b.Run(name+"/"+sizeName(size), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					s.Find(text)
				}
			})
		}
	}
}

func sizeName(n int) string {
	if n >= 1<<20 {
		return string(rune('0'+n>>20)) + "MiB"
	}
	return map[int]string{128 << 10: "128KiB", 256 << 10: "256KiB", 512 << 10: "512KiB"}[n]
}

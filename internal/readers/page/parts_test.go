package page

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/corpus"
)

// drawn is a session of n entries: code of every length that a page colours, days that pass, and
// notes of an agent, where one part of a page meets the next as well.
func drawn(r *rand.Rand, n int) []string {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	lines, parent := make([]string, n), "null"
	for i := range lines {
		at = at.Add(time.Duration(r.IntN(7*60)) * time.Minute)
		stamp := at.Format("2006-01-02T15:04:05.000Z")
		if r.IntN(20) == 0 {
			stamp = "?"
		}
		code := strings.Repeat("x := f(1) // y\n", 1+r.IntN(1+r.IntN(200)))
		body := []string{
			`"message","message":{"role":"user","content":"go on"}`,
			`"message","message":{"role":"user","content":` + corpus.Quote(strings.Repeat("long ", r.IntN(200))) + `}`,
			`"message","message":{"role":"assistant","content":[{"type":"text","text":` + corpus.Quote("```go\n"+code+"```\n") + `}]}`,
			`"message","message":{"role":"assistant","content":[{"type":"text","text":` + corpus.Quote("```unheard-of\n"+code+"```\n") + `}]}`,
			`"message","message":{"role":"assistant","content":[{"type":"text","text":"*done*"}]}`,
			`"custom_message","customType":"claude:context","content":"a reminder","display":true`,
			`"custom_message","customType":"claude:context","content":"another","display":true`,
			`"model_change","provider":"p","modelId":"m"`,
		}[r.IntN(8)]
		lines[i] = fmt.Sprintf(`{"type":%s,"id":"e%07d","parentId":%s,"timestamp":%q}`, body, i, parent, stamp)
		parent = fmt.Sprintf(`"e%07d"`, i)
	}
	return lines
}

// A page that is written in parts side by side has the bytes of one that is not.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	coloured, seeds := 0, uint64(3)
	if testing.Short() { // the race detector takes half a minute for three
		seeds = 1
	}
	for seed := range seeds {
		s := corpus.Parse(t, drawn(rand.New(rand.NewPCG(seed, 1)), 700)...)
		for _, o := range []Options{usual, {Tools: Folded, Thinking: None, From: 70, To: 600, MaxResult: 300}} {
			var alone, beside bytes.Buffer
			want, err := write(&alone, s, pathOf(s), o, 1)
			if err != nil {
				t.Fatal(err)
			}
			got, err := write(&beside, s, pathOf(s), o, 3)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%d: %v, not %v", seed, got, want)
			}
			a, b := alone.String(), beside.String()
			coloured += strings.Count(a, `<span class="n">`)
			if a != b {
				i := 0
				for a[i] == b[i] {
					i++
				}
				t.Errorf("%d: from byte %d on:\n%.300q\nnot\n%.300q", seed, i, b[max(0, i-60):], a[max(0, i-60):])
			}
		}
	}
	if coloured < 500*int(seeds)/3 {
		t.Errorf("only %d numbers are coloured", coloured)
	}
}

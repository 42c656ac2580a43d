package js

import (
	"testing"
	"unicode/utf8"
)

// The origin of each part of a text says that part, and no more than whole escapes of it.
func FuzzOrigins(f *testing.F) {
	for _, s := range []string{`""`, `"abc"`, `"a\nb"`, `"\u0041\ud83d\ude00x"`, `"\ud83d\n\ude00"`, "\"a\xffb\xe2\x82c\"", `"日本\/語"`, `"\"\\"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, lit string) {
		if lit == "" || lit[0] != '"' || !Valid([]byte(lit)) || Trim(lit) != lit {
			return
		}
		text := Unquote(lit)
		var edges []int
		for i := 0; i <= len(text); {
			edges = append(edges, i)
			if i == len(text) {
				break
			}
			_, size := decodeWTF8(text[i:])
			i += size
		}
		for n, from := range edges {
			for _, to := range edges[n+1:] {
				o := Origins(lit, []Span{{from, to}})[0]
				part := Unquote(`"` + lit[o.From:o.To] + `"`)
				if part != text[from:to] {
					t.Fatalf("%q of %s: %s is %q", text[from:to], lit, lit[o.From:o.To], part)
				}
				if to-from > 40 {
					break
				}
			}
		}
		if len(edges) > 2 && utf8.ValidString(text) { // several parts at once
			a, b := edges[len(edges)/2], len(text)
			got := Origins(lit, []Span{{0, a}, {a, b}})
			if got[0].To != got[1].From || got[0].From != 1 || got[1].To != len(lit)-1 {
				t.Fatalf("%v in %s", got, lit)
			}
		}
	})
}

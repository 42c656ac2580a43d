package js

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// pieces of literal bodies; put together they cross the words in which the
// package reads at every place.
var pieces = []string{
	"a", "text", "]", "#", "!", "u", "/", "\x7F", `\n`, `\"`, `\\`, `\/`, `\t`, `\u0041`, `\u000a`, `\u001f`, `\u0022`, `\u002F`,
	`\ud83d`, `\ude00`, `\ud83d\ude00`, "é", "漢", face, "\uFFFD", "\xFF", "\xF0\x9F", "\xED\xA0\xBD", "plain words, some more", "0123456789abcdef0123456789abcdef",
}

// bad pieces make a literal invalid, mostly.
var bad = []string{"\"", "\\", "\x00", "\x1F", `\x`, `\u12`, `\u12g4`, "\n"}

func jumble(r *rand.Rand, from ...string) string {
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString(from[r.IntN(len(from))])
	}
	return b.String()
}

func TestRandomLiterals(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		lit := `"` + jumble(r, pieces...) + `"`
		if !Valid([]byte(lit)) {
			t.Fatalf("Valid(%+q) = false", lit)
		}
		text, out := Unquote(lit), Stringify(lit)
		if got, want := LenLiteral(lit), Len(text); got != want {
			t.Fatalf("LenLiteral(%+q) = %d, want %d", lit, got, want)
		}
		if got, want := Len(text), len(codeUnits(text)); got != want {
			t.Fatalf("Len(%+q) = %d, want %d", text, got, want)
		}
		if want := Quote(text); out != want {
			t.Fatalf("Stringify(%+q) = %+q, want %+q", lit, out, want)
		}
		if got, want := StringifyLen(lit), Len(out); got != want {
			t.Fatalf("StringifyLen(%+q) = %d, want %d", lit, got, want)
		}
		if got := Unquote(out); got != text {
			t.Fatalf("Unquote(%+q) = %+q, want %+q", out, got, text)
		}
		other := Unquote(`"` + jumble(r, pieces...) + `"`)
		if i := r.IntN(len(text) + 1); r.IntN(2) == 0 {
			other = text[:i] + other // a common prefix, cut anywhere
		}
		if got, want := Compare(text, other), slices.Compare(codeUnits(text), codeUnits(other)); got != want {
			t.Fatalf("Compare(%+q, %+q) = %d, want %d", text, other, got, want)
		}
	}
}

func TestRandomValid(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	good := 0
	const all = 20_000
	for range all {
		from := pieces
		if r.IntN(2) == 0 {
			from = slices.Concat(pieces, bad)
		}
		s := `{"k":["` + jumble(r, from...) + `",1.5e3,true,{}],"` + jumble(r, from...) + `":null}`
		if r.IntN(4) == 0 {
			i := r.IntN(len(s))
			s = s[:i] + s[i+1:]
		}
		want := json.Valid([]byte(s))
		if got := Valid([]byte(s)); got != want {
			t.Fatalf("Valid(%+q) = %v, want %v", s, got, want)
		}
		if want {
			good++
		}
	}
	if good < all/5 || good > all*4/5 {
		t.Errorf("%d of %d texts are valid: too few of a kind", good, all)
	}
}

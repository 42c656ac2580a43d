package js

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ s, want string }{
		{"", `""`},
		{"a/b", `"a/b"`},
		{"\b\f\n\r\t\"\\", `"\b\f\n\r\t\"\\"`},
		{"\x00\x01\x0B\x1F", `"\u0000\u0001\u000b\u001f"`},
		{"\x7F<>&\u2028\u2029é" + face, "\"\x7F<>&\u2028\u2029é" + face + `"`},
		{high, `"\ud83d"`},
		{low + "x", `"\ude00x"`},
		{low + high, `"\ude00\ud83d"`},
		{high + low, `"` + face + `"`},
		{high + high + low, `"\ud83d` + face + `"`},
		{"\uFFFD\uFFFD", "\"\uFFFD\uFFFD\""},
		{"a\xFFb\xF0\x9F\x98c", "\"a\uFFFDb\uFFFDc\""},
		{"long enough for words\nand then some more", `"long enough for words\nand then some more"`},
	} {
		if got := Quote(tc.s); got != tc.want {
			t.Errorf("Quote(%q) = %+q, want %+q", tc.s, got, tc.want)
		}
		if got := quotedLen(tc.s); got != Len(tc.want) {
			t.Errorf("quotedLen(%q) = %d, want %d", tc.s, got, Len(tc.want))
		}
	}
	if got := string(AppendQuote([]byte("k="), "v")); got != `k="v"` {
		t.Errorf("AppendQuote = %s", got)
	}
}

func TestUnquote(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ lit, want string }{
		{`""`, ""},
		{`"plain"`, "plain"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u0041\u00e9\u00E9\u6f22"`, "Aéé漢"},
		{`"a\\n\u000ab\n"`, "a\\n\nb\n"},
		{`"\n"`, "\n"},
		{`"\ud83d\ude00"`, face},
		{`"\uD83D\uDE00"`, face},
		{`"\ud83d"`, high},
		{`"\ude00\ud83d"`, low + high},
		{`"\ud83d\n"`, high + "\n"},
		{`"\ud83d\u0041"`, high + "A"},
		{`"\ud83d\ud83d\ude00"`, high + face},
		{`"\ud83d` + low + `"`, high + "\uFFFD\uFFFD\uFFFD"}, // raw, it is no surrogate
		{`"` + high + `"`, "\uFFFD\uFFFD\uFFFD"},
		{"\"a\xF0\x9F\x98\\n\"", "a\uFFFD\n"},
	} {
		if got := Unquote(tc.lit); got != tc.want {
			t.Errorf("Unquote(%+q) = %q, want %q", tc.lit, got, tc.want)
		}
		line, _, _ := strings.Cut(tc.want, "\n")
		if got := UnquoteLine(tc.lit); got != line {
			t.Errorf("UnquoteLine(%+q) = %q, want %q", tc.lit, got, line)
		}
		if got, want := LenLiteral(tc.lit), Len(tc.want); got != want {
			t.Errorf("LenLiteral(%+q) = %d, want %d", tc.lit, got, want)
		}
	}
}

func TestAllocations(t *testing.T) { // AllocsPerRun does not go with t.Parallel
	lit := `"a text without escapes, é and ` + face + `"`
	escaped := `"a text with\nescapes \ud83d\ude00"`
	object := `{ "path" : "a\/b", "edits":[{"n":1.50},{"1":2,"0":3}], "path":"c" }`
	dst := make([]byte, 0, 200)
	for name, f := range map[string]func(){
		"Unquote":      func() { Unquote(lit) },
		"LenLiteral":   func() { LenLiteral(escaped) },
		"Len":          func() { Len(lit) },
		"Compare":      func() { Compare(lit, escaped) },
		"Trim":         func() { _ = Trim(lit) },
		"Valid":        func() { Valid(dst[:0]) },
		"AppendQuote":  func() { AppendQuote(dst, lit) },
		"StringifyLen": func() { StringifyLen(object) },
		"Members": func() {
			for k, v := range Members(object) {
				_, _ = k, v
			}
		},
		"ParseTime": func() { ParseTime("2026-01-02T03:04:05.678Z") },
	} {
		if n := testing.AllocsPerRun(20, f); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a\n\x00\"\\", "é漢" + face, high, low + high, high + low, "\xFF\xF0\x9F\x98", "12345678\n12345678"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lit := Quote(s)
		if !Valid([]byte(lit)) || !utf8.ValidString(lit) {
			t.Fatalf("Quote(%q) = %+q is not valid", s, lit)
		}
		if got, want := Unquote(lit), wellFormed(s); got != want {
			t.Errorf("Unquote(Quote(%q)) = %q, want %q", s, got, want)
		}
		if got := Stringify(lit); got != lit {
			t.Errorf("Stringify(%+q) = %+q, want no change", lit, got)
		}
		if got := quotedLen(s); got != Len(lit) {
			t.Errorf("quotedLen(%q) = %d, want %d", s, got, Len(lit))
		}
	})
}

// wellFormed returns s as WTF-8 without ill-formed subparts, halves that meet
// joined; s itself if it is well-formed.
func wellFormed(s string) string {
	var dst []byte
	for s != "" {
		r, size := decodeText(s)
		dst = appendRune(dst, r)
		s = s[size:]
	}
	return string(dst)
}

// Joined as literals, texts are what they are joined as texts.
func FuzzWriteBody(f *testing.F) {
	f.Add("a\n\x00\"", "b\xff\u2028\\")
	f.Add("\xed\xa0\xbd", "x\xed\xb8\x80")
	f.Fuzz(func(t *testing.T, x, y string) {
		var b strings.Builder
		b.WriteByte('"')
		WriteBody(&b, Quote(x))
		WriteBody(&b, Quote(" "))
		WriteBody(&b, Quote(y))
		b.WriteByte('"')
		if want := Quote(x + " " + y); b.String() != want {
			t.Errorf("%q and %q: got %s, want %s", x, y, b.String(), want)
		}
		raw := `"` + strings.NewReplacer(`"`, "", `\`, "").Replace(x) + `\ud83d\ude00\/\u0041\ud83d"` // other spellings
		if !Valid([]byte(raw)) {
			return
		}
		b.Reset()
		WriteBody(&b, raw)
		if want := Quote(Unquote(raw)); `"`+b.String()+`"` != want {
			t.Errorf("%q: got %s, want %s", raw, b.String(), want)
		}
	})
}

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

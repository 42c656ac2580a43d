package js

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// Lone surrogates as WTF-8, and some text to put around them.
const (
	high = "\xED\xA0\xBD" // U+D83D
	low  = "\xED\xB8\x80" // U+DE00
	face = "\U0001F600"   // the pair of both
)

func TestLen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		s    string
		want int
	}{
		{"", 0},
		{"a", 1},
		{"twelve bytes", 12},
		{"é", 1},
		{"漢字", 2},
		{face, 2},
		{"eight by" + face + "tes", 13},
		{high, 1},
		{low, 1},
		{high + low, 2},
		{low + high, 2},
		{"\uFFFD", 1},
		{"\xFF", 1},
		{"\xF0\x9F\x98", 1},     // cut short: one subpart
		{"\xF0\x9F\x98a", 2},    // the same before a character
		{"\xF0\x9F\x98\xF0", 2}, // and before another start
		{"\xED\xA0", 2},         // half a surrogate is two subparts
		{"\xC0\x80", 2},         // overlong
		{"\xF4\x90\x80\x80", 4}, // beyond U+10FFFF
		{"1234567\xE2\x82", 8},
	} {
		if got := Len(tc.s); got != tc.want {
			t.Errorf("Len(%q) = %d, want %d", tc.s, got, tc.want)
		}
	}
}

// What a decoder makes of bytes is in the table; it says so for literals, whose
// bytes are UTF-8, and for WTF-8 as long as no surrogate is among the bytes.
func TestIllFormed(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "utf8.txt") {
		raw, err := hex.DecodeString(row[0])
		if err != nil {
			t.Fatal(err)
		}
		want, units := row[1], atoi(t, row[2])
		lit := `"` + string(raw) + `"`
		if got := Quote(Unquote(lit)); got != want {
			t.Errorf("%s: Quote(Unquote) = %+q, want %+q", row[0], got, want)
		}
		if got := Stringify(lit); got != want {
			t.Errorf("%s: Stringify = %+q, want %+q", row[0], got, want)
		}
		if got := LenLiteral(lit); got != units {
			t.Errorf("%s: LenLiteral = %d, want %d", row[0], got, units)
		}
		if hasSurrogate(string(raw)) {
			continue
		}
		if got := Quote(string(raw)); got != want {
			t.Errorf("%s: Quote = %+q, want %+q", row[0], got, want)
		}
		if got := `"` + ValidText(string(raw)) + `"`; got != want {
			t.Errorf("%s: ValidText = %+q, want %+q", row[0], got, want)
		}
		if got := Len(string(raw)); got != units {
			t.Errorf("%s: Len = %d, want %d", row[0], got, units)
		}
		if got := Compare(string(raw), Unquote(want)); got != 0 {
			t.Errorf("%s: Compare with its replacement = %d, want 0", row[0], got)
		}
	}
}

func hasSurrogate(s string) bool {
	for i := range len(s) {
		if _, ok := surrogate(s[i:]); ok {
			return true
		}
	}
	return false
}

func TestHead(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		s     string
		units int
		want  string
	}{
		{"", 0, ""},
		{"", 5, ""},
		{"abc", -1, ""},
		{"abc", 0, ""},
		{"abc", 2, "ab"},
		{"abc", 3, "abc"},
		{"abc", 4, "abc"},
		{"a long text, longer than a word", 12, "a long text,"},
		{"a" + face, 1, "a"},
		{"a" + face, 2, "a"},
		{"a" + face, 3, "a" + face},
		{face + face, 3, face},
		{"漢字", 1, "漢"},
		{high + low + "x", 1, ""}, // halves that meet are a pair
		{high + low + "x", 2, high + low},
		{high + "x", 1, high}, // a half that is alone is not
		{low + high, 1, low},
		{"\xF0\x9F\x98x", 1, "\xF0\x9F\x98"},
	} {
		if got := Head(tc.s, tc.units); got != tc.want {
			t.Errorf("Head(%q, %d) = %q, want %q", tc.s, tc.units, got, tc.want)
		}
	}
}

func TestCompareSorted(t *testing.T) {
	t.Parallel()
	rows := table(t, "sorted.txt")
	for i, a := range rows {
		for j, b := range rows {
			want := 0
			switch {
			case i < j:
				want = -1
			case i > j:
				want = 1
			}
			if got := Compare(Unquote(a[0]), Unquote(b[0])); got != want {
				t.Errorf("Compare(%s, %s) = %d, want %d", a[0], b[0], got, want)
			}
		}
	}
}

// Every code unit that trim() removes; from
//
//	node -p '[...Array(65536).keys()].filter(u => String.fromCharCode(u).trim() === "").join(" ")'
const whiteSpace = "9 10 11 12 13 32 160 5760 8192 8193 8194 8195 8196 8197 8198 8199 8200 8201 8202 8232 8233 8239 8287 12288 65279"

func TestTrim(t *testing.T) {
	t.Parallel()
	var white []rune
	for f := range strings.FieldsSeq(whiteSpace) {
		white = append(white, rune(atoi(t, f)))
	}
	for r := range rune(0x10000) {
		s := string(appendRune(nil, r))
		want := s
		if slices.Contains(white, r) {
			want = ""
		}
		if got := Trim(s); got != want {
			t.Errorf("Trim(U+%04X) = %q, want %q", r, got, want)
		}
	}
	if got := Trim("\uFEFF\u00A0 a b\u2029 \xFF" + high + "\n"); got != "a b\u2029 \xFF"+high {
		t.Errorf("Trim removed too much or too little: %q", got)
	}
}

func TestValidText(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ s, want string }{
		{"", ""},
		{"plain é " + face, "plain é " + face},
		{"a" + high + "b", "a\uFFFDb"},
		{high + low, face},
		{low + high, "\uFFFD\uFFFD"},
		{"\xF0\x9F\x98x\xFF", "\uFFFDx\uFFFD"},
	} {
		if got := ValidText(tc.s); got != tc.want {
			t.Errorf("ValidText(%q) = %q, want %q", tc.s, got, tc.want)
		}
	}
}

func FuzzLen(f *testing.F) {
	for _, s := range []string{"", "abc", "é漢" + face, high, low + high, high + low, "\xFF\xF0\x9F", "a\\b\n\"c", "12345678" + face + "12345678"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := Len(s)
		if got := LenLiteral(Quote(s)); got != n {
			t.Errorf("LenLiteral(Quote(%q)) = %d, Len = %d", s, got, n)
		}
		valid := ValidText(s)
		if got := Len(valid); got != n {
			t.Errorf("Len(ValidText(%q)) = %d, Len = %d", s, got, n)
		}
		if want := len(utf16.Encode([]rune(valid))); Len(valid) != want {
			t.Errorf("Len(%q) = %d, want %d", valid, Len(valid), want)
		}
	})
}

func FuzzHead(f *testing.F) {
	f.Add("abc", 2)
	f.Add("12345678"+face+"x", 9)
	f.Add(high+low+"\xF0\x9F", 1)
	f.Fuzz(func(t *testing.T, s string, units int) {
		head := Head(s, units)
		if !strings.HasPrefix(s, head) {
			t.Fatalf("Head(%q, %d) = %q is no prefix", s, units, head)
		}
		n, all := Len(head), Len(s)
		if n > max(0, units) {
			t.Errorf("Head(%q, %d) has %d units", s, units, n)
		}
		if n < all && n < units-1 {
			t.Errorf("Head(%q, %d) has only %d units", s, units, n)
		}
		if got := n + Len(s[len(head):]); got != all {
			t.Errorf("Head(%q, %d) cuts through a character: %d units, want %d", s, units, got, all)
		}
		if n == units-1 && n < all {
			if r, _ := decodeText(s[len(head):]); r < 0x10000 {
				t.Errorf("Head(%q, %d) leaves out %U, which fits", s, units, r)
			}
		}
	})
}

func FuzzCompare(f *testing.F) {
	f.Add("a", "b")
	f.Add("\uFF5E", face)
	f.Add("漢字漢"+high, "漢字漢"+face)
	f.Add("\x80\x80", "\x80\xFF")
	f.Fuzz(func(t *testing.T, a, b string) {
		if got, want := Compare(a, b), slices.Compare(codeUnits(a), codeUnits(b)); got != want {
			t.Errorf("Compare(%q, %q) = %d, want %d", a, b, got, want)
		}
	})
}

// codeUnits spells out s the slow way.
func codeUnits(s string) (u []uint16) {
	for s != "" {
		r, size := decodeWTF8(s)
		if isHighSurrogate(r) || isLowSurrogate(r) {
			u = append(u, uint16(r)) // AppendRune would replace it
		} else {
			u = utf16.AppendRune(u, r)
		}
		s = s[size:]
	}
	return u
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

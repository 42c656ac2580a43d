package js

import "unicode/utf8"

// Len returns the length of the WTF-8 text s in UTF-16 code units: what
// JavaScript calls s.length. A character outside the basic plane counts 2, a
// lone surrogate and an ill-formed subpart count 1.
func Len(s string) int {
	if utf8.ValidString(s) {
		return len(s) - extraBytes(s)
	}
	n := 0
	for s != "" {
		r, size := decodeWTF8(s)
		n += units(r)
		s = s[size:]
	}
	return n
}

// LenLiteral returns the length in UTF-16 code units of the text that the JSON
// string literal lit, quotes included, stands for: Len(Unquote(lit)) without
// decoding.
func LenLiteral(lit string) int {
	s := body(lit)
	n := len(s)
	if at := firstHigh(s); at < n { // not all ASCII
		if !utf8.ValidString(s[at:]) {
			return Len(Unquote(lit))
		}
		n -= extraBytes(s[at:])
	}
	for i := firstEscape(s); i < len(s); {
		end, easy := easyEscapes(s, i)
		if i, n = end, n-easy; i < len(s) { // one unit whatever it says: half a pair is one
			size := escapeLen(s[i:])
			i += size
			n -= size - 1
		}
	}
	return n
}

// Head returns the longest prefix of the WTF-8 text s that is at most limit
// UTF-16 code units long and does not end between the halves of a surrogate
// pair; it may therefore be one unit shorter than limit.
func Head(s string, limit int) string {
	if len(s) <= limit { // no character has more units than bytes
		return s
	}
	i := 0
	for i < len(s) {
		if limit >= 8 && i+8 <= len(s) && word(s, i)&high1 == 0 {
			i, limit = i+8, limit-8
			continue
		}
		r, size := decodeText(s[i:])
		if limit -= units(r); limit < 0 {
			break
		}
		i += size
	}
	return s[:i]
}

// units returns how many UTF-16 code units r takes.
func units(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

package js

import "math/bits"

// Len returns the length of the WTF-8 text s in UTF-16 code units: what
// JavaScript calls s.length. A character outside the basic plane counts 2, a
// lone surrogate and an ill-formed subpart count 1.
func Len(s string) int {
	n := len(s)
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			w := word(s, i) & high1
			if w == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(w) >> 3
		} else if s[i] < 0x80 {
			i++
			continue
		}
		r, size := decodeWTF8(s[i:])
		i += size
		n -= size - units(r)
	}
	return n
}

// LenLiteral returns the length in UTF-16 code units of the text that the JSON
// string literal lit, quotes included, stands for: Len(Unquote(lit)) without
// decoding.
func LenLiteral(lit string) int {
	s := body(lit)
	n := len(s)
	for i := nextSpecial(s, 0); i < len(s); i = nextSpecial(s, i) {
		size, u := escapeLen(s[i:]), 1 // half a pair is a unit of its own
		if s[i] != '\\' {
			var r rune
			r, size = decodeUTF8(s[i:])
			u = units(r)
		}
		i += size
		n -= size - u
	}
	return n
}

// nextSpecial returns the index of the first byte of s, from i on, that is a
// backslash or not ASCII; len(s) if there is none.
func nextSpecial(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		w := word(s, i)
		if special := w&high1 | zeros(w^low7*'\\'); special != 0 {
			return i + bits.TrailingZeros64(special)>>3
		}
	}
	for i < len(s) && s[i] < 0x80 && s[i] != '\\' {
		i++
	}
	return i
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

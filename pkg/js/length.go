package js

import "math/bits"

// Len returns the length of the WTF-8 text s in UTF-16 code units: what
// JavaScript calls s.length. A character outside the basic plane counts 2, a
// lone surrogate and an ill-formed subpart count 1.
func Len(s string) int {
	n := len(s)
	for i := 0; i < len(s); {
		i = asciiRun(s, i)
		for i < len(s) && s[i] >= 0x80 {
			size, u := common(s, i), 1
			if size == 0 {
				var r rune
				r, size = decodeWTF8(s[i:])
				u = units(r)
			}
			i += size
			n -= size - u
		}
	}
	return n
}

// asciiRun returns the index of the first byte of s, from i on, that is not
// ASCII; len(s) if all are.
func asciiRun(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		if w := word(s, i) & high1; w != 0 {
			return i + bits.TrailingZeros64(w)>>3
		}
	}
	for i < len(s) && s[i] < 0x80 {
		i++
	}
	return i
}

// LenLiteral returns the length in UTF-16 code units of the text that the JSON
// string literal lit, quotes included, stands for: Len(Unquote(lit)) without
// decoding.
func LenLiteral(lit string) int {
	s := body(lit)
	n := len(s)
	for i := 0; i < len(s); {
		end, escapes := plainRun(s, i)
		i, n = end, n-escapes
		if i < len(s) && s[i] == '\\' { // one unit whatever it says: half a pair is one
			size := escapeLen(s[i:])
			i += size
			n -= size - 1
		}
		for i < len(s) && s[i] >= 0x80 {
			size, u := decodeUnits(s, i)
			i += size
			n -= size - u
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

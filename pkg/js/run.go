package js

import "math/bits"

// plainRun takes, from s[i] on, what in the body of a JSON literal is easy to
// count: ASCII, and two-byte escapes that stand for a character JSON.stringify
// escapes just so. It returns the index after that and the number of escapes.
// It stops at the end, at a byte that is not ASCII or at a backslash.
func plainRun(s string, i int) (end, escapes int) {
	for i+8 <= len(s) {
		if i+32 <= len(s) && notable(word(s, i))|notable(word(s, i+8))|notable(word(s, i+16))|notable(word(s, i+24)) == 0 {
			i += 32
			continue
		}
		// Program text has an escape every dozen bytes, where is anybody's
		// guess. So no branch depends on it in what follows.
		for range 4 {
			if i+8 > len(s) {
				break
			}
			w := word(s, i)
			slash := zeros(w ^ low7*'\\')
			hard := slash | zeros(w^low7*'u') | zeros(w^low7*'/') // after a backslash
			if stop := w&high1 | hard>>8&slash; stop != 0 {
				k := bits.TrailingZeros64(stop) &^ 7
				return i + k>>3, escapes + marks(slash&(1<<k-1))
			}
			last := int(slash >> 63) // what follows it is in the next word
			escapes += marks(slash) - last
			i += 8 - last
		}
	}
	for i < len(s) && s[i] < 0x80 {
		if s[i] == '\\' {
			if i+1 >= len(s) || s[i+1] == 'u' || s[i+1] == '/' {
				break
			}
			escapes++
			i++
		}
		i++
	}
	return i, escapes
}

// notable marks the bytes of w that are not ASCII, and the first backslash.
func notable(w uint64) uint64 { return w&high1 | zeros(w^low7*'\\') }

// marks counts the marks, highest bits of bytes, in w, which has no other bits.
func marks(w uint64) int { return int(w >> 7 * low7 >> 56) }

// decodeUnits returns the length in bytes of the character, or of the
// ill-formed subpart, that begins at s[i], a byte that is not ASCII, and how
// many UTF-16 code units it takes.
func decodeUnits(s string, i int) (size, u int) {
	if size = common(s, i); size != 0 {
		return size, 1
	}
	r, size := decodeUTF8(s[i:])
	return size, units(r)
}

// common returns the length of the character that begins at s[i] if it is
// well-formed, takes one UTF-16 code unit and begins with none of the bytes
// that restrict the next; 0 for all others, which a decoder has to look at.
func common(s string, i int) int {
	if i+3 > len(s) {
		return 0
	}
	switch c := s[i]; {
	case 0xE1 <= c && c != 0xED && c <= 0xEF && isContinuation(s[i+1]) && isContinuation(s[i+2]):
		return 3
	case 0xC2 <= c && c <= 0xDF && isContinuation(s[i+1]):
		return 2
	}
	return 0
}

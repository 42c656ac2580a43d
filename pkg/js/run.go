package js

import "math/bits"

// The functions of this file count a word at a time. Program text has an escape
// every dozen bytes and a typographic quote now and then, where is anybody's
// guess; so nothing here branches on one that is easy to count.

// extraBytes returns how many more bytes than UTF-16 code units the characters
// of s take, which is UTF-8: continuation bytes are in excess, but for one in
// each character that takes a surrogate pair.
func extraBytes(s string) (n int) {
	i := 0
	for i+32 <= len(s) {
		a, b, c, d := word(s, i), word(s, i+8), word(s, i+16), word(s, i+24)
		if i += 32; (a|b|c|d)&high1 == 0 {
			continue
		}
		n += lanes(continuations(a) + continuations(b) + continuations(c) + continuations(d))
		n -= lanes(pairs(a) + pairs(b) + pairs(c) + pairs(d))
	}
	for ; i < len(s); i++ {
		w := uint64(s[i])
		n += int(continuations(w)) - int(pairs(w))
	}
	return n
}

// firstHigh returns the index of a byte of s with no byte outside ASCII before it:
// at most 31 before the first of those, len(s) if there is none.
func firstHigh(s string) int {
	i := 0
	for i+32 <= len(s) {
		if (word(s, i)|word(s, i+8)|word(s, i+16)|word(s, i+24))&high1 != 0 {
			return i
		}
		i += 32
	}
	for ; i < len(s); i++ {
		if s[i] >= 0x80 {
			return i
		}
	}
	return i
}

// continuations marks the continuation bytes of w by their lowest bit.
func continuations(w uint64) uint64 { return (w &^ (w << 1)) >> 7 & low7 }

// pairs marks the bytes of w that begin a character of four bytes by their
// lowest bit.
func pairs(w uint64) uint64 {
	w &= w << 1
	return w & (w << 2) >> 7 & low7
}

// lanes adds up the bytes of w, the sum of which must not exceed 255.
func lanes(w uint64) int { return int(w * low7 >> 56) }

// easyEscapes goes through the body of a JSON literal from s[i] on as long as
// the escapes are easy to count: of two bytes, and written by JSON.stringify
// just so. It returns how many there are and where it stopped, at the end or at
// a backslash.
func easyEscapes(s string, i int) (end, n int) {
	for i+8 <= len(s) {
		w := word(s, i)
		// Marks above the first may be wrong, but only after a backslash after
		// a backslash, which stops this anyway, or in what is not valid.
		slash := zeros(w ^ low7*'\\')
		if slash == 0 {
			i += 8
			continue
		}
		hard := slash | zeros(w^low7*'u') | zeros(w^low7*'/')
		if stop := hard >> 8 & slash; stop != 0 {
			k := bits.TrailingZeros64(stop) &^ 7
			return i + k>>3, n + lanes(slash&(1<<k-1)>>7)
		}
		last := int(slash >> 63) // what follows it is in the next word
		n += lanes(slash>>7) - last
		i += 8 - last
	}
	for ; i < len(s); i++ {
		if s[i] == '\\' {
			if i+1 >= len(s) || s[i+1] == 'u' || s[i+1] == '/' {
				return i, n
			}
			n++
			i++
		}
	}
	return len(s), n
}

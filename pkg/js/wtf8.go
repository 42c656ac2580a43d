package js

import "unicode/utf8"

const (
	low7  = 0x0101010101010101 // the lowest bit of every byte of a word
	high1 = 0x8080808080808080 // the highest bit of every byte of a word
)

// word returns the eight bytes of s from i on, the first in the lowest bits.
func word(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// zeros marks, with its highest bit, the first byte of w that is zero. Bytes
// above the first may be marked wrongly.
func zeros(w uint64) uint64 { return (w - low7) &^ w & high1 }

func isContinuation(c byte) bool  { return c&0xC0 == 0x80 }
func isHighSurrogate(r rune) bool { return 0xD800 <= r && r <= 0xDBFF }
func isLowSurrogate(r rune) bool  { return 0xDC00 <= r && r <= 0xDFFF }

// decodeUTF8 reads the first character of s, which is not empty. An ill-formed
// maximal subpart is read as U+FFFD, as WHATWG decoders do; size is its length
// in bytes. (utf8.DecodeRuneInString takes one byte at a time instead, which
// makes three replacements of a truncated emoji where JavaScript makes one.)
func decodeUTF8(s string) (r rune, size int) {
	if r, size = utf8.DecodeRuneInString(s); r != utf8.RuneError || size != 1 {
		return r, size
	}
	return utf8.RuneError, illFormed(s)
}

// decodeWTF8 is decodeUTF8 for WTF-8: a surrogate in its three-byte form is
// read as that surrogate.
func decodeWTF8(s string) (r rune, size int) {
	if r, size = utf8.DecodeRuneInString(s); r != utf8.RuneError || size != 1 {
		return r, size
	}
	if r, ok := surrogate(s); ok {
		return r, 3
	}
	return utf8.RuneError, illFormed(s)
}

// decodeText is decodeWTF8, but reads two halves that meet as one character of
// six bytes.
func decodeText(s string) (r rune, size int) {
	r, size = decodeWTF8(s)
	if !isHighSurrogate(r) {
		return r, size
	}
	if low, ok := surrogate(s[size:]); ok && isLowSurrogate(low) {
		return join(r, low), size + 3
	}
	return r, size
}

// join makes the character that a surrogate pair stands for.
func join(high, low rune) rune { return (high-0xD800)<<10 | (low - 0xDC00) + 0x10000 }

// surrogate reads the three-byte form of a surrogate at the start of s.
func surrogate(s string) (r rune, ok bool) {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF || !isContinuation(s[2]) {
		return 0, false
	}
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), true
}

// appendRune appends r, which may be a surrogate, as WTF-8.
func appendRune(dst []byte, r rune) []byte {
	if isHighSurrogate(r) || isLowSurrogate(r) {
		return append(dst, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(dst, r)
}

// illFormed returns the length of the maximal ill-formed subpart that s starts
// with: the longest start of a well-formed sequence, at least one byte. What s
// starts with must not be well-formed.
func illFormed(s string) int {
	lo, hi := byte(0x80), byte(0xBF) // range of the second byte
	switch c := s[0]; {
	case c < 0xE0 || c > 0xF4:
		return 1
	case c == 0xE0:
		lo = 0xA0
	case c == 0xED:
		hi = 0x9F
	case c == 0xF0:
		lo = 0x90
	case c == 0xF4:
		hi = 0x8F
	}
	if len(s) < 2 || s[1] < lo || s[1] > hi {
		return 1
	}
	n := 2
	for n < len(s) && isContinuation(s[n]) { // never up to the last: that would be well-formed
		n++
	}
	return n
}

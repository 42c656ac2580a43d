package js

import (
	"strings"
	"unicode/utf8"
)

// Compare orders WTF-8 texts by their UTF-16 code units, as JavaScript's
// Array.prototype.sort and < do. It returns -1, 0 or +1. The order differs from
// Go's where a character outside the basic plane meets one of U+E000..U+FFFF.
func Compare(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i+8 <= n && word(a, i) == word(b, i) {
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	// Back to where a character begins in both: a byte that is not a
	// continuation always begins one, even among ill-formed bytes.
	for i > 0 && isContinuation(a[i-1]) {
		i--
	}
	if i > 0 && a[i-1] >= 0x80 {
		i--
	}
	x, y := cursor{s: a[i:]}, cursor{s: b[i:]}
	for {
		u, v := x.next(), y.next()
		switch {
		case u < v:
			return -1
		case u > v:
			return 1
		case u < 0:
			return 0
		}
	}
}

// cursor walks the UTF-16 code units of a WTF-8 text.
type cursor struct {
	s   string
	low rune // second half of the pair just begun, or 0
}

// next returns the next code unit, or -1 at the end.
func (c *cursor) next() rune {
	if low := c.low; low != 0 {
		c.low = 0
		return low
	}
	if c.s == "" {
		return -1
	}
	r, size := decodeWTF8(c.s)
	c.s = c.s[size:]
	if r < 0x10000 {
		return r
	}
	c.low = 0xDC00 + (r-0x10000)&0x3FF
	return 0xD800 + (r-0x10000)>>10
}

// Trim returns s without the white space and line terminators at its ends, as
// String.prototype.trim. Unlike [strings.TrimSpace] it removes U+FEFF and keeps
// U+0085.
func Trim(s string) string { return strings.TrimFunc(s, isSpace) }

func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return 0x2000 <= r && r <= 0x200A
}

// ValidText returns s as valid UTF-8 for output to people: lone surrogates and
// ill-formed subparts become U+FFFD, and halves that meet become their
// character. Text that is valid already is returned as it is.
func ValidText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		r, size := decodeText(s)
		b.WriteRune(r) // writes U+FFFD for a surrogate
		s = s[size:]
	}
	return b.String()
}

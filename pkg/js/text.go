package js

import (
	"cmp"
	"slices"
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

// TrimEnd is Trim at the end alone, as String.prototype.trimEnd.
func TrimEnd(s string) string { return strings.TrimRightFunc(s, isSpace) }

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

// properties appends to list the members of the object that is node at, in the
// order in which JavaScript enumerates its properties: array indices ascending,
// then the other keys in the order of the text. Of members with the same key,
// the value of the last stands at the place of the first.
func (t *tree) properties(list []int, at int) []int {
	for c := t.nodes[at].first; c != 0; c = t.nodes[c].next {
		list = append(list, c)
	}
	list = t.unique(list)
	if slices.ContainsFunc(list, func(c int) bool { return arrayIndex(t.nodes[c].key) < notIndex }) {
		slices.SortStableFunc(list, func(a, b int) int {
			return cmp.Compare(arrayIndex(t.nodes[a].key), arrayIndex(t.nodes[b].key))
		})
	}
	return list
}

// unique removes from list, members of one object, those that a later one with
// the same key replaces.
func (t *tree) unique(list []int) []int {
	var places map[string]int // of the keys in kept
	if len(list) > fewMembers {
		places = make(map[string]int, len(list))
	}
	kept := list[:0]
	for _, c := range list {
		key := t.nodes[c].key
		place, ok := places[key]
		if places == nil {
			place = slices.IndexFunc(kept, func(k int) bool { return t.nodes[k].key == key })
			ok = place >= 0
		}
		if ok {
			kept[place] = c
			continue
		}
		if places != nil {
			places[key] = len(kept)
		}
		kept = append(kept, c)
	}
	return kept
}

// notIndex is above every array index.
const notIndex = 1<<32 - 1

// arrayIndex reads key as an array index of ECMAScript, a decimal integer below
// 2^32-1 without sign or leading zero. For any other key it returns notIndex.
func arrayIndex(key string) uint64 {
	if key == "" || len(key) > 10 || key[0] == '0' && len(key) > 1 {
		return notIndex
	}
	var index uint64
	for _, c := range []byte(key) {
		if !isDigit(c) {
			return notIndex
		}
		index = index*10 + uint64(c-'0')
	}
	return min(index, notIndex)
}

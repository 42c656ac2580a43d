package js

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

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

// fewMembers is up to how many members keys are compared pair by pair; beyond,
// a map finds the duplicates.
const fewMembers = 8

// member has the lengths of a member of an object that is being measured: a later one with the same
// key takes its place.
type member struct {
	key   string // its text
	units int    // length of the value
}

// measure returns the index after the value that begins at s[i], or -1, and the
// length in UTF-16 code units of what JSON.stringify makes of the value.
func measure(s string, i, depth int) (end, n int) {
	if i >= len(s) {
		return -1, 0
	}
	switch c := s[i]; {
	case c == '"':
		end = stringEnd(s, i)
		return end, literalUnits(s[i:end])
	case c == '{' && depth < MaxDepth:
		return measureObject(s, i, depth+1)
	case c == '[' && depth < MaxDepth:
		return measureArray(s, i, depth+1)
	case c == '-' || isDigit(c):
		end = scalarEnd(s, i)
		return end, numberUnits(s[i:end])
	case isLetter(c):
		end = scalarEnd(s, i)
		return end, end - i
	}
	return -1, 0
}

// measureArray is measure for the array that begins at s[i].
func measureArray(s string, i, depth int) (end, n int) {
	n = len("[]")
	if i = skipSpace(s, i+1); i < len(s) && s[i] == ']' {
		return i + 1, n
	}
	for ; ; i = skipSpace(s, i+1) {
		var units int
		if i, units = measure(s, i, depth); i < 0 {
			return -1, 0
		}
		n += units
		if i = skipSpace(s, i); i == len(s) {
			return -1, 0
		}
		switch s[i] {
		case ']':
			return i + 1, n
		case ',':
			n += len(",")
		default:
			return -1, 0
		}
	}
}

// measureObject is measure for the object that begins at s[i].
func measureObject(s string, i, depth int) (end, n int) {
	n = len("{}")
	if i = skipSpace(s, i+1); i < len(s) && s[i] == '}' {
		return i + 1, n
	}
	var few [fewMembers]member
	list := few[:0]           // members with distinct keys
	var places map[string]int // of the keys in list, once they are many
	for ; ; i = skipSpace(s, i+1) {
		var m member
		if m.key, i = memberKey(s, i); i < 0 {
			return -1, 0
		}
		if i, m.units = measure(s, i, depth); i < 0 {
			return -1, 0
		}
		if at := place(list, places, m.key); at >= 0 {
			n += m.units - list[at].units
			list[at] = m
		} else {
			n += quotedLen(m.key) + len(":") + m.units + len(",")
			list = append(list, m)
			places = index(list, places)
		}
		if i = skipSpace(s, i); i == len(s) {
			return -1, 0
		}
		switch s[i] {
		case '}':
			return i + 1, n - len(",")
		case ',':
		default:
			return -1, 0
		}
	}
}

// place returns the index in list of the member with this key, or -1.
func place(list []member, places map[string]int, key string) int {
	if places == nil {
		return slices.IndexFunc(list, func(m member) bool { return m.key == key })
	}
	if at, ok := places[key]; ok {
		return at
	}
	return -1
}

// index enters the last member of list in places, which it makes when there
// are more than a few.
func index(list []member, places map[string]int) map[string]int {
	switch last := len(list) - 1; {
	case places != nil:
		places[list[last].key] = last
	case last == fewMembers:
		places = make(map[string]int, 4*fewMembers)
		for i, m := range list {
			places[m.key] = i
		}
	}
	return places
}

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
		// Marks above the first may be wrong, but only after a backslash after a backslash, which
		// stops this anyway, or in invalid text.
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

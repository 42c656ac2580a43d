// Package needles looks for words in the bytes of JSON, without decoding it.
//
// JSON writes a character of a string in one of three ways: as its own bytes, as \uXXXX, or, for the quotation mark, the backslash,
// the slash and five controls, as a backslash and a letter. So bytes that have neither a needle, which holds none of the
// characters with a short escape and no control character, nor a \uXXXX that may stand for a character of it, hold no string with it.
package needles

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Set is needles of which each text that is looked for has one at least.
type Set struct {
	needles []needle
	ascii   bool      // all of them are
	chars   [128]bool // that one of them has, in any case that counts; and those that escapes are made of, which a string in a string may have
}

// A Needle is a text, which counts in any case of its ASCII letters if Fold is set.
type Needle struct {
	Text string
	Fold bool
}

// New returns the set of needles, none of which is empty.
func New(list []Needle) *Set {
	s := &Set{ascii: true}
	s.add(`\u0123456789abcdefABCDEF`)
	for _, n := range list {
		s.add(n.Text)
		if n.Fold {
			s.add(strings.ToLower(n.Text))
			s.add(strings.ToUpper(n.Text))
		}
		s.needles = append(s.needles, newNeedle(n.Text, n.Fold))
		s.ascii = s.ascii && strings.IndexFunc(n.Text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
	}
	return s
}

// add adds the characters of a text.
func (s *Set) add(text string) {
	for i := range len(text) {
		if text[i] < utf8.RuneSelf {
			s.chars[text[i]] = true
		}
	}
}

// Len is the number of needles.
func (s *Set) Len() int { return len(s.needles) }

// Index returns where needle i begins in b, -1 if it does not occur.
func (s *Set) Index(i int, b []byte) int { return s.needles[i].index(b) }

// In reports whether b has a needle, or an escape that may stand for a character of one.
func (s *Set) In(b []byte) bool {
	for i := range s.needles {
		if s.needles[i].index(b) >= 0 {
			return true
		}
	}
	return s.Escape(b) >= 0
}

// A needle is a text that is looked for in raw lines.
type needle struct {
	text []byte // in lower case if case is ignored
	fold bool
	rare int // the place of its rarest byte or, if that is no rarity, of its rarest pair of bytes
	pair pair
}

// common are bytes of sessions, the most frequent ones first. All others are rarer.
const common = ` e"tnaiorsl,dcu:pm\0gh1fyb2v-w3_4.5k6879/xj{}()qz[]=ETASIRNODCLPMUFBGHVWYKXJQZ` + "\t\n"

// rarity is the rank from which on a byte is so rare that it is looked for alone.
const rarity = 45

func rank(b byte) int {
	if i := strings.IndexByte(common, b); i >= 0 {
		return i
	}
	return len(common)
}

func newNeedle(text string, fold bool) needle {
	n := needle{text: []byte(text), fold: fold}
	for i, b := range n.text {
		if fold && b >= 'A' && b <= 'Z' {
			n.text[i] += 'a' - 'A'
		}
	}
	most := -1
	for i, b := range n.text {
		if rank(b) > most {
			n.rare, most = i, rank(b)
		}
	}
	if len(n.text) < 2 || most >= rarity && !fold {
		return n
	}
	most = -1
	for i := range len(n.text) - 1 {
		if sum := rank(n.text[i]) + rank(n.text[i+1]); sum > most {
			n.rare, most = i, sum
		}
	}
	n.pair = newPair(n.text[n.rare], n.text[n.rare+1], fold)
	return n
}

// index returns where the needle begins in b, -1 if it does not occur.
func (n *needle) index(b []byte) int {
	for at := n.rare; at < len(b); at++ {
		var i int
		if n.pair != (pair{}) {
			i = n.pair.index(b[at:])
		} else {
			i = bytes.IndexByte(b[at:], n.text[n.rare])
		}
		if i < 0 {
			return -1
		}
		at += i
		if from := at - n.rare; n.begins(b[from:]) {
			return from
		}
	}
	return -1
}

// begins reports whether b begins with the needle.
func (n *needle) begins(b []byte) bool {
	if !n.fold {
		return bytes.HasPrefix(b, n.text)
	}
	if len(b) < len(n.text) {
		return false
	}
	for i, want := range n.text {
		got := b[i]
		if got >= 'A' && got <= 'Z' {
			got += 'a' - 'A'
		}
		if got != want {
			return false
		}
	}
	return true
}

// A pair are two bytes that stand next to each other, each of them eight times. The
// bits of a case that does not count are set in or0 and or1.
type pair struct{ first, second, or0, or1 uint64 }

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

func newPair(first, second byte, fold bool) pair {
	p := pair{first: uint64(first) * lowBits, second: uint64(second) * lowBits}
	if fold && first >= 'a' && first <= 'z' {
		p.or0 = 0x20 * lowBits
	}
	if fold && second >= 'a' && second <= 'z' {
		p.or1 = 0x20 * lowBits
	}
	return p
}

// at reports whether b begins with the pair.
func (p *pair) at(b []byte) bool {
	return b[0]|byte(p.or0) == byte(p.first) && b[1]|byte(p.or1) == byte(p.second)
}

// index returns where the pair is in b, -1 if it is not there. Bytes of sessions are too
// frequent to stop at each, which is what bytes.Index does; this does so only where both
// stand.
func (p *pair) index(b []byte) int {
	at := p.skip(b)
	if len(b)-at >= 33 {
		for ; ; at += 8 {
			if found := p.marks(b[at:]); found != 0 {
				return at + bits.TrailingZeros64(found)>>3
			}
		}
	}
	for ; at+1 < len(b); at++ {
		if p.at(b[at:]) {
			return at
		}
	}
	return -1
}

// marks returns a word with the highest bit set in each of the first eight bytes of b at which the pair begins. The lowest
// mark is right; those above it may be wrong.
func (p *pair) marks(b []byte) uint64 {
	v := ((binary.LittleEndian.Uint64(b) | p.or0) ^ p.first) | ((binary.LittleEndian.Uint64(b[1:]) | p.or1) ^ p.second)
	return (v - lowBits) &^ v & highBits
}

// skip returns how many bytes of b, in steps of 32, the pair does not begin in.
func (p *pair) skip(b []byte) int {
	first, second, or0, or1 := p.first, p.second, p.or0, p.or1
	at := 0
	for ; len(b)-at >= 33; at += 32 {
		w := b[at : at+33 : at+33]
		// A byte of v is 0 where the pair stands. Of v - lowBits the highest bit is set for
		// such a byte, and of others only behind one.
		v := ((binary.LittleEndian.Uint64(w) | or0) ^ first) | ((binary.LittleEndian.Uint64(w[1:]) | or1) ^ second)
		found := (v - lowBits) &^ v
		v = ((binary.LittleEndian.Uint64(w[8:]) | or0) ^ first) | ((binary.LittleEndian.Uint64(w[9:]) | or1) ^ second)
		found |= (v - lowBits) &^ v
		v = ((binary.LittleEndian.Uint64(w[16:]) | or0) ^ first) | ((binary.LittleEndian.Uint64(w[17:]) | or1) ^ second)
		found |= (v - lowBits) &^ v
		v = ((binary.LittleEndian.Uint64(w[24:]) | or0) ^ first) | ((binary.LittleEndian.Uint64(w[25:]) | or1) ^ second)
		found |= (v - lowBits) &^ v
		if found&highBits != 0 {
			break
		}
	}
	return at
}

// escapes is the pair that every \uXXXX begins with.
var escapes = newPair('\\', 'u', false)

// Escape returns where in b an escape is that may stand for a character of a needle,
// -1 if there is none.
func (s *Set) Escape(b []byte) int {
	for at := 0; ; at += 2 {
		i := escapes.index(b[at:])
		if i < 0 {
			return -1
		}
		at += i
		digits := b[at+2:]
		if len(digits) < 4 {
			return at
		}
		n, err := strconv.ParseUint(string(digits[:4]), 16, 16)
		switch {
		case err != nil, n >= utf8.RuneSelf: // a path may begin so: C:\\users
			if !s.ascii {
				return at
			}
		case s.chars[n]:
			return at
		}
	}
}

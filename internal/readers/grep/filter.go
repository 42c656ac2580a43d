package grep

import (
	"bytes"
	"encoding/binary"
	"io"
	"iter"
	"math/bits"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/jsonl"
)

// A filter finds the lines that may have a match.
type filter struct {
	needles []needle
	ascii   bool // all needles are
}

func newFilter(tree *syntax.Regexp) *filter {
	found, ok := needles(required(tree))
	if !ok {
		return nil
	}
	f := &filter{needles: found, ascii: true}
	for _, n := range found {
		f.ascii = f.ascii && strings.IndexFunc(string(n.text), func(r rune) bool { return r >= utf8.RuneSelf }) < 0
	}
	return f
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
	if fold {
		text = strings.ToLower(text) // of ASCII alone, see cutAt
	}
	n := needle{text: []byte(text), fold: fold}
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

// escape returns where in b an escape is that may stand for a character of a needle,
// -1 if there is none.
func (f *filter) escape(b []byte) int {
	for at := 0; ; at += 2 {
		i := escapes.index(b[at:])
		if i < 0 {
			return -1
		}
		at += i
		digits := b[at+2:]
		control := len(digits) >= 3 && digits[0] == '0' && digits[1] == '0' && (digits[2] == '0' || digits[2] == '1')
		high := len(digits) >= 3 && (digits[0] != '0' || digits[1] != '0' || digits[2] >= '8')
		if !control && (!f.ascii || !high) {
			return at
		}
	}
}

// A Scanner shows the lines of blocks that may have a match. It is for one goroutine.
type Scanner struct {
	filter *filter
	block  []byte
	at     int   // of the line after the last one shown
	next   []int // where each needle, and last an escape, stands at or behind at; len(block) if nowhere
}

// Scanner returns a scanner. With all it drops no line.
func (p *Pattern) Scanner(all bool) *Scanner {
	s := &Scanner{filter: p.filter}
	if all {
		s.filter = nil
	}
	if s.filter != nil {
		s.next = make([]int, len(s.filter.needles)+1)
	}
	return s
}

// A Candidate is a line that may have a match.
type Candidate struct {
	Text   string // to keep
	Offset int64  // of its first byte, in bytes from where reading began
}

// Candidates iterates over the lines of r that may have a match. An error of r ends it.
func (s *Scanner) Candidates(r io.Reader) iter.Seq2[Candidate, error] {
	return func(yield func(Candidate, error) bool) {
		for b, err := range jsonl.Blocks(r) {
			if err != nil {
				yield(Candidate{}, err)
				return
			}
			s.Reset(b.Data)
			for from, to, ok := s.Next(); ok; from, to, ok = s.Next() {
				if !yield(Candidate{b.Text(from, to), b.Offset + int64(from)}, nil) {
					b.Free()
					return
				}
			}
			b.Free()
		}
	}
}

// Reset begins with a block of whole lines. The last one may lack its line feed.
func (s *Scanner) Reset(block []byte) {
	s.block, s.at = block, 0
	for i := range s.next {
		s.next[i] = -1
	}
}

// Next returns where the next line that may have a match begins, and where it ends in
// front of its line feed; ok is false if no line is left.
func (s *Scanner) Next() (from, to int, ok bool) {
	if s.at >= len(s.block) {
		return 0, 0, false
	}
	from = s.at
	if s.filter != nil {
		hit := len(s.block)
		for i := range s.next {
			if s.next[i] < s.at {
				s.next[i] = s.find(i)
			}
			hit = min(hit, s.next[i])
		}
		if hit == len(s.block) {
			s.at = hit
			return 0, 0, false
		}
		from += bytes.LastIndexByte(s.block[s.at:hit], '\n') + 1
	}
	to = len(s.block)
	if n := bytes.IndexByte(s.block[from:], '\n'); n >= 0 {
		to = from + n
	}
	s.at = to + 1
	return from, to, true
}

// find returns where a needle, or behind the last one an escape, stands next.
func (s *Scanner) find(i int) int {
	at := 0
	if rest := s.block[s.at:]; i < len(s.filter.needles) {
		at = s.filter.needles[i].index(rest)
	} else {
		at = s.filter.escape(rest)
	}
	if at < 0 {
		return len(s.block)
	}
	return s.at + at
}

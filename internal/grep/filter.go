package grep

import (
	"bytes"
	"encoding/binary"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
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
	rare int // the place of its byte that is the rarest
}

// common are bytes of sessions, the most frequent ones first. All others are rarer.
const common = ` e"tnaiorsl,dcu:pm\0gh1fyb2v-w3_4.5k6879/xj{}()qz[]=ETASIRNODCLPMUFBGHVWYKXJQZ` + "\t\n"

func newNeedle(text string, fold bool) needle {
	if fold {
		text = strings.ToLower(text) // of ASCII alone, see cutAt
	}
	n := needle{text: []byte(text), fold: fold}
	rarest := -1
	for i, b := range n.text {
		rank := strings.IndexByte(common, b)
		if rank < 0 {
			rank = len(common)
		}
		if rank > rarest {
			n.rare, rarest = i, rank
		}
	}
	return n
}

// manyStops is how many bytes a stop at a byte that is not part of the needle has to
// be worth. With more stops the whole needle is looked for at once.
const manyStops = 24

// index returns where the needle begins in b, -1 if it does not occur.
func (n *needle) index(b []byte) int {
	if n.fold {
		return n.indexFold(b)
	}
	rare, at, stops := n.text[n.rare], n.rare, 0
	for at < len(b) {
		i := bytes.IndexByte(b[at:], rare)
		if i < 0 {
			return -1
		}
		at += i
		from := at - n.rare
		if bytes.HasPrefix(b[from:], n.text) {
			return from
		}
		at++
		if stops++; stops > 8 && at < stops*manyStops {
			i := bytes.Index(b[from+1:], n.text)
			if i >= 0 {
				i += from + 1
			}
			return i
		}
	}
	return -1
}

// indexFold is index for a needle in any case.
func (n *needle) indexFold(b []byte) int {
	lower := n.text[n.rare]
	upper := lower
	if lower >= 'a' && lower <= 'z' {
		upper -= 'a' - 'A'
	}
	// Where each of the two stands next. Each is looked for again only once it has been
	// passed, or one that is missing would be looked for to the end again and again.
	next := func(at int, c byte) int {
		if at >= len(b) {
			return len(b)
		}
		if i := bytes.IndexByte(b[at:], c); i >= 0 {
			return at + i
		}
		return len(b)
	}
	lo := next(n.rare, lower)
	up := lo
	if upper != lower {
		up = next(n.rare, upper)
	}
	for {
		at := min(lo, up)
		if at >= len(b) {
			return -1
		}
		if from := at - n.rare; n.folds(b[from:]) {
			return from
		}
		if lo == at {
			lo = next(at+1, lower)
		}
		if upper == lower {
			up = lo
		} else if up == at {
			up = next(at+1, upper)
		}
	}
}

// folds reports whether b begins with the needle in any case.
func (n *needle) folds(b []byte) bool {
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

// escape returns where in b an escape is that may stand for a character of a needle,
// -1 if there is none.
func (f *filter) escape(b []byte) int {
	for at := 0; ; at += 2 {
		i := indexEscape(b[at:])
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

// indexEscape is bytes.Index of \u in b. Backslashes are too frequent in sessions to
// stop at each, which is what bytes.Index does; this takes a third of its time.
func indexEscape(b []byte) int {
	const (
		low   = 0x0101010101010101
		high  = 0x8080808080808080
		slash = '\\' * low
		u     = 'u' * low
	)
	at := 0
	for ; len(b)-at >= 33; at += 32 {
		w := b[at : at+33 : at+33]
		// A byte of v is 0 where a backslash stands in front of a u. Of v - low the highest
		// bit is set for such a byte, and of others only behind one.
		v := (binary.LittleEndian.Uint64(w) ^ slash) | (binary.LittleEndian.Uint64(w[1:]) ^ u)
		found := (v - low) &^ v
		v = (binary.LittleEndian.Uint64(w[8:]) ^ slash) | (binary.LittleEndian.Uint64(w[9:]) ^ u)
		found |= (v - low) &^ v
		v = (binary.LittleEndian.Uint64(w[16:]) ^ slash) | (binary.LittleEndian.Uint64(w[17:]) ^ u)
		found |= (v - low) &^ v
		v = (binary.LittleEndian.Uint64(w[24:]) ^ slash) | (binary.LittleEndian.Uint64(w[25:]) ^ u)
		found |= (v - low) &^ v
		if found&high != 0 {
			break
		}
	}
	if i := bytes.Index(b[at:], []byte(`\u`)); i >= 0 {
		return at + i
	}
	return -1
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

package grep

import (
	"bytes"
	"io"
	"iter"

	"github.com/sess-tools/sess/internal/core/needles"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A Scanner shows the lines of blocks that may have a match. It is for one goroutine.
type Scanner struct {
	filter *needles.Set
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
		s.next = make([]int, s.filter.Len()+1)
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
	if rest := s.block[s.at:]; i < s.filter.Len() {
		at = s.filter.Index(i, rest)
	} else {
		at = s.filter.Escape(rest)
	}
	if at < 0 {
		return len(s.block)
	}
	return s.at + at
}

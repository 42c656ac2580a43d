package redact

import (
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

// A speech is what one speaker says in texts that follow each other, as far as a secret may
// still go on in the next.
type speech struct {
	pieces   []piece
	size     int // of their texts, in bytes
	searched int // pieces that were looked at
}

// maxSpeech is how much of a speech is looked at at once, in bytes.
const maxSpeech = 4 * border

// say adds a text by its beginning and its end, which are the same of a short one.
func (s *speech) say(r *Redactor, head, tail piece) {
	if n := len(s.pieces); n > 0 && s.pieces[n-1].kind != head.kind {
		s.close(r)
	}
	s.add(head)
	if head.cut {
		s.close(r)
		s.add(tail)
		return
	}
	if s.size > maxSpeech {
		s.search(r)
		from, size := len(s.pieces), 0
		for from > 0 && size < border {
			from--
			size += len(s.pieces[from].text)
		}
		s.drop(from)
	}
}

func (s *speech) add(p piece) {
	s.pieces = append(s.pieces, p)
	s.size += len(p.text)
	p.line.held++
}

// search looks at what was not looked at.
func (s *speech) search(r *Redactor) {
	if len(s.pieces) > 1 && s.searched < len(s.pieces) {
		first, last := s.pieces[0].line, s.pieces[len(s.pieces)-1].line
		r.across(s.pieces, s.searched, "", first == last && first.number == r.number)
	}
	s.searched = len(s.pieces)
}

// drop lets go of the first pieces.
func (s *speech) drop(n int) {
	for _, p := range s.pieces[:n] {
		s.size -= len(p.text)
		p.line.held--
	}
	s.pieces = append(s.pieces[:0:0], s.pieces[n:]...)
	s.searched = max(s.searched-n, 0)
}

func (s *speech) close(r *Redactor) {
	s.search(r)
	s.drop(len(s.pieces))
}

// A queue is the lines that are not finished: a secret may go on in a later one.
type queue struct {
	lines  []*line
	bytes  int
	spoken map[string]*speech // by the speaker
}

// How much a queue holds: events of several streams may stand between each other.
const (
	maxHeld  = 4096
	maxBytes = 16 << 20
)

// add adds a line.
func (q *queue) add(r *Redactor, l *line) {
	q.lines = append(q.lines, l)
	q.bytes += len(l.text)
	if l.last.index >= 0 {
		q.hear(r, l)
	}
	if len(q.lines) > maxHeld || q.bytes > maxBytes {
		q.close(r)
	}
}

// hear adds what a line says, which ends what others said, but for streams of events, which go side by side.
func (q *queue) hear(r *Redactor, l *line) {
	if !isStream(l.kind) {
		for kind, s := range q.spoken {
			if kind != l.kind && !isStream(kind) {
				s.close(r)
				delete(q.spoken, kind)
			}
		}
	}
	s := q.spoken[l.kind]
	if s == nil {
		s = &speech{}
		q.spoken[l.kind] = s
	}
	s.say(r, l.first, l.last)
	if !l.single && !l.first.cut {
		s.close(r)
		s.add(l.last)
	}
}

// close ends what was said.
func (q *queue) close(r *Redactor) {
	for kind, s := range q.spoken {
		s.close(r)
		delete(q.spoken, kind)
	}
}

// next returns the first line if it is finished.
func (q *queue) next() (*line, bool) {
	if len(q.lines) == 0 || q.lines[0].held > 0 {
		return nil, false
	}
	l := q.lines[0]
	q.lines = q.lines[1:]
	q.bytes -= len(l.text)
	return l, true
}

func isStream(kind string) bool { return strings.HasPrefix(kind, session.TypeCustom+"/") }

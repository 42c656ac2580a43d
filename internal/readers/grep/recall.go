package grep

import (
	"math"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/tty"
)

// bytesPerToken is how many bytes of rows count as a token: about what tokenizers make of English
// and of code.
const bytesPerToken = 4

// RecallWidth is how many characters a row has at most that a model is to read.
const RecallWidth = 160

// A Recall are the rows that fit into a budget: the first row of each session in the order of the
// sessions, then the second rows, and so on up to the first that does not fit. So what twice the
// budget prints begins with the same rows. It holds no more bytes than it may print.
type Recall struct {
	budget int64        // in bytes
	size   int64        // of the rows that are held, in bytes
	rounds [][]tty.Text // the first rows of sessions, the second ones, and so on
	last   int          // the round that gets no more rows, because one did not fit into it

	of       any   // the session whose rows come
	rank     int   // of its next row
	rows     int64 // that were found
	sessions int64 // that have one
}

// NewRecall returns a Recall of at most so many tokens.
func NewRecall(tokens int64) *Recall {
	return &Recall{budget: min(tokens, 1<<40) * bytesPerToken, last: math.MaxInt}
}

// Next counts a row of a session, which any value stands for that can be compared, and reports whether it may fit. The rows of a
// session come one after the other. With the nil pointer, all do.
func (rc *Recall) Next(session any) bool {
	if rc == nil {
		return true
	}
	rc.rows++
	if rc.rank++; rc.of != session {
		rc.of, rc.rank = session, 0
		rc.sessions++
	}
	return rc.rank < rc.last
}

// Add adds the row that was counted last, and takes away the rows behind that do not fit any more: they
// never will, as those in front of them only become more.
func (rc *Recall) Add(t tty.Text) {
	if rc.rank == len(rc.rounds) {
		rc.rounds = append(rc.rounds, nil)
	}
	rc.rounds[rc.rank] = append(rc.rounds[rc.rank], t)
	rc.size += int64(t.Len())
	for rc.size > rc.budget {
		rc.last = len(rc.rounds) - 1
		round := rc.rounds[rc.last]
		rc.size -= int64(round[len(round)-1].Len())
		if rc.rounds[rc.last] = round[:len(round)-1]; len(round) == 1 {
			rc.rounds = rc.rounds[:rc.last]
		}
	}
}

// Rows returns the rows that fit, how many rows are left out, and of how many sessions there is none.
func (rc *Recall) Rows() (rows []tty.Text, left, sessions int64) {
	sessions = rc.sessions
	if len(rc.rounds) > 0 {
		sessions -= int64(len(rc.rounds[0]))
	}
	for _, round := range rc.rounds {
		rows = append(rows, round...)
	}
	return rows, rc.rows - int64(len(rows)), sessions
}

// Window returns a part of a text of about so many characters, with the first match in
// its middle.
func Window(line Line, room int) (from, to int) {
	if utf8.RuneCountInString(line.Text) <= room {
		return 0, len(line.Text)
	}
	first := Span{}
	if len(line.Matches) > 0 {
		first = line.Matches[0]
	}
	from, to = first.From, first.From
	left := room - 2 // two characters say that it was cut
	for n := utf8.RuneCountInString(line.Text[first.From:min(first.To, first.From+4*room)]); n < left && from > 0 && n < room; n += 2 {
		_, size := utf8.DecodeLastRuneInString(line.Text[:from])
		from -= size
	}
	left -= utf8.RuneCountInString(line.Text[from:to])
	for ; left > 0 && to < len(line.Text); left-- {
		_, size := utf8.DecodeRuneInString(line.Text[to:])
		to += size
	}
	for ; left > 0 && from > 0; left-- {
		_, size := utf8.DecodeLastRuneInString(line.Text[:from])
		from -= size
	}
	return from, to
}

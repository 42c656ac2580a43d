package check

import (
	"bytes"
	"io"
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

// rewindLimit is how many bytes a rewinder can go back. It bounds what a file
// that is no session costs in memory.
const rewindLimit = 1 << 20

// A rewinder reads from r and remembers what it read, up to a limit.
type rewinder struct {
	r    io.Reader
	seen []byte
	lost bool // more was read than is remembered
}

func (w *rewinder) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if w.lost = w.lost || len(w.seen)+n > rewindLimit; w.lost {
		w.seen = nil
	} else {
		w.seen = append(w.seen, p[:n]...)
	}
	return n, err
}

// rewind returns a reader from the start; ok is false if too much was read.
func (w *rewinder) rewind() (r io.Reader, ok bool) {
	return io.MultiReader(bytes.NewReader(w.seen), w.r), !w.lost
}

// standIn is the header that a session without one is read with.
const standIn = `{"type":"session","version":3,"id":"none"}` + "\n"

// readHeadless reads a session that lacks its header. All lines and offsets
// are those behind the stand-in.
func readHeadless(r io.Reader) (*session.Session, error) {
	return session.Read(io.MultiReader(strings.NewReader(standIn), r))
}

// withoutHeader moves findings to where they are in the file, which does not
// have the stand-in.
func withoutHeader(findings []Finding) []Finding {
	header := true
	for i := range findings {
		f := &findings[i]
		f.Line--
		f.Offset -= int64(len(standIn))
		switch f.Kind {
		case session.LaterHeader:
			if header {
				f.Text = "the session header, not on the first line; --repair puts it there"
			}
			header = false
		case session.DuplicateID:
			f.Text = "the id stands on an earlier line too, with other bytes; the last counts"
		case SameDuplicate:
			f.Text = "the id stands on an earlier line too, with the same bytes"
		case ParentAfter:
			f.Text = "its parent comes later in the file"
		}
	}
	return findings
}

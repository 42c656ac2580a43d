package check

import (
	"io"
	"slices"

	"github.com/sess-tools/sess/pkg/session"
)

// A piece is a part of a line: one entry, or bytes that are none.
type piece struct {
	text  string
	entry session.Entry
	good  bool
}

// salvage takes a line apart that is not one JSON object: entries fused
// without a line feed, a torn entry with another behind it, NULs before, between
// and after. The pieces join to the line. Objects inside a torn entry are not
// taken for entries: those have a known type and an id or a time.
func salvage(line []byte) []piece {
	var out []piece
	bad := 0 // where the bytes begin that are no entry
	effort := 64<<10 + 8*len(line)
	for at := 0; at < len(line); {
		e, n := entryAt(line[at:], &effort)
		if n > 0 {
			if bad < at {
				out = append(out, piece{text: string(line[bad:at])})
			}
			out = append(out, piece{text: e.Raw(), entry: e, good: true})
			at += n
			bad = at
			continue
		}
		i := session.EntryStart(line[at+1:]) // the next place where an entry may begin
		if i < 0 || effort < 0 {
			break
		}
		at += 1 + i
	}
	if bad < len(line) {
		out = append(out, piece{text: string(line[bad:])})
	}
	return out
}

// entryAt returns the entry that text begins with, and its length, 0 if it begins with none. Bytes
// that are searched in vain are taken off effort, so that a line made to be searched again and
// again is given up.
func entryAt(text []byte, effort *int) (session.Entry, int) {
	if text[0] != '{' {
		return session.Entry{}, 0
	}
	n := objectEnd(text)
	if n < 0 {
		*effort -= len(text)
		return session.Entry{}, 0
	}
	e, err := session.ParseEntry(string(text[:n]))
	if err != nil || !isEntry(e) {
		*effort -= n
		return session.Entry{}, 0
	}
	return e, n
}

// isEntry reports whether an object found within a line is an entry, or a
// header.
func isEntry(e session.Entry) bool {
	switch {
	case e.Type() == session.TypeSession:
		return e.ID() != ""
	case !slices.Contains(types, e.Type()):
		return false
	}
	return e.Get("id") != "" || e.Get("timestamp") != ""
}

var types = session.Types()

// rewindLimit is how many bytes a rewinder can go back. It bounds what a file
// that is no session costs in memory.
const rewindLimit = 1 << 20

// A rewinder reads from r and remembers the bytes, up to a limit.
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

// standIn is the header that a session without one is read with.
const standIn = `{"type":"session","version":3,"id":"none"}` + "\n"

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

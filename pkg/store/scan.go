package store

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/titles"
)

// limits say how much of a session is read, in bytes.
type limits struct {
	whole       int64 // larger files are read at both ends only
	first, last int64 // the first window at each end, and what the tail may grow to
}

// usual are the limits of a listing. The first window is one read, and holds the header and the
// first question of nearly all sessions. The tail may grow far enough for a session that ends in one huge
// tool result.
var usual = limits{whole: 1 << 20, first: 64 << 10, last: 4 << 20}

// A rowReader reads rows of a listing, one after the other.
type rowReader struct {
	limits
	count bool // read files of any size whole
	info  session.InfoReader
	buf   []byte // what files are read into that are read in one go
}

// read reads one row.
func (l *rowReader) read(ctx context.Context, path string) (Row, error) {
	f, is, err := open(path)
	if err != nil {
		return Row{}, err
	}
	defer f.close()
	row := Row{Path: path, Size: is.size, ModTime: is.modTime}
	switch {
	case row.Size <= l.whole:
		row.Info, err = l.small(f, row.Size)
	case l.count:
		row.Info, err = l.info.Read(disk.Reader{Ctx: ctx, R: f})
	default:
		row.Info, err = l.ends(ctx, f, row.Size)
	}
	if err != nil {
		return Row{}, disk.Cause(err)
	}
	if row.Modified.IsZero() {
		row.Modified = row.ModTime.Round(time.Millisecond) // as JavaScript's Date has it
	}
	if title, from := row.Title(); from == titles.Prompt {
		row.Prompts = []string{title} // whose title it is; a listing keeps all rows
	} else {
		row.Prompts = nil
	}
	row.Info = detach(row.Info)
	return row, nil
}

// small reads a session that is small, in one go.
func (l *rowReader) small(f *file, size int64) (session.Info, error) {
	if int64(cap(l.buf)) < size {
		l.buf = make([]byte, max(size, l.first))
	}
	n, err := f.ReadAt(l.buf[:size], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return session.Info{}, err
	}
	return l.info.Of(l.buf[:n])
}

// ends reads the head and the tail of a session. The head grows until it holds a message of the user, and the tail grows until it
// holds a user or assistant message, which shows in the time of modification:
// the last line may be longer than any window that is cheap.
func (l *rowReader) ends(ctx context.Context, f *file, size int64) (session.Info, error) {
	head, err := readAt(f, 0, l.first)
	if err != nil {
		return session.Info{}, err
	}
	start, err := l.info.Ends(head, nil)
	if err != nil {
		// No header within the window. A file that is no session at all ends
		// this at its first line; one with a header of that size does not
		// deserve to be overlooked.
		return l.info.Read(disk.Reader{Ctx: ctx, R: f})
	}
	for window := l.first * 4; start.FirstMessage == "" && window <= l.last; window *= 4 { // not that of the tail
		if window >= size {
			return l.info.Read(disk.Reader{Ctx: ctx, R: f})
		}
		if err := ctx.Err(); err != nil {
			return session.Info{}, err
		}
		if head, err = readAt(f, 0, window); err != nil {
			return session.Info{}, err
		}
		if start, err = l.info.Ends(head, nil); err != nil {
			return session.Info{}, err
		}
	}
	info := start
	for window := l.first; window <= l.last; window *= 4 {
		if size-window < int64(len(head)) {
			return l.info.Read(disk.Reader{Ctx: ctx, R: f})
		}
		if err := ctx.Err(); err != nil {
			return session.Info{}, err
		}
		tail, err := readAt(f, size-window, window)
		if err != nil {
			return session.Info{}, err
		}
		if info, err = l.info.Ends(head, tail); err != nil {
			return session.Info{}, err
		}
		if !info.Modified.Equal(start.Modified) {
			break
		}
	}
	return info, nil
}

// readAt reads n bytes at off, or fewer if the file has shrunk.
func readAt(f *file, off, n int64) ([]byte, error) {
	p := make([]byte, n)
	got, err := f.ReadAt(p, off)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return p[:got], err
}

// detach copies the texts of a row that may be slices of their lines, as reading
// does with the messages: all of them into one piece of memory.
func detach(i session.Info) session.Info {
	all := strings.Join([]string{i.ID, i.CWD, i.Name, i.ParentSession}, "") // "+" does not copy the only one that is not empty
	for _, s := range []*string{&i.ID, &i.CWD, &i.Name, &i.ParentSession} {
		*s, all = all[:len(*s)], all[len(*s):]
	}
	return i
}

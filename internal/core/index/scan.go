package index

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
)

// blockSize is the unit of reading in bytes: it stays in the second cache. Of a
// small file less is read at a time, as memory that is new is dear.
const (
	blockSize  = 512 << 10
	smallBlock = 64 << 10
)

// A line is what the scanner shows of one line of the file.
type line struct {
	start  int64
	head   []byte // the line without its line feed, or as much of it as has the head; borrowed
	closed bool   // it ends as an object does
	torn   bool   // the file ended before the line feed
}

// A scanner goes through the lines of the first size bytes of r.
type scanner struct {
	r    io.ReaderAt
	size int64
	at   int64  // offset of buf[0]
	buf  []byte // what was read
	from int    // where the next line begins in buf
}

// next returns the next line, or io.EOF.
func (s *scanner) next() (line, error) {
	rest := s.buf[s.from:]
	n := bytes.IndexByte(rest, '\n')
	if n < 0 {
		return s.across()
	}
	l := line{start: s.at + int64(s.from), head: rest[:n:n], closed: closes(rest[:n])}
	s.from += n + 1
	return l, nil
}

// across returns the next line when it is not whole in the buffer.
func (s *scanner) across() (line, error) {
	searched := len(s.buf) - s.from
	for {
		if err := s.fill(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return line{}, err
		}
		n := bytes.IndexByte(s.buf[searched:], '\n')
		if n >= 0 {
			n += searched
			l := line{start: s.at, head: s.buf[:n:n], closed: closes(s.buf[:n])}
			s.from = n + 1
			return l, nil
		}
		if _, usual := usualHead(s.buf); usual {
			return s.skip()
		}
		searched = len(s.buf)
	}
	if len(s.buf) == 0 {
		return line{}, io.EOF
	}
	l := line{start: s.at, head: s.buf, closed: closes(s.buf), torn: true}
	s.from = len(s.buf)
	return l, nil
}

// skip returns the line that begins the buffer, whose head is at hand, and reads to its end without
// keeping the bytes.
func (s *scanner) skip() (line, error) {
	l := line{start: s.at, head: bytes.Clone(s.buf[:min(len(s.buf), blockSize)])}
	last := s.buf[max(0, len(s.buf)-16):]
	tail := bytes.Clone(last)
	for {
		s.from = len(s.buf)
		if err := s.fill(); errors.Is(err, io.EOF) {
			// The torn last line of the file is read whole.
			whole := make([]byte, s.size-l.start)
			if _, err := s.r.ReadAt(whole, l.start); err != nil {
				return line{}, err
			}
			return line{start: l.start, head: whole, closed: closes(whole), torn: true}, nil
		} else if err != nil {
			return line{}, err
		}
		n := bytes.IndexByte(s.buf, '\n')
		if n >= 0 {
			tail = append(tail, s.buf[max(0, n-16):n]...)
			l.closed, s.from = closes(tail), n+1
			return l, nil
		}
		tail = append(tail[:0], s.buf[max(0, len(s.buf)-16):]...)
	}
}

// fill drops what has been shown and reads a block more. The error is io.EOF at
// the end.
func (s *scanner) fill() error {
	kept := copy(s.buf, s.buf[s.from:])
	s.at, s.from = s.at+int64(s.from), 0
	block := max(smallBlock, min(blockSize, s.size/16))
	n := int(min(block, s.size-s.at-int64(kept)))
	if cap(s.buf) < kept+n {
		grown := make([]byte, kept, max(2*int(block), 2*(kept+n)))
		copy(grown, s.buf[:kept])
		s.buf = grown
	}
	s.buf = s.buf[:kept+n]
	if n == 0 {
		return io.EOF
	}
	got, err := s.r.ReadAt(s.buf[kept:], s.at+int64(kept))
	if got == n {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // it was truncated meanwhile
	}
	return err
}

// closes reports whether a line ends as an object does.
func closes(b []byte) bool {
	for i := len(b) - 1; i >= 0; i-- {
		switch b[i] {
		case ' ', '\t', '\r':
		default:
			return b[i] == '}'
		}
	}
	return false
}

// A head has the members of a line's object that make the tree: its type, its id and its parent.
// Each is the value of a string literal, nil if the member is absent or no string.
type head struct{ typ, id, parent []byte }

// usualHead recognizes how every program writes most of its lines:
// {"type":"…","id":"…","parentId":"…" or null, without a backslash in them.
func usualHead(b []byte) (h head, ok bool) {
	rest, ok := after(b, `{"type":"`)
	if !ok {
		return h, false
	}
	if h.typ, rest, ok = plain(rest); !ok {
		return h, false
	}
	if rest, ok = after(rest, `,"id":"`); !ok {
		return h, false
	}
	if h.id, rest, ok = plain(rest); !ok {
		return h, false
	}
	if rest, ok = after(rest, `,"parentId":`); !ok {
		return h, false
	}
	if rest, ok = after(rest, `"`); ok {
		h.parent, _, ok = plain(rest)
		return h, ok
	}
	_, ok = after(rest, `null,`)
	return h, ok
}

// after returns what follows prefix.
func after(b []byte, prefix string) ([]byte, bool) {
	if len(b) < len(prefix) || string(b[:len(prefix)]) != prefix {
		return b, false
	}
	return b[len(prefix):], true
}

// plain returns the rest of a literal, up to its quote and without it, and what
// follows. A backslash is more than it can take.
func plain(b []byte) (value, rest []byte, ok bool) {
	for i, c := range b {
		switch c {
		case '"':
			return b[:i:i], b[i+1:], true
		case '\\':
			return nil, b, false
		}
	}
	return nil, b, false
}

// anyHead reads members in whatever order they stand, over values of any size,
// until it has all three or the object ends.
func anyHead(b []byte) (h head, ok bool) {
	text := unsafe.String(unsafe.SliceData(b), len(b)) // not kept: b is borrowed
	if text = strings.TrimLeft(text, " \t\r"); text == "" || text[0] != '{' {
		return h, false
	}
	var typ, id, parent bool
	for key, value := range js.Members(text) {
		if strings.IndexByte(key, '\\') >= 0 {
			key = js.Quote(js.Unquote(key)) // "\u0069d" spells id as well
		}
		switch key {
		case `"type"`:
			h.typ, typ = decoded(value), true
		case `"id"`:
			h.id, id = decoded(value), true
		case `"parentId"`:
			h.parent, parent = decoded(value), true
		}
		if typ && id && parent {
			break
		}
	}
	return h, true
}

// decoded is the value of a string literal, nil for any other value.
func decoded(raw string) []byte {
	if raw[0] != '"' {
		return nil
	}
	return []byte(js.Unquote(raw))
}

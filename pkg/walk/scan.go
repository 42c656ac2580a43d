package walk

import (
	"bytes"
	"errors"
	"io"
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

// skip returns the line that begins the buffer, whose head is at hand, and
// reads to its end without keeping what it reads.
func (s *scanner) skip() (line, error) {
	l := line{start: s.at, head: bytes.Clone(s.buf[:min(len(s.buf), blockSize)])}
	last := s.buf[max(0, len(s.buf)-16):]
	tail := bytes.Clone(last)
	for {
		s.from = len(s.buf)
		if err := s.fill(); errors.Is(err, io.EOF) {
			return s.reread(l.start)
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

// reread returns the torn last line of the file, whole.
func (s *scanner) reread(start int64) (line, error) {
	whole := make([]byte, s.size-start)
	if _, err := s.r.ReadAt(whole, start); err != nil {
		return line{}, err
	}
	return line{start: start, head: whole, closed: closes(whole), torn: true}, nil
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

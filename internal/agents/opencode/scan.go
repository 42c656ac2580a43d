package opencode

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
)

// maxPiece is how many bytes a message may have, or whatever else has to be in
// memory whole.
const maxPiece = 256 << 20

// maxDepth is how deep a message may nest: the entry that holds it nests deeper.
const maxDepth = js.MaxDepth - 16

// A scanner reads a JSON text piece by piece. It checks the text between the pieces; they
// themselves are checked when they are whole.
type scanner struct {
	name   string
	r      *bufio.Reader
	at     int64  // of the next byte
	piece  []byte // the last value that was read
	status bool   // a status line of opencode was in front
}

// bad returns the error of a text that is not valid at this place.
func (s *scanner) bad(format string, args ...any) error {
	return formats.Damaged("%s: at byte %d: %s", s.name, s.at, fmt.Sprintf(format, args...))
}

// read returns the next byte; the error is [io.EOF] at the end.
func (s *scanner) read() (byte, error) {
	c, err := s.r.ReadByte()
	switch {
	case err == nil:
		s.at++
	case !errors.Is(err, io.EOF):
		err = fmt.Errorf("reading %s: %w", s.name, err)
	}
	return c, err
}

// skip returns the next byte that is not white space; the error is [io.EOF] at the end.
func (s *scanner) skip() (byte, error) {
	for {
		switch c, err := s.read(); {
		case err != nil:
			return 0, err
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			return c, nil
		}
	}
}

// early returns an error of reading: for the end of the file that the JSON ends too early.
func (s *scanner) early(err error) error {
	if errors.Is(err, io.EOF) {
		return s.bad("the JSON ends too early")
	}
	return err
}

// next is skip where something has to follow.
func (s *scanner) next() (byte, error) {
	c, err := s.skip()
	return c, s.early(err)
}

// back gives back the byte that was just read.
func (s *scanner) back() {
	_ = s.r.UnreadByte() // there was one
	s.at--
}

// expect reads the byte c.
func (s *scanner) expect(c byte) error {
	got, err := s.next()
	if err == nil && got != c {
		err = s.bad("%q where %q has to be", got, c)
	}
	return err
}

// more reads the text in front of the next member or element, and reports whether there is one
// before the bracket that ends the list.
func (s *scanner) more(first bool, end byte) (bool, error) {
	c, err := s.next()
	switch {
	case err != nil:
		return false, err
	case c == end:
		return false, nil
	case first:
		s.back()
		return true, nil
	case c != ',':
		return false, s.bad("%q where a comma has to be", c)
	}
	return true, nil
}

// members calls member with each name of the object that follows; it has to read the
// value.
func (s *scanner) members(member func(name string) error) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := s.more(first, '}')
		if err != nil || !more {
			return err
		}
		if _, err := s.value(); err != nil {
			return err
		}
		name := string(s.piece)
		if name[0] != '"' {
			return s.bad("a name has to be a string")
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		if err := member(js.Unquote(name)); err != nil {
			return err
		}
	}
}

// elements calls element in front of each element of the array that follows; it has to
// read it.
func (s *scanner) elements(element func() error) error {
	if err := s.expect('['); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := s.more(first, ']')
		if err != nil || !more {
			return err
		}
		if err := element(); err != nil {
			return err
		}
	}
}

// A span is where a piece is.
type span struct{ at, size int64 }

// value reads a value into piece, and says where it was.
func (s *scanner) value() (span, error) {
	c, err := s.next()
	if err != nil {
		return span{}, err
	}
	begin := s.at - 1
	s.piece = append(s.piece[:0], c)
	switch c {
	case '"':
		err = s.text()
	case '{', '[':
		err = s.nested()
	case '}', ']', ',', ':':
		return span{}, s.bad("%q where a value has to be", c)
	default:
		err = s.word()
	}
	if err != nil {
		return span{}, err
	}
	if !js.Valid(s.piece) || js.Depth(s.piece) > maxDepth {
		return span{}, s.bad("not JSON, or nested deeper than %d, from byte %d on", maxDepth, begin)
	}
	return span{begin, s.at - begin}, nil
}

// end sees that nothing follows.
func (s *scanner) end() error {
	c, err := s.skip()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return s.bad("%q behind the end of the export", c)
}

// take adds the next byte to the piece.
func (s *scanner) take() (byte, error) {
	c, err := s.read()
	switch {
	case err != nil:
		return 0, s.early(err)
	case len(s.piece) >= maxPiece:
		s.at--
		return 0, s.bad("a message has more than %d bytes", maxPiece)
	}
	s.piece = append(s.piece, c)
	return c, nil
}

// text reads the rest of a string.
func (s *scanner) text() error {
	for {
		// The bytes in the buffer, up to the end of the string or an escape in it.
		buffered, _ := s.r.Peek(min(s.r.Buffered(), maxPiece-len(s.piece)))
		n := bytes.IndexByte(buffered, '"')
		if n < 0 {
			n = len(buffered)
		}
		if i := bytes.IndexByte(buffered[:n], '\\'); i >= 0 {
			n = i
		}
		s.piece = append(s.piece, buffered[:n]...)
		n, _ = s.r.Discard(n)
		s.at += int64(n)
		c, err := s.take()
		switch {
		case err != nil:
			return err
		case c == '"':
			return nil
		case c == '\\':
			if _, err := s.take(); err != nil {
				return err
			}
		}
	}
}

// nested reads the rest of an object or array.
func (s *scanner) nested() error {
	for depth := 1; depth > 0; {
		c, err := s.take()
		if err != nil {
			return err
		}
		switch c {
		case '"':
			err = s.text()
		case '{', '[':
			if depth++; depth > maxDepth {
				err = s.bad("nested deeper than %d", maxDepth)
			}
		case '}', ']':
			depth--
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// word reads the rest of a number or a literal.
func (s *scanner) word() error {
	for {
		c, err := s.read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case strings.IndexByte(" \t\r\n,:}]", c) >= 0:
			s.back()
			return nil
		}
		if s.piece = append(s.piece, c); len(s.piece) > 1<<10 {
			return s.bad("no number is that long")
		}
	}
}

package opencode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// take adds the next byte to the piece.
func (s *scanner) take() (byte, error) {
	c, err := s.r.ReadByte()
	switch {
	case err == nil && len(s.piece) < maxPiece:
	case err == nil:
		return 0, s.bad("a message has more than %d bytes", maxPiece)
	case errors.Is(err, io.EOF):
		return 0, s.bad("the JSON ends too early")
	default:
		return 0, fmt.Errorf("reading %s: %w", s.name, err)
	}
	s.at++
	s.piece = append(s.piece, c)
	return c, nil
}

// text reads the rest of a string.
func (s *scanner) text() error {
	for {
		s.run()
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

// run takes what is in the buffer up to what ends a string or is escaped in it.
func (s *scanner) run() {
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
		c, err := s.r.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", s.name, err)
		}
		switch c {
		case ' ', '\t', '\r', '\n', ',', ':', '}', ']':
			return s.r.UnreadByte()
		}
		s.at++
		if s.piece = append(s.piece, c); len(s.piece) > 1<<10 {
			return s.bad("no number is that long")
		}
	}
}

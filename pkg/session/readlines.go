package session

import (
	"io"

	"github.com/sess-tools/sess/pkg/jsonl"
)

// ReadLines is Read for a caller who wants to write the session again: it
// returns all lines of the input too, those that were skipped included, without
// their line feeds. The session's entries share their memory.
func ReadLines(r io.Reader) (s *Session, lines []string, err error) {
	s, err = read(r, func(rd *reader, l jsonl.Line) error {
		text := l.Text()
		lines = append(lines, text)
		return rd.line(l, func() string { return text })
	})
	return s, lines, err
}

package session

import "io"

// ReadLines is Read for a caller who wants to write the session again: it
// returns all lines of the input too, those that were skipped included, without
// their line feeds. The session's entries share their memory.
func ReadLines(r io.Reader) (s *Session, lines []string, err error) {
	rd := reader{lines: func(text string) { lines = append(lines, text) }}
	s, err = rd.read(r)
	return s, lines, err
}

package session

import (
	"bytes"
	"hash/maphash"
	"io"
)

// Tidy reads a session for a caller who expects nothing to be wrong with it, and
// keeps none of it: visit gets the entries one by one, sketches as [Skim] makes
// them.
//
// It stops and returns false at the first line that Read would say something about, that is blank,
// ends in a carriage return, or lacks its line feed, and where visit returns
// false; likewise for a session of an old version. What only shows between entries, such as an id that
// stands twice, is for visit to find. An error is that of r.
func Tidy(r io.Reader, visit func(Entry) bool) (bool, error) {
	rd := reader{
		s: &Session{}, visit: visit,
		sketch: func() parser { return newSketcher(maphash.Seed{}).parse },
	}
	err := rd.blocks(r)
	if _, ok := IsProblem(err); ok {
		return false, nil
	}
	return err == nil && rd.opened && !rd.stopped && rd.s.Header.Version == Version && len(rd.s.Problems) == 0, err
}

// tidy reports whether nothing can be said of a line by itself. Only of an entry
// it is known that it is UTF-8.
func (k look) tidy() bool {
	return k.utf8 && !k.line.Torn && !bytes.HasSuffix(k.line.Data, []byte("\r"))
}

package storev2

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// An Entry is one entry of a store.
type Entry struct {
	Seq      int64 // 1 for the first
	ID       string
	ParentID string // empty for a root
	Type     string
	// Line is the entry's line as it stood in the session, byte for byte and
	// without the line feed.
	Line string
}

// Entries iterates over the entries in their order, those that were indexed when
// the iteration began. Each is checked against checksum and hash. An error ends
// the iteration.
func (s *Store) Entries() iter.Seq2[Entry, error] {
	return s.iterate(func(v *snapshot, yield func(Entry, error) bool) {
		for _, r := range v.consecutive(v.rows(0), 1) {
			e, err := Entry{}, s.named(r.err)
			if err == nil {
				e, err = v.entry(&r.row)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	})
}

// iterate returns an iterator over entries of the store as it is when that begins.
func (s *Store) iterate(do func(v *snapshot, yield func(Entry, error) bool)) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		v, err := s.reading()
		if err != nil {
			yield(Entry{}, s.named(err))
			return
		}
		defer v.close()
		do(v, yield)
	}
}

// Tail returns the last n entries in their order. The number of bytes that it reads does not depend
// on the size of the store.
func (s *Store) Tail(n int) ([]Entry, error) {
	v, err := s.reading()
	if err != nil {
		return nil, s.named(err)
	}
	defer v.close()
	var out []Entry
	for _, r := range v.consecutive(v.backward(), -1) {
		if len(out) >= n {
			break
		}
		if r.err != nil {
			return nil, s.named(r.err)
		}
		e, err := v.entry(&r.row)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	slices.Reverse(out)
	return out, nil
}

// Get returns the entry called id. It reads the index from its end to the
// entry's row, and of the segments nothing but the entry. The error of an unknown
// id is [ErrNotFound].
func (s *Store) Get(id string) (Entry, error) {
	v, err := s.reading()
	if err != nil {
		return Entry{}, s.named(err)
	}
	defer v.close()
	r, found, err := v.search(id)
	if err == nil && !found {
		err = fmt.Errorf("entry %q: %w", id, ErrNotFound)
	}
	if err != nil {
		return Entry{}, s.named(err)
	}
	return v.entry(&r)
}

// WriteTo writes the session as JSON Lines: the lines before the first entry and
// each entry's line, byte for byte as they were migrated or appended. For the
// store of another program the header comes from the JSONL file beside it, or is
// made up from the manifest if there is none.
func (s *Store) WriteTo(w io.Writer) (int64, error) {
	preface, err := s.preface()
	if err != nil {
		return 0, s.named(err)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	n := int64(0)
	put := func(line string) error {
		k, err := out.WriteString(line)
		n += int64(k)
		return err
	}
	err = put(preface)
	for e, eerr := range s.Entries() {
		if err == nil {
			err = eerr
		}
		if err == nil {
			err = put(e.Line + "\n")
		}
		if err != nil {
			break
		}
	}
	return n, errors.Join(err, out.Flush())
}

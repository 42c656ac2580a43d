package seg

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
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
	return func(yield func(Entry, error) bool) {
		v, err := s.view()
		if err != nil {
			yield(Entry{}, s.named(err))
			return
		}
		defer v.close()
		for _, r := range v.rows(0) {
			e, err := Entry{}, s.named(r.err)
			if err == nil {
				e, err = v.entry(&r.row)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Tail returns the last n entries in their order. What it reads does not depend
// on the size of the store.
func (s *Store) Tail(n int) ([]Entry, error) {
	v, err := s.view()
	if err != nil {
		return nil, s.named(err)
	}
	defer v.close()
	var out []Entry
	for _, r := range v.backward() {
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
	v, err := s.view()
	if err != nil {
		return Entry{}, s.named(err)
	}
	defer v.close()
	r, err := v.find(id)
	if err != nil {
		return Entry{}, s.named(err)
	}
	return v.entry(&r)
}

// find returns the row of id.
func (v *view) find(id string) (row, error) {
	if v.f != nil {
		want := []byte(js.Quote(id))
		for l, err := range jsonl.Backward(v.f, v.size) {
			if err == nil && !bytes.Contains(l.Data, want) {
				continue // most rows need no parsing
			}
			r := toRow(l, err)
			if r.err != nil || r.id == id {
				return r.row, r.err
			}
		}
	}
	return row{}, fmt.Errorf("entry %q: %w", id, ErrNotFound)
}

// Path iterates from the entry called leaf, or from the last one if leaf is
// empty, over its ancestors to a root. It reads the index as far back as the path
// goes, and of the segments only the path. An error, [ErrNotFound] for an unknown
// leaf among them, ends the iteration.
func (s *Store) Path(leaf string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		v, err := s.view()
		if err != nil {
			yield(Entry{}, s.named(err))
			return
		}
		defer v.close()
		v.walk(leaf, yield)
	}
}

func (v *view) walk(want string, yield func(Entry, error) bool) {
	anyLeaf := want == ""
	seen := map[string]bool{}
	for {
		found := false
		for _, r := range v.backward() {
			if r.err != nil {
				yield(Entry{}, v.s.named(r.err))
				return
			}
			if r.id != want && !anyLeaf {
				continue
			}
			e, err := v.entry(&r.row)
			if seen[r.id] && err == nil {
				err = v.s.named(fmt.Errorf("%w: entry %q is its own ancestor", ErrCorrupt, r.id))
			}
			if !yield(e, err) || err != nil || e.ParentID == "" {
				return
			}
			found, anyLeaf, seen[e.ID], want = true, false, true, e.ParentID
		}
		if anyLeaf {
			return // no entry at all
		}
		if !found { // a parent that stands after its child is found in the next round
			yield(Entry{}, v.s.named(fmt.Errorf("entry %q: %w", want, ErrNotFound)))
			return
		}
	}
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

package seg

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
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

// A view is the index as it was when reading began: it grows, but what it holds
// does not change.
type view struct {
	s    *Store
	f    file
	size int64 // up to the last line feed
	torn int64 // bytes behind it
	segs map[int64]file
}

func (s *Store) view() (*view, error) {
	v := &view{s: s, segs: map[int64]file{}}
	f, err := s.d.open(joined(s.dir, indexFile), os.O_RDONLY)
	if missing(err) {
		if _, merr := s.d.lstat(joined(s.dir, manifestFile)); merr == nil {
			return v, nil
		}
	}
	if err != nil {
		return nil, about("opening the index", err)
	}
	v.f = f
	fi, err := f.Stat()
	if err != nil {
		return nil, closing(f, about("reading the index", err))
	}
	v.size = fi.Size()
	for l, err := range jsonl.Backward(f, v.size) {
		if err != nil {
			return nil, closing(f, about("reading the index", err))
		}
		if l.Torn {
			v.torn, v.size = v.size-l.Offset, l.Offset
		}
		break
	}
	return v, nil
}

func (v *view) close() {
	if v.f != nil {
		v.f.Close()
	}
	for _, f := range v.segs {
		f.Close()
	}
}

// rows iterates over the rows from the byte offset from, with their offsets.
func (v *view) rows(from int64) iter.Seq2[int64, rowOr] {
	return func(yield func(int64, rowOr) bool) {
		if v.f == nil {
			return
		}
		for l, err := range jsonl.Lines(io.NewSectionReader(v.f, from, v.size-from)) {
			if !yield(from+l.Offset, toRow(l, err)) || err != nil {
				return
			}
		}
	}
}

// backward iterates over the rows from the last to the first.
func (v *view) backward() iter.Seq2[int64, rowOr] {
	return func(yield func(int64, rowOr) bool) {
		if v.f == nil {
			return
		}
		for l, err := range jsonl.Backward(v.f, v.size) {
			if !yield(l.Offset, toRow(l, err)) || err != nil {
				return
			}
		}
	}
}

// A rowOr is a row or the reason why it cannot be read.
type rowOr struct {
	row
	err error
}

func toRow(l jsonl.Line, err error) rowOr {
	if err != nil {
		return rowOr{err: about("reading the index", err)}
	}
	r, err := parseRow(string(l.Data))
	if err != nil {
		err = fmt.Errorf("index row at byte %d: %w: %w", l.Offset, ErrCorrupt, err)
	}
	return rowOr{r, err}
}

// bytesOf returns the frame that r points at, with its line feed.
func (v *view) bytesOf(r *row) ([]byte, error) {
	f := v.segs[r.segment]
	if f == nil {
		var err error
		if f, err = v.s.openSegment(r.segment, os.O_RDONLY); err != nil {
			if missing(err) {
				err = fmt.Errorf("%w: it is missing", ErrCorrupt)
			}
			return nil, about(fmt.Sprintf("segment %d", r.segment), err)
		}
		if len(v.segs) > 16 {
			for n, old := range v.segs {
				old.Close()
				delete(v.segs, n)
			}
		}
		v.segs[r.segment] = f
	}
	if r.length < 1 || r.length > maxFrame {
		return nil, fmt.Errorf("%w: entry %d is said to have %d bytes", ErrCorrupt, r.seq, r.length)
	}
	b := make([]byte, r.length)
	if n, err := f.ReadAt(b, r.offset); n < len(b) {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: segment %d ends before entry %d does", ErrCorrupt, r.segment, r.seq)
		}
		return nil, cause(err)
	}
	return b, nil
}

// frameOf returns the frame that r points at, checked against r.
func (v *view) frameOf(r *row) (frame, error) {
	b, err := v.bytesOf(r)
	if err != nil {
		return frame{}, err
	}
	if checksum(b) != r.crc {
		return frame{}, fmt.Errorf("%w: checksum mismatch at entry %d", ErrCorrupt, r.seq)
	}
	f, err := parseFrame(string(bytes.TrimSuffix(b, []byte("\n"))))
	if err != nil {
		return frame{}, fmt.Errorf("%w: frame of entry %d: %w", ErrCorrupt, r.seq, err)
	}
	if f.seq != r.seq || f.id != r.id || f.segment != r.segment || f.number != r.number {
		return frame{}, fmt.Errorf("%w: index/frame mismatch at entry %d", ErrCorrupt, r.seq)
	}
	return f, f.checkPayload()
}

// checkPayload compares the payload with its hash and length.
func (f *frame) checkPayload() error {
	if int64(len(f.payload)) != f.size || hexSum(f.payload) != f.sha {
		return fmt.Errorf("%w: payload integrity mismatch at entry %d", ErrCorrupt, f.seq)
	}
	return nil
}

func (v *view) entry(r *row) (Entry, error) {
	f, err := v.frameOf(r)
	if err != nil {
		return Entry{}, v.s.named(err)
	}
	return Entry{f.seq, f.id, f.parent, f.typ, f.line}, nil
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

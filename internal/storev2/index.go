package storev2

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A snapshot is the index as it was when reading began: the index grows, but its rows do not
// change.
type snapshot struct {
	s    *Store
	f    disk.File
	size int64 // up to the last line feed
	torn int64 // bytes behind it
	segs map[int64]disk.File

	// What was read ahead of a segment, where frame follows frame.
	ahead        []byte
	aheadSegment int64
	aheadOffset  int64 // of ahead[0]
	nextSegment  int64 // where the frame that was read last
	nextOffset   int64 // has its end
}

// readAhead is how many bytes are read at once where frame follows frame.
const readAhead = 256 << 10

func (s *Store) snapshot() (*snapshot, error) {
	v := &snapshot{s: s, segs: map[int64]disk.File{}}
	f, err := openFile(s.d, joined(s.dir, indexFile), os.O_RDONLY)
	if missing(err) {
		if _, merr := s.d.Lstat(joined(s.dir, manifestFile)); merr == nil {
			return v, nil
		}
	}
	if err != nil {
		return nil, about("opening the index", err)
	}
	v.f = f
	fi, err := f.Stat()
	if err != nil {
		return nil, disk.Closing(f, about("reading the index", err))
	}
	v.size = fi.Size()
	for l, err := range jsonl.Backward(f, v.size) {
		if err != nil {
			return nil, disk.Closing(f, about("reading the index", err))
		}
		if l.Torn {
			v.torn, v.size = v.size-l.Offset, l.Offset
		}
		break
	}
	return v, nil
}

// readTries bounds how often a reader begins again because the store was rolled back
// to a checkpoint under its eyes.
const readTries = 5

// reading returns a snapshot to print from: the index has all
// entries that the manifest counts. Writers append to the index before they replace
// the manifest, so the manifest is read first.
func (s *Store) reading() (*snapshot, error) {
	for try := 1; ; try++ {
		m, err := readManifest(s.d, s.dir)
		if err != nil {
			return nil, err
		}
		v, err := s.snapshot()
		if err != nil {
			return nil, err
		}
		last, err := v.last()
		if err == nil && last.seq < m.Head.Entry {
			err = s.indexTooShort(&m, last, v.size)
		}
		if err == nil {
			return v, nil
		}
		v.close()
		if try == readTries || !errors.Is(err, ErrCorrupt) {
			return nil, err
		}
	}
}

// indexTooShort says of an index that ends before the manifest does whether that is damage.
// It is not if an unfinished rollback gave it its size: the manifest follows. Nor is
// it in a cache of pi's without anything behind the last entry, since the first
// releases of pi rolled back without writing the manifest.
func (s *Store) indexTooShort(m *manifest, last row, size int64) error {
	if in, err := readIntent(s.d, s.dir); err == nil && in.IndexBytes == size {
		return nil
	}
	if ours, err := s.committed(); err != nil {
		return err
	} else if e, err := s.endAfter(last); !ours && last.seq > 0 && err == nil && e.clean() {
		return nil
	}
	return fmt.Errorf("%w: the index has %d of the %d entries that the manifest counts", ErrCorrupt, last.seq, m.Head.Entry)
}

func (v *snapshot) close() {
	if v.f != nil {
		v.f.Close()
	}
	for _, f := range v.segs {
		f.Close()
	}
}

// rows iterates over the rows from the byte offset from, with their offsets.
func (v *snapshot) rows(from int64) iter.Seq2[int64, rowOrErr] {
	return func(yield func(int64, rowOrErr) bool) {
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
func (v *snapshot) backward() iter.Seq2[int64, rowOrErr] {
	return func(yield func(int64, rowOrErr) bool) {
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

// consecutive is rows(0), or backward, for readers: a row that does not follow the one
// before it is damage.
func (v *snapshot) consecutive(rows iter.Seq2[int64, rowOrErr], step int64) iter.Seq2[int64, rowOrErr] {
	return func(yield func(int64, rowOrErr) bool) {
		before, begun := int64(0), step > 0
		for at, r := range rows {
			if r.err == nil && begun && r.seq != before+step {
				r.err = fmt.Errorf("index row at byte %d: %w: entry %d stands beside entry %d", at, ErrCorrupt, r.seq, before)
			}
			before, begun = r.seq, true
			if !yield(at, r) || r.err != nil {
				return
			}
		}
		if step < 0 && begun && before != 1 {
			yield(0, rowOrErr{err: fmt.Errorf("%w: the index begins with entry %d", ErrCorrupt, before)})
		}
	}
}

// A rowOrErr is a row or the reason why it cannot be read.
type rowOrErr struct {
	row
	err error
}

func toRow(l jsonl.Line, err error) rowOrErr {
	if err != nil {
		return rowOrErr{err: about("reading the index", err)}
	}
	r, err := parseRow(string(l.Data))
	if err != nil {
		err = fmt.Errorf("index row at byte %d: %w: %w", l.Offset, ErrCorrupt, err)
	}
	return rowOrErr{r, err}
}

// segment returns an open segment.
func (v *snapshot) segment(n int64) (disk.File, error) {
	if f := v.segs[n]; f != nil {
		return f, nil
	}
	f, err := v.s.openSegment(n, os.O_RDONLY)
	if err != nil {
		if missing(err) {
			err = missingFrom(v.s.d, v.s.dir)
		}
		return nil, disk.Cause(err)
	}
	if len(v.segs) > 16 {
		for n, old := range v.segs {
			old.Close()
			delete(v.segs, n)
		}
	}
	v.segs[n] = f
	return f, nil
}

// missingFrom says why a file of a store is not there: the store is damaged, or was
// rolled back and has another name now.
func missingFrom(d disk.FS, dir string) error {
	if _, err := d.Lstat(dir); missing(err) {
		return fmt.Errorf("%w: the store was rolled back meanwhile: %w", jsonl.ErrChanged, fs.ErrNotExist)
	}
	return fmt.Errorf("%w: it is missing", ErrCorrupt)
}

// bytesOf returns the frame that r points at, with its line feed. They are
// overwritten by the next call.
func (v *snapshot) bytesOf(r *row) ([]byte, error) {
	f, err := v.segment(r.segment)
	if err != nil {
		return nil, err
	}
	if r.length < 1 || r.length > maxFrame {
		return nil, fmt.Errorf("%w: entry %d is said to have %d bytes", ErrCorrupt, r.seq, r.length)
	}
	at := r.offset - v.aheadOffset
	if r.segment != v.aheadSegment || at < 0 || at > int64(len(v.ahead))-r.length {
		if err := v.fill(f, r); err != nil {
			return nil, err
		}
		at = 0
	}
	v.nextSegment, v.nextOffset = r.segment, r.end()
	return v.ahead[at : at+r.length : at+r.length], nil
}

// fill reads the frame that r points at, and more if the one before it was read
// last.
func (v *snapshot) fill(f disk.File, r *row) error {
	n := r.length
	if r.segment == v.nextSegment && r.offset == v.nextOffset {
		n = max(n, readAhead)
	}
	if int64(cap(v.ahead)) < n || int64(cap(v.ahead)) > 2*max(n, readAhead) {
		v.ahead = make([]byte, n)
	}
	v.ahead = v.ahead[:n]
	k, err := f.ReadAt(v.ahead, r.offset)
	v.ahead, v.aheadSegment, v.aheadOffset = v.ahead[:k], r.segment, r.offset
	if int64(k) >= r.length {
		return nil
	}
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: the segment ends before entry %d does", ErrCorrupt, r.seq)
	}
	return disk.Cause(err)
}

// frameOf returns the frame that r points at, checked against r.
func (v *snapshot) frameOf(r *row) (frame, error) {
	f, kind, err := v.checkedFrame(r)
	if kind != "" && !errors.Is(err, ErrCorrupt) {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err != nil {
		err = fmt.Errorf("segment %d, line %d: %w", r.segment, r.number, err)
	}
	return f, err
}

// checkedFrame returns the frame that r points at, or why it is not that, with the kind of
// the [Problem]. An error without a kind is no damage.
func (v *snapshot) checkedFrame(r *row) (f frame, kind string, err error) {
	b, err := v.bytesOf(r)
	if errors.Is(err, ErrCorrupt) {
		return f, "bounds", err
	}
	if err != nil {
		return f, "", err
	}
	if checksum(b) != r.crc {
		return f, "checksum", fmt.Errorf("checksum mismatch at entry %d", r.seq)
	}
	line, ended := bytes.CutSuffix(b, []byte("\n"))
	if !ended {
		return f, "unended", fmt.Errorf("frame of entry %d has no line feed", r.seq)
	}
	if f, err = parseFrame(string(line)); err != nil {
		return f, "malformed", fmt.Errorf("frame of entry %d: %w", r.seq, err)
	}
	if f.seq != r.seq || f.id != r.id || f.segment != r.segment || f.number != r.number {
		return f, "mismatch", fmt.Errorf("index/frame mismatch at entry %d", r.seq)
	}
	if err := f.checkPayload(); err != nil {
		return f, "payload", err
	}
	return f, "", nil
}

// checkPayload compares the payload with its hash and length.
func (f *frame) checkPayload() error {
	if int64(len(f.payload)) != f.size || hexSum(f.payload) != f.sha {
		return fmt.Errorf("%w: payload integrity mismatch at entry %d", ErrCorrupt, f.seq)
	}
	return nil
}

func (v *snapshot) entry(r *row) (Entry, error) {
	f, err := v.frameOf(r)
	if err != nil {
		return Entry{}, v.s.named(err)
	}
	return f.entry(), nil
}

func (f *frame) entry() Entry { return Entry{f.seq, f.id, f.parent, f.typ, f.line} }

// last returns the last row, zero if there is none.
func (v *snapshot) last() (row, error) {
	for _, r := range v.backward() {
		return r.row, r.err
	}
	return row{}, nil
}

// idsOf returns the ids of the entries of these rows.
func idsOf(rows iter.Seq2[int64, rowOrErr]) (map[string]bool, error) {
	ids := map[string]bool{}
	for _, r := range rows {
		if r.err != nil {
			return nil, r.err
		}
		ids[r.id] = true
	}
	return ids, nil
}

// findBlock is how many bytes of the index are searched at once.
const findBlock = 1 << 20

// search looks for the row of id. The index is searched as bytes, block by block from
// its end, and only a row that has the id somewhere is parsed.
func (v *snapshot) search(id string) (row, bool, error) {
	want := []byte(js.Quote(id))
	buf := make([]byte, 0, min(v.size, findBlock)+int64(len(want)))
	for end := v.size; end > 0; {
		start := max(0, end-findBlock)
		// The end overlaps with the block that was searched before.
		block := buf[:min(end+int64(len(want))-1, v.size)-start]
		if n, err := v.f.ReadAt(block, start); n < len(block) {
			return row{}, false, about("reading the index", errors.Join(err, io.ErrUnexpectedEOF))
		}
		r, found, err := v.findIn(block, start, want, id)
		if found || err != nil {
			return r, found, err
		}
		end = start
	}
	return row{}, false, nil
}

// findIn looks for the row of id in one block, at the byte offset start.
func (v *snapshot) findIn(block []byte, start int64, want []byte, id string) (row, bool, error) {
	for at := 0; ; {
		i := bytes.Index(block[at:], want)
		if i < 0 {
			return row{}, false, nil
		}
		at += i + 1
		r := v.rowAround(start + int64(at))
		if r.err != nil || r.id == id {
			return r.row, r.err == nil, r.err
		}
	}
}

// rowAround returns the row that holds the byte before the offset at.
func (v *snapshot) rowAround(at int64) rowOrErr {
	from := int64(0)
	for l, err := range jsonl.Backward(v.f, at) {
		if err != nil {
			return toRow(l, err)
		}
		from = l.Offset
		break
	}
	for _, r := range v.rows(from) {
		return r
	}
	return rowOrErr{err: about("reading the index", io.ErrUnexpectedEOF)}
}

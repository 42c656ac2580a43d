package seg

import (
	"context"
	"errors"
	"fmt"

	"github.com/sess-tools/sess/internal/disk"
)

// Append appends entries, each of them a line of a session without its line
// feed, all or none. What a reader sees of a batch that is being appended is a
// beginning of it. When Append returns nil the entries are durable (but see
// [Options.NoSync]) and the manifest counts them; otherwise the store is as it
// was, or its end will be mended by the next writer.
//
// The steps, and the states between them: DIRTY; the frames go to the end of the
// last segment, or of new ones where it is full, which seals it; they are synced,
// SEGMENT_SEALED; the rows go to the index and are synced; the manifest is
// replaced, INDEXED.
//
// The parent of an entry must be in the store or earlier in the batch. A lookup
// reads the index once for each Store, unless the parent is the last entry and
// [Options.FreshIDs] vouches for the id.
//
// Errors: [ErrContract] and [ErrDuplicate]; [jsonl.ErrLocked]; [ErrState];
// [ErrCorrupt]; the error of ctx; whatever the file system says.
func (s *Store) Append(ctx context.Context, lines ...[]byte) error {
	if len(lines) == 0 {
		return nil
	}
	return s.change(ctx, func(w *writer) error {
		b, err := w.plan(lines)
		if err != nil {
			return err
		}
		return w.commit(b)
	})
}

// A batch is what one append adds.
type batch struct {
	parts []part // one for each segment
	index []byte // rows
	m     manifest
	last  row
	// ordered is what becomes of the promise that parents stand before children.
	ordered bool
}

// A part is what goes to the end of one segment.
type part struct {
	segment, offset int64
	bytes           []byte
}

// plan makes the frames and rows of lines, and changes nothing.
func (w *writer) plan(lines [][]byte) (*batch, error) {
	b := &batch{m: w.m, last: w.last}
	k, err := w.kin()
	if err != nil {
		return nil, err
	}
	defer k.close()
	b.ordered = k.ordered
	for i, line := range lines {
		f, err := newFrame(line, w.s.o.Extended)
		if err == nil {
			err = k.admit(&f)
		}
		if err == nil {
			err = b.add(&f, &w.s.o, k)
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d of %d: %w", i+1, len(lines), err)
		}
	}
	return b, nil
}

// add numbers a frame and adds it to the batch.
func (b *batch) add(f *frame, o *Options, k *kin) error {
	f.at = o.now()
	line, r, err := place(f, b.last, o.maxSegment())
	if err != nil {
		return err
	}
	if n := len(b.parts); n == 0 || b.parts[n-1].segment != r.segment {
		b.parts = append(b.parts, part{segment: r.segment, offset: r.offset})
	}
	p := &b.parts[len(b.parts)-1]
	p.bytes = append(p.bytes, line...)
	b.index = r.encode(b.index)
	opens, err := k.born(f)
	if err != nil {
		return err
	}
	b.m.add(f, &r, opens)
	b.last = r
	return nil
}

// place numbers a frame that follows the entry of last and encodes it. A segment
// that it would make larger than most is full: the frame begins the next one.
func place(f *frame, last row, most int64) ([]byte, row, error) {
	f.segment, f.number, f.seq = max(last.segment, 1), last.number+1, last.seq+1
	offset := last.end()
	line := f.encode()
	if offset > 0 && offset+int64(len(line)) > most {
		f.segment, f.number, offset = f.segment+1, 1, 0
		line = f.encode()
	}
	if n := int64(len(line)); n > most || n > maxFrame {
		return nil, row{}, fmt.Errorf("%w: entry %q makes a frame of %d bytes, and a segment holds %d", ErrContract, f.id, n, most)
	}
	r := row{
		seq: f.seq, segment: f.segment, number: f.number, id: f.id, offset: offset, length: int64(len(line)),
		crc: checksum(line), extended: !isEntryID(f.id),
	}
	return line, r, nil
}

// commit writes a batch, or leaves the store as it was. The batch counts from the
// moment at which the manifest has its name.
func (w *writer) commit(b *batch) error {
	if w.st.ordered != b.ordered {
		w.st.ordered = b.ordered
	}
	if err := w.become(Dirty, "append"); err != nil {
		return err
	}
	err := w.writeParts(b.parts)
	if err == nil {
		err = w.become(SegmentSealed, "append")
	}
	if err == nil {
		err = w.writeIndex(b.index)
	}
	if err == nil {
		err = writeManifest(w.s.d, w.s.dir, &b.m, w.s.o.now())
	}
	if err != nil {
		return w.undo(b, err)
	}
	w.m, w.last, w.size = b.m, b.last, w.size+int64(len(b.index))
	// The entries are in the store by now, even if this cannot be noted: the next
	// writer finds nothing to mend and goes on from SEGMENT_SEALED.
	_ = w.become(Indexed, "append")
	w.coverIDs()
	return nil
}

// writeParts appends to the segments, each of them synced before the next one
// begins.
func (w *writer) writeParts(parts []part) error {
	for _, p := range parts {
		name := w.s.segmentPath(p.segment)
		fresh := p.offset == 0
		err := w.s.appendFile(name, p.bytes, fresh)
		if err == nil && fresh {
			err = w.s.d.SyncDir(joined(w.s.dir, "segments"))
		}
		if err != nil {
			return about("appending to "+base(name), err)
		}
	}
	return nil
}

func (w *writer) writeIndex(rows []byte) error {
	name := joined(w.s.dir, indexFile)
	fresh := false
	if _, err := w.s.d.Lstat(name); missing(err) {
		fresh = true
	}
	err := w.s.appendFile(name, rows, fresh)
	if err == nil && fresh {
		err = w.s.d.SyncDir(joined(w.s.dir, "index"))
	}
	if err != nil {
		return about("appending to the index", err)
	}
	return nil
}

// undo takes a batch back, the index first, since no row may lead nowhere, and
// returns why.
func (w *writer) undo(b *batch, why error) error {
	err := w.s.cut(joined(w.s.dir, indexFile), w.size, false)
	if missing(err) && w.size == 0 {
		err = nil
	}
	for i := len(b.parts) - 1; i >= 0 && err == nil; i-- {
		p := b.parts[i]
		if err = w.s.cut(w.s.segmentPath(p.segment), p.offset, true); missing(err) {
			err = nil // never made
		}
	}
	if err != nil {
		return errors.Join(why, fmt.Errorf("taking it back, which is left to the next writer: %w", disk.Cause(err)))
	}
	return why
}

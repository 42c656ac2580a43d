package storev2

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
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
// The parent of an entry must be in the store or earlier in the batch. The index is
// searched for ids and parents, unless the parent is the last entry and
// [Options.FreshIDs] vouches for the id.
//
// Errors: [ErrContract] and [ErrDuplicate]; [jsonl.ErrLocked]; [ErrState];
// [ErrCorrupt]; the error of ctx; whatever the file system says.
func (s *Store) Append(ctx context.Context, lines ...[]byte) error {
	if len(lines) == 0 {
		return nil
	}
	return s.change(ctx, func(w *writer) error { return w.append(lines) })
}

func (w *writer) append(lines [][]byte) error {
	b, err := w.plan(lines)
	if err != nil {
		return err
	}
	return w.commit(b)
}

// A batch is what one append adds.
type batch struct {
	parts []part // one for each segment
	index []byte // rows
	m     manifest
	last  row
	// ordered says that parents still stand before their children when the batch is added.
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
	k, err := w.lookup()
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
func (b *batch) add(f *frame, o *Options, k *lookup) error {
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
	opens, err := k.add(f)
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
	return line, rowOf(f, line, offset), nil
}

// commit writes a batch, or leaves the store as it was. The batch counts from the
// moment at which the manifest has its name.
func (w *writer) commit(b *batch) error {
	w.st.ordered = b.ordered
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
	return nil
}

// writeParts appends to the segments, each of them synced before the next one
// begins.
func (w *writer) writeParts(parts []part) error {
	for _, p := range parts {
		name := w.s.segmentPath(p.segment)
		if err := w.s.appendFile(name, p.bytes, p.offset == 0); err != nil {
			return about("appending to "+base(name), err)
		}
	}
	return nil
}

func (w *writer) writeIndex(rows []byte) error {
	name := joined(w.s.dir, indexFile)
	_, err := w.s.d.Lstat(name)
	return about("appending to the index", w.s.appendFile(name, rows, missing(err)))
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

// A lookup answers, for a batch, which ids the store has and how many children an
// entry has.
type lookup struct {
	w         *writer
	v         *snapshot
	head      string          // id of the last entry, of the store or of the batch
	offspring map[string]int  // children of this batch, by parent
	mine      map[string]bool // ids of this batch
	ordered   bool

	searched int             // ids that were searched for
	ids      map[string]bool // all of the store; nil while few are asked for
}

func (w *writer) lookup() (*lookup, error) {
	v, err := w.s.snapshot()
	if err != nil {
		return nil, err
	}
	k := &lookup{w: w, v: v, head: w.last.id, offspring: map[string]int{}, mine: map[string]bool{}, ordered: w.st.ordered || w.last.seq == 0}
	if !k.ordered { // a store of another program, seen for the first time
		if k.ordered, err = k.parentsFirst(); err != nil {
			v.close()
			return nil, err
		}
	}
	return k, nil
}

func (k *lookup) close() { k.v.close() }

// admit refuses an id that is taken and a parent that is not there.
func (k *lookup) admit(f *frame) error {
	taken := k.mine[f.id]
	if !taken && !k.w.s.o.FreshIDs {
		var err error
		if taken, err = k.known(f.id); err != nil {
			return err
		}
	}
	if taken {
		return fmt.Errorf("%w: %w: %q", ErrContract, ErrDuplicate, f.id)
	}
	if f.parent == "" || f.parent == k.head || k.mine[f.parent] {
		return nil
	}
	there, err := k.known(f.parent)
	if err == nil && !there {
		err = fmt.Errorf("%w: the parent %q of entry %q is not in the store", ErrContract, f.parent, f.id)
	}
	return err
}

// add notes a new entry. It reports whether its parent thereby has a second
// child.
func (k *lookup) add(f *frame) (bool, error) {
	k.mine[f.id] = true
	wasHead := f.parent == k.head
	k.head = f.id
	if f.parent == "" {
		return false, nil
	}
	n, counted := k.offspring[f.parent]
	// A parent of this batch has no other children; f.id itself is never a parent of f.
	if !counted && !k.mine[f.parent] && !(wasHead && k.ordered) {
		var err error
		if n, err = k.children(f.parent); err != nil {
			return false, err
		}
	}
	k.offspring[f.parent] = n + 1
	return n == 1, nil
}

// fewIDs is how many ids are searched for before all of the index is read instead.
const fewIDs = 16

// known reports whether the store has an entry called id.
func (k *lookup) known(id string) (bool, error) {
	if k.searched++; k.searched <= fewIDs {
		_, found, err := k.v.search(id)
		return found, err
	}
	var err error
	if k.ids == nil {
		k.ids, err = idsOf(k.v.rows(0))
	}
	return k.ids[id], err
}

// children counts the children of id in the store. In an ordered store they
// stand behind it.
func (k *lookup) children(id string) (int, error) {
	n := 0
	mark := []byte(`"parentEntryId"`)
	name := []byte(js.Quote(id))
	for _, r := range k.v.backward() {
		if r.err != nil {
			return 0, r.err
		}
		if r.id == id && k.ordered {
			break
		}
		b, err := k.v.bytesOf(&r.row)
		if err != nil {
			return 0, err
		}
		if !bytes.Contains(b, mark) || !bytes.Contains(b, name) {
			continue
		}
		f, err := parseFrame(string(bytes.TrimSuffix(b, []byte("\n"))))
		if err != nil {
			return 0, fmt.Errorf("%w: frame of entry %d: %w", ErrCorrupt, r.seq, err)
		}
		if f.parent == id {
			n++
		}
	}
	return n, nil
}

// parentsFirst reports whether every parent stands before its children.
func (k *lookup) parentsFirst() (bool, error) {
	seen := map[string]bool{"": true}
	for _, r := range k.v.rows(0) {
		if r.err != nil {
			return false, r.err
		}
		f, err := k.v.frameOf(&r.row)
		if err != nil {
			return false, err
		}
		if !seen[f.parent] {
			return false, nil
		}
		seen[f.id] = true
	}
	return true, nil
}

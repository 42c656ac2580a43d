package storev2

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// mend makes whole what a writer that died left at the end of the store: frames
// without rows get their rows, the rest of a frame is put aside, a manifest that
// is behind catches up. What was acknowledged is never dropped: if it is damaged
// the store becomes FAILED.
func (w *writer) mend() error {
	v, err := w.s.snapshot()
	if err != nil {
		return err
	}
	defer v.close()
	e, err := w.compareEnds(v)
	if errors.Is(err, ErrCorrupt) {
		return w.fail(err)
	}
	if err != nil {
		return err
	}
	behind := w.m.Head.Entry < w.last.seq
	if e.clean() && v.torn == 0 && !behind && w.st.broken == "" && w.st.to != Dirty && w.st.to != SegmentSealed {
		return nil
	}
	if err := w.seal(e, v.torn > 0, "mending"); err != nil {
		return err
	}
	if err := w.mendIndex(v, e); err != nil {
		return err
	}
	return w.become(Indexed, "mended")
}

// compareEnds compares index, segments and manifest at their ends.
func (w *writer) compareEnds(v *snapshot) (*tail, error) {
	w.size, w.last = v.size, row{}
	for _, r := range v.consecutive(v.backward(), -1) {
		if r.err != nil {
			return nil, r.err
		}
		if w.last.seq > 0 { // in their order, the last two
			break
		}
		w.last = r.row
	}
	if w.last.seq > 0 {
		if _, err := v.frameOf(&w.last); err != nil {
			return nil, err
		}
	}
	e, err := w.s.endAfter(w.last)
	if err != nil {
		return nil, err
	}
	final := w.last.seq + int64(len(e.rows))
	if w.m.Head.Entry > final {
		return nil, fmt.Errorf("%w: the manifest counts %d entries, and %d are there", ErrCorrupt, w.m.Head.Entry, final)
	}
	for _, r := range append([]row{w.last}, e.rows...) {
		if r.seq == w.m.Head.Entry && r.seq > 0 && !w.m.endsAt(&r) {
			return nil, fmt.Errorf("%w: the manifest has another entry %d", ErrCorrupt, r.seq)
		}
	}
	return e, nil
}

// endsAt reports whether r is the row of the last entry that the manifest knows.
func (m *manifest) endsAt(r *row) bool {
	return m.Head == head{r.segment, r.seq, r.id} && m.Integrity.LastCRC == r.crc
}

// seal mends the segments and takes the store to SEGMENT_SEALED.
func (w *writer) seal(e *tail, tornIndex bool, reason string) error {
	err := w.toDirty(reason)
	if err == nil {
		err = w.mendSegments(e, tornIndex)
	}
	if err == nil {
		err = w.toSealed(reason)
	}
	return err
}

// mendSegments puts broken bytes aside, ends a last line, and makes durable what
// stays.
func (w *writer) mendSegments(e *tail, tornIndex bool) error {
	if err := w.putAside(e); err != nil {
		return err
	}
	if e.unended != "" {
		if err := w.s.appendFile(e.unended, []byte("\n"), false); err != nil {
			return about("ending the last line of "+base(e.unended), err)
		}
	}
	for _, name := range e.empty {
		if err := w.s.cut(name, 0, true); err != nil {
			return about("removing "+base(name), err)
		}
	}
	synced := map[int64]bool{}
	for _, r := range append([]row{w.last}, e.rows...) {
		if r.segment > 0 && !synced[r.segment] {
			synced[r.segment] = true
			if err := w.s.syncFile(w.s.segmentPath(r.segment)); err != nil {
				return about(fmt.Sprintf("syncing segment %d", r.segment), err)
			}
		}
	}
	if tornIndex { // the rows of its last line can be made from the frames
		if err := w.s.cut(joined(w.s.dir, indexFile), w.size, false); err != nil {
			return about("cutting the index", err)
		}
	}
	return nil
}

// putAside saves the broken bytes at the end of a segment in tmp, a fragment a
// line, and cuts them off.
func (w *writer) putAside(e *tail) error {
	if e.torn == "" {
		return nil
	}
	name := joined(w.s.dir, "tmp", base(e.torn)+".torn")
	f, err := openFile(w.s.d, name, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err == nil {
		if err = disk.Write(f, append(e.bytes, '\n')); err == nil {
			err = f.Sync()
		}
		err = disk.Closing(f, err)
	}
	if err != nil {
		return about("saving broken bytes in "+base(name), err)
	}
	return about("cutting "+base(e.torn), w.s.cut(e.torn, e.at, true))
}

// mendIndex adds the missing rows, tells the ledger, and brings the manifest up
// to date.
func (w *writer) mendIndex(v *snapshot, e *tail) error {
	m, ordered, err := w.caughtUp(v, e)
	if err != nil {
		return err
	}
	if len(e.rows) > 0 {
		var rows []byte
		for i := range e.rows {
			rows = e.rows[i].encode(rows)
		}
		if err := w.writeIndex(rows); err != nil {
			return err
		}
		w.last, w.size = e.rows[len(e.rows)-1], w.size+int64(len(rows))
		ev := w.newEvent("integrity_check", indexFile, indexFile)
		ev.Outcome, ev.ErrorClass = "recoverable_error", "index_corruption"
		if err := addEvent(w.s.d, w.s.dir, &ev); err != nil {
			return err
		}
	} else if err := w.s.syncFile(joined(w.s.dir, indexFile)); err != nil {
		return about("syncing the index", err)
	}
	w.st.ordered = ordered
	if m == w.m {
		return nil
	}
	w.m = m
	return writeManifest(w.s.d, w.s.dir, &w.m, w.s.o.now())
}

// A tail is what follows the indexed part of a store.
type tail struct {
	frames  []frame // complete, and next in number
	rows    []row
	unended string // a segment whose last frame lacks only its line feed
	torn    string // a segment that ends in something else,
	at      int64  // from this byte on
	bytes   []byte // namely this
	empty   []string
}

func (e *tail) clean() bool {
	return len(e.rows) == 0 && e.torn == "" && e.unended == "" && len(e.empty) == 0
}

// endAfter reads the rest of the segments behind the entry of last.
func (s *Store) endAfter(last row) (*tail, error) {
	e := &tail{}
	from := row{segment: max(last.segment, 1), number: last.number, seq: last.seq, offset: last.end()}
	for {
		f, err := s.openSegment(from.segment, os.O_RDONLY)
		if missing(err) {
			return e, nil
		}
		if err != nil {
			return nil, about(fmt.Sprintf("segment %d", from.segment), err)
		}
		if e.torn != "" || e.unended != "" {
			f.Close()
			return nil, fmt.Errorf("%w: segment %d follows a broken one", ErrCorrupt, from.segment)
		}
		err = e.read(f, &from, s.segmentPath(from.segment), func(g *frame, r *row) error {
			e.frames, e.rows = append(e.frames, *g), append(e.rows, *r)
			return nil
		})
		f.Close()
		if err != nil {
			return nil, about(fmt.Sprintf("segment %d", from.segment), err)
		}
		from = row{segment: from.segment + 1, seq: from.seq}
	}
}

// read visits the frames of one segment from at.offset on, as far as they follow each other, and
// takes note of the bytes behind them.
func (e *tail) read(f disk.File, at *row, name string, visit func(*frame, *row) error) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if fi.Size() == 0 {
		e.empty = append(e.empty, name)
	}
	start := at.offset
	for l, err := range jsonl.Lines(io.NewSectionReader(f, start, fi.Size()-start)) {
		if err != nil {
			return err
		}
		g, gerr := nextFrame(string(l.Data), at)
		if errors.Is(gerr, errOrder) && !l.Torn {
			return gerr // a whole frame of another program: not for us to cut off
		}
		if gerr != nil {
			e.torn, e.at = name, start+l.Offset
			e.bytes = make([]byte, fi.Size()-e.at)
			_, err := f.ReadAt(e.bytes, e.at)
			return err
		}
		if l.Torn {
			e.unended = name
		}
		line := append(append(make([]byte, 0, len(l.Data)+1), l.Data...), '\n')
		r := rowOf(&g, line, start+l.Offset)
		if err := visit(&g, &r); err != nil {
			return err
		}
		at.number, at.seq = g.number, g.seq
	}
	return nil
}

var errOrder = errors.New("not the next frame")

// nextFrame parses the frame that follows the one of at in the same segment.
func nextFrame(line string, at *row) (frame, error) {
	f, err := parseFrame(line)
	if err == nil && (f.segment != at.segment || f.number != at.number+1 || f.seq != at.seq+1) {
		err = fmt.Errorf("%w: %w: frame %d of segment %d, entry %d, follows frame %d, entry %d",
			ErrCorrupt, errOrder, f.number, f.segment, f.seq, at.number, at.seq)
	}
	if err == nil {
		err = f.checkPayload()
	}
	if err == nil {
		err = f.agrees()
	}
	return f, err
}

// caughtUp returns the manifest of all rows of the index and of e.
func (w *writer) caughtUp(v *snapshot, e *tail) (manifest, bool, error) {
	k, err := w.lookup()
	if err != nil {
		return manifest{}, false, err
	}
	defer k.close()
	m := w.m
	if m.Head.Entry < w.last.seq {
		if m, err = w.recount(v); err != nil {
			return m, false, err
		}
	}
	for i := range e.frames {
		opens, err := k.add(&e.frames[i])
		if err != nil {
			return m, false, err
		}
		if e.rows[i].seq > w.m.Head.Entry { // the index may have lost what the manifest knew
			m.add(&e.frames[i], &e.rows[i], opens)
		}
	}
	return m, k.ordered, nil
}

// recount brings the manifest to the end of the index. As long as every entry is
// the child of the one before it, only the rows it lacks are read.
func (w *writer) recount(v *snapshot) (manifest, error) {
	m := w.m
	var lacking []row
	for _, r := range v.backward() {
		if r.err != nil {
			return m, r.err
		}
		if r.seq <= m.Head.Entry {
			if r.seq == m.Head.Entry && !m.endsAt(&r.row) {
				return m, w.fail(fmt.Errorf("%w: the manifest has another entry %d", ErrCorrupt, r.seq))
			}
			break
		}
		lacking = append(lacking, r.row)
	}
	for i := len(lacking) - 1; i >= 0; i-- {
		f, err := v.frameOf(&lacking[i])
		if err != nil {
			return m, err
		}
		if f.parent != m.Head.ID || !w.st.ordered {
			// The part of the store that the old manifest knew must have its hash chain.
			c := w.s.newScan(w.m.Head.Entry)
			c.v = v
			c.run(0)
			if err := c.verdict(); err != nil {
				return w.m, w.fail(err)
			}
			if c.marks[w.m.Head.Entry] != w.m.Integrity.Chain {
				return w.m, w.fail(fmt.Errorf("%w: hash chain mismatch at entry %d", ErrCorrupt, w.m.Head.Entry))
			}
			return c.merged(w.m), nil
		}
		m.add(&f, &lacking[i], false)
	}
	return m, nil
}

// merged returns what was read with the identity of m.
func (c *scan) merged(m manifest) manifest {
	n := c.m
	n.SessionID, n.SourceFormat, n.CreatedAt = m.SessionID, m.SourceFormat, m.CreatedAt
	if m.Schema == manifestExtended {
		n.Schema = m.Schema
	}
	return n
}

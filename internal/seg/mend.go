package seg

import (
	"errors"
	"fmt"
	"os"

	"github.com/sess-tools/sess/internal/disk"
)

// mend makes whole what a writer that died left at the end of the store: frames
// without rows get their rows, the rest of a frame is put aside, a manifest that
// is behind catches up. What was acknowledged is never dropped: if it is damaged
// the store becomes FAILED.
func (w *writer) mend() error {
	v, err := w.s.view()
	if err != nil {
		return err
	}
	defer v.close()
	e, err := w.look(v)
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
	if err := w.toDirty("mending"); err != nil {
		return err
	}
	if err := w.mendSegments(e, v.torn > 0); err != nil {
		return err
	}
	if err := w.toSealed("mending"); err != nil {
		return err
	}
	if err := w.mendIndex(v, e); err != nil {
		return err
	}
	return w.become(Indexed, "mended")
}

// look compares index, segments and manifest at their ends.
func (w *writer) look(v *view) (*end, error) {
	w.size, w.last = v.size, row{}
	for r := range v.consecutive(v.backward(), -1) {
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

// mendSegments puts broken bytes aside, ends a last line, and makes durable what
// stays.
func (w *writer) mendSegments(e *end, tornIndex bool) error {
	if err := w.putAside(e); err != nil {
		return err
	}
	if e.heal != "" {
		if err := w.s.appendFile(e.heal, []byte("\n"), false); err != nil {
			return about("ending the last line of "+base(e.heal), err)
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
func (w *writer) putAside(e *end) error {
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
	if err := w.s.cut(e.torn, e.at, true); err != nil {
		return about("cutting "+base(e.torn), err)
	}
	return nil
}

// mendIndex adds the missing rows, tells the ledger, and brings the manifest up
// to date.
func (w *writer) mendIndex(v *view, e *end) error {
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

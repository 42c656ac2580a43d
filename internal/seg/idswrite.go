package seg

import (
	"crypto/rand"
	"hash/crc32"
	"os"

	"github.com/sess-tools/sess/internal/disk"
)

// coverIDs brings the table of ids up to the end of the index, if what it does not
// cover has become much. It is called when all rows are counted by the manifest. A
// table that cannot be written is one that is not there: that is no error.
func (w *writer) coverIDs() {
	most := w.s.o.tailOfIDs()
	if w.size < most { // not worth a look
		return
	}
	v, err := w.s.view()
	if err != nil {
		return
	}
	defer v.close()
	t := v.table()
	defer t.close()
	if v.size-t.covered() < most {
		return
	}
	if w.s.o.NoSync { // what is in the table is never taken back
		if w.s.syncFile(joined(w.s.dir, indexFile)) != nil {
			return
		}
	}
	if t == nil || w.s.extendIDs(v, t) != nil {
		_ = w.s.makeIDs(v, t)
	}
}

// dropIDs removes the table before rows are taken from the index.
func (s *Store) dropIDs() error {
	err := s.d.Remove(joined(s.dir, idsFile))
	if missing(err) {
		return nil
	}
	if err != nil {
		return about("removing "+idsFile, err)
	}
	return s.d.SyncDir(s.dir)
}

// An idMaker puts a table together in memory.
type idMaker struct {
	h      idHeader
	blocks []idBlock
}

// newIDs returns a table with room for n ids.
func newIDs(n uint64) *idMaker {
	m := &idMaker{}
	copy(m.h.Magic[:], idsMagic)
	_, _ = rand.Read(m.h.Seed[:]) // never fails
	m.resize(n)
	return m
}

func (m *idMaker) resize(n uint64) {
	m.h.Blocks = 1
	for m.h.Blocks*idsFill < n {
		m.h.Blocks *= 2
	}
	m.blocks = make([]idBlock, m.h.Blocks)
}

// add adds the row at an offset, and makes room for it.
func (m *idMaker) add(id string, at int64) {
	if m.h.Count >= m.h.Blocks*idsFill {
		old := m.blocks
		m.resize(2 * m.h.Count)
		for i := range old {
			for k := range old[i].used() {
				m.put(old[i].slot(k))
			}
		}
	}
	m.put(m.h.hash(id), at)
	m.h.Count++
}

func (m *idMaker) put(hash uint64, at int64) {
	n := m.h.home(hash)
	for !m.blocks[n].hasRoom() {
		n = (n + 1) % m.h.Blocks
	}
	m.blocks[n].add(hash, at)
}

// take takes over what an old table covers.
func (m *idMaker) take(old *idTable) error {
	m.h.Seed = old.h.Seed
	for n := range old.h.Blocks {
		b, err := old.block(int64(n)) //nolint:gosec // the file has as many blocks
		if err != nil {
			return err
		}
		for k := range b.used() {
			if hash, at := b.slot(k); at < old.h.Covered {
				m.put(hash, at)
				m.h.Count++
			}
		}
	}
	if m.h.Count != old.h.Count {
		return errIDs
	}
	return nil
}

// cover says how much of the index is covered: all up to the end of the row that
// stands at last.
func (h *idHeader) cover(v *view, last, end int64) error {
	b := make([]byte, end-last)
	if n, err := v.f.ReadAt(b, last); n < len(b) {
		return err
	}
	h.Covered, h.Last, h.LastSum = end, last, crc32.Checksum(b, castagnoli())
	return nil
}

// write puts the table in place.
func (m *idMaker) write(s *Store) error {
	out := make([]byte, 0, (len(m.blocks)+1)*idsBlock)
	out = append(out, m.h.encode()[:]...)
	for i := range m.blocks {
		m.blocks[i].seal()
		out = append(out, m.blocks[i][:]...)
	}
	return replaceFile(s.d, joined(s.dir, "tmp", idsFile+".tmp"), joined(s.dir, idsFile), out)
}

// makeIDs makes a new table, of an old one, if there is one, and the rows behind it.
func (s *Store) makeIDs(v *view, old *idTable) error {
	m := newIDs(uint64(v.size / 128)) //nolint:gosec // rows are longer, so that there is room for more
	last, from := int64(-1), int64(0)
	if old != nil {
		if err := m.take(old); err != nil {
			return s.makeIDs(v, nil)
		}
		last, from = old.h.Last, old.h.Covered
	}
	for at, r := range v.rows(from) {
		if r.err != nil {
			return r.err
		}
		m.add(r.id, at)
		last = at
	}
	if last < 0 {
		return nil
	}
	if err := m.h.cover(v, last, v.size); err != nil {
		return err
	}
	return m.write(s)
}

// extendIDs adds the rows that the table does not cover in place: the blocks first,
// then the header. Whoever dies in between leaves slots that the next one finds and
// does not add again.
func (s *Store) extendIDs(v *view, t *idTable) error {
	h := t.h
	changed := map[uint64]*idBlock{}
	load := func(n uint64) (*idBlock, error) {
		if b := changed[n]; b != nil {
			return b, nil
		}
		return t.block(int64(n)) //nolint:gosec // the file has as many blocks
	}
	last := h.Last
	for at, r := range v.rows(h.Covered) {
		if r.err != nil {
			return r.err
		}
		if h.Count++; h.Count > h.Blocks*idsFill {
			return errIDs // a larger one is due
		}
		hash := h.hash(r.id)
		for n := h.home(hash); ; n = (n + 1) % h.Blocks {
			b, err := load(n)
			if err != nil {
				return err
			}
			if b.has(hash, at) {
				break
			}
			if b.hasRoom() {
				b.add(hash, at)
				changed[n] = b
				break
			}
		}
		last = at
	}
	if err := h.cover(v, last, v.size); err != nil {
		return err
	}
	return s.writeBlocks(changed, &h)
}

func (s *Store) writeBlocks(changed map[uint64]*idBlock, h *idHeader) error {
	f, err := openFile(s.d, joined(s.dir, idsFile), os.O_RDWR)
	if err != nil {
		return err
	}
	for n, b := range changed {
		b.seal()
		if _, err := f.WriteAt(b[:], int64(n+1)*idsBlock); err != nil { //nolint:gosec // as above
			return disk.Closing(f, err)
		}
	}
	if err = f.Sync(); err == nil {
		_, err = f.WriteAt(h.encode()[:], 0)
	}
	return disk.Closing(f, err)
}

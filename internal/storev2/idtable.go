package storev2

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"github.com/sess-tools/sess/internal/core/disk"
)

// The table of ids says where in the index the row of an id stands. It is derived
// from the index, ours alone, and never needed: without it, or behind what it
// covers, the index itself is searched. It is a hash table of blocks of 512 bytes,
// each with a checksum, behind a header of the same size. An id belongs into the
// block that the first bits of its hash name, or into the next ones if that is full.
//
// Only rows that are durable and counted by the manifest get into it, and what
// takes rows away removes it first. A row that is found is compared with the id, so
// that no hash has to be trusted.
const (
	idsFile   = "ids.hash"
	idsMagic  = "sessids1"
	idsBlock  = 512
	idsSlots  = 31
	idsSlot   = 16 // the hash, and the offset of the row in the index
	idsFill   = 20 // slots of a block that are used on average, at most
	idsSumOff = idsBlock - 4
	// idsTail is how many bytes of the index may be without a place in the table.
	idsTail = 256 << 10
)

// errIDs is the reason for which a table is not used.
var errIDs = errors.New("the table of ids is damaged")

// An idHeader is the first block of a table.
type idHeader struct {
	Magic   [8]byte
	Seed    [16]byte // of the hashes
	Blocks  uint64   // a power of two
	Count   uint64   // of ids
	Covered int64    // bytes of the index
	Last    int64    // offset of the last row that is covered,
	LastSum uint32   // and its checksum
}

// An idBlock is a block as it is on disk: slots, how many of them are used, and the
// checksum of all that.
type idBlock [idsBlock]byte

func (b *idBlock) used() int   { return int(binary.LittleEndian.Uint16(b[idsSlots*idsSlot:])) }
func (b *idBlock) sum() uint32 { return crc32.Checksum(b[:idsSumOff], castagnoli()) }
func (b *idBlock) whole() bool {
	return binary.LittleEndian.Uint32(b[idsSumOff:]) == b.sum() && b.used() <= idsSlots
}
func (b *idBlock) seal()         { binary.LittleEndian.PutUint32(b[idsSumOff:], b.sum()) }
func (b *idBlock) hasRoom() bool { return b.used() < idsSlots }

func (b *idBlock) slot(i int) (hash uint64, at int64) {
	s := b[i*idsSlot:]
	return binary.LittleEndian.Uint64(s), int64(binary.LittleEndian.Uint64(s[8:])) //nolint:gosec // written as one
}

func (b *idBlock) add(hash uint64, at int64) {
	n := b.used()
	s := b[n*idsSlot:]
	binary.LittleEndian.PutUint64(s, hash)
	binary.LittleEndian.PutUint64(s[8:], uint64(at)) //nolint:gosec // an offset
	binary.LittleEndian.PutUint16(b[idsSlots*idsSlot:], uint16(n+1))
}

func (b *idBlock) has(hash uint64, at int64) bool {
	for i := range b.used() {
		if h, a := b.slot(i); h == hash && a == at {
			return true
		}
	}
	return false
}

func (h *idHeader) encode() *idBlock {
	b := &idBlock{}
	_, _ = binary.Encode(b[:], binary.LittleEndian, h) // 60 bytes of 512
	b.seal()
	return b
}

func (h *idHeader) hash(id string) uint64 {
	sum := sha256.Sum256(append(h.Seed[:len(h.Seed):len(h.Seed)], id...))
	return binary.BigEndian.Uint64(sum[:])
}

// home is the number of the block to which a hash belongs.
func (h *idHeader) home(hash uint64) uint64 {
	if h.Blocks == 1 {
		return 0
	}
	shift := 64
	for n := h.Blocks; n > 1; n >>= 1 {
		shift--
	}
	return hash >> shift
}

// An idTable is the table of a store, open.
type idTable struct {
	f disk.File
	h idHeader
}

// table opens the table of ids if there is one that belongs to the index of v.
func (v *snapshot) table() *idTable {
	if v.f == nil {
		return nil
	}
	f, err := openFile(v.s.d, joined(v.s.dir, idsFile), os.O_RDONLY)
	if err != nil {
		return nil
	}
	t := &idTable{f: f}
	if err := t.read(v.f); err != nil {
		f.Close()
		return nil
	}
	return t
}

func (t *idTable) close() {
	if t != nil {
		t.f.Close()
	}
}

// covered is how many bytes of the index a table knows, 0 for none.
func (t *idTable) covered() int64 {
	if t == nil {
		return 0
	}
	return t.h.Covered
}

// read reads the header and compares it with the index.
func (t *idTable) read(index io.ReaderAt) error {
	b, err := t.block(-1)
	if err != nil {
		return err
	}
	if _, err := binary.Decode(b[:], binary.LittleEndian, &t.h); err != nil {
		return err
	}
	h := &t.h
	n := h.Covered - h.Last
	if string(h.Magic[:]) != idsMagic || h.Blocks == 0 || h.Blocks&(h.Blocks-1) != 0 || h.Last < 0 || n < 1 || n > maxDocument {
		return errIDs
	}
	last := make([]byte, n)
	if _, err := index.ReadAt(last, h.Last); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if crc32.Checksum(last, castagnoli()) != h.LastSum {
		return errIDs // another index than the one it was made of
	}
	return nil
}

// block reads a block; -1 is the header.
func (t *idTable) block(n int64) (*idBlock, error) {
	b := &idBlock{}
	if _, err := t.f.ReadAt(b[:], (n+1)*idsBlock); err != nil {
		return nil, err
	}
	if !b.whole() {
		return nil, errIDs
	}
	return b, nil
}

// rows calls visit with the offsets of the rows that the id may have, until that
// returns true.
func (t *idTable) rows(id string, visit func(at int64) bool) error {
	hash := t.h.hash(id)
	n := t.h.home(hash)
	for range t.h.Blocks {
		b, err := t.block(int64(n)) //nolint:gosec // the file has as many blocks
		if err != nil {
			return err
		}
		for i := range b.used() {
			if h, at := b.slot(i); h == hash && visit(at) {
				return nil
			}
		}
		if b.hasRoom() {
			return nil
		}
		n = (n + 1) % t.h.Blocks
	}
	return nil
}

// coverIDs brings the table of ids up to the end of the index, if what it does not
// cover has become much. It is called when all rows are counted by the manifest. A
// table that cannot be written is one that is not there: that is no error.
func (w *writer) coverIDs() {
	most := w.s.o.tailOfIDs()
	if w.size < most { // not worth a look
		return
	}
	v, err := w.s.snapshot()
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
func (h *idHeader) cover(v *snapshot, last, end int64) error {
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
	return replaceFile(s.d, s.dir, idsFile, out)
}

// makeIDs makes a new table, of an old one, if there is one, and the rows behind it.
func (s *Store) makeIDs(v *snapshot, old *idTable) error {
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
// then the header. A writer that dies in between leaves slots that the next one finds and
// does not add again.
func (s *Store) extendIDs(v *snapshot, t *idTable) error {
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

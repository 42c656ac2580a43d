package seg

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"github.com/sess-tools/sess/internal/disk"
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
func (v *view) table() *idTable {
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

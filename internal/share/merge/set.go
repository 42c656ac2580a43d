package merge

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
)

// A Sum stands for the bytes of a line: the first half of their SHA-256.
type Sum [16]byte

// sumOf returns the sum of a line without its line feed.
func sumOf(line []byte) Sum {
	full := sha256.Sum256(line)
	return Sum(full[:16])
}

// noTime is the time of a line that has none.
const noTime = math.MinInt64

// A line is what a merge has to know of a line.
type line struct {
	ID     string // "" for a line that is no entry
	Parent string // "" for a root
	Time   int64  // in milliseconds since the epoch, or noTime
	Sum    Sum
}

// A set holds the lines of several copies, each once. Lines are the same if their
// bytes are; a line that one copy has twice is two lines. All copies have to be added
// before two of them are merged.
type set struct {
	nodes []node
	table table   // of nodes, by sum
	names []byte  // all ids, by their numbers
	ends  []int64 // of each in names
	reps  []int32 // by number of an id: the line that stands for it as a parent
	ids   table   // of ids
	seed  maphash.Seed

	contested map[int32]bool // ids that have lines of different bytes
	copies    int32
	repeats   map[Sum]repeat // of lines that a copy has several times
}

// A repeat is the last of several equal lines of a copy.
type repeat struct {
	copied int32
	sum    Sum
}

// A node is a line of a set.
type node struct {
	sum        Sum
	id, parent int32 // 0 for none
	depth      int32 // or one of the marks below
	last       int32 // the copy that was last seen to have it
	time       int64
	effective  int64 // time, once it has a depth
}

// Marks in the place of a depth.
const (
	unranked = -1
	climbing = -2
	cyclic   = -3 // on a cycle or behind one: there the entry's own time counts
)

// NewSet returns an empty set.
func newSet() *set {
	return &set{ends: []int64{0}, reps: []int32{-1}, seed: maphash.MakeSeed(), contested: map[int32]bool{}, repeats: map[Sum]repeat{}}
}

// length returns how many lines there are: their numbers are below it.
func (s *set) length() int { return len(s.nodes) }

// grow makes room for so many more lines, which saves time and memory.
func (s *set) grow(lines int) {
	s.nodes, s.ends, s.reps = slices.Grow(s.nodes, lines), slices.Grow(s.ends, lines), slices.Grow(s.reps, lines)
	s.table.grow(lines, s.sumHash)
	s.ids.grow(lines, s.nameHash)
}

// idOf returns the id of a line, "" for one that is no entry.
func (s *set) idOf(n int) string { return string(s.name(s.nodes[n].id)) }

// name returns the id of a number.
func (s *set) name(id int32) []byte {
	if id == 0 {
		return nil
	}
	return s.names[s.ends[id-1]:s.ends[id]]
}

func (s *set) sumHash(n int32) uint64   { return hashOf(s.nodes[n].sum) }
func (s *set) nameHash(id int32) uint64 { return maphash.Bytes(s.seed, s.name(id)) }

// add returns the number of a line that a copy has; it is a new one if the set has no
// such line, or if the copy had all of them before.
func (s *set) add(l line, copied int32) (n int32, fresh bool) {
	once := l.Sum
	if r, ok := s.repeats[once]; ok && r.copied == copied {
		l.Sum = sumOf(r.sum[:]) // all before it are taken
	}
	defer func() {
		if l.Sum != once {
			s.repeats[once] = repeat{copied, l.Sum}
		}
	}()
	for {
		n, ok := s.table.find(hashOf(l.Sum), func(n int32) bool { return s.nodes[n].sum == l.Sum })
		if !ok {
			break
		}
		if s.nodes[n].last != copied {
			s.nodes[n].last = copied
			return n, false
		}
		l.Sum = sumOf(l.Sum[:]) // of the same line once more
	}
	n = int32(len(s.nodes))
	s.nodes = append(s.nodes, node{sum: l.Sum, id: s.id(l.ID), parent: s.id(l.Parent), depth: unranked, last: copied, time: l.Time})
	s.table.add(n, hashOf(l.Sum), s.sumHash)
	s.represent(n)
	return n, true
}

// represent makes line n the one that stands for its id, if it is the only one. Of
// several it is one that does not depend on where they stand.
func (s *set) represent(n int32) {
	id := s.nodes[n].id
	if id == 0 {
		return
	}
	rep := s.reps[id]
	if rep >= 0 && rep != n {
		s.contested[id] = true
	}
	if rep < 0 || bytes.Compare(s.nodes[rep].sum[:], s.nodes[n].sum[:]) < 0 {
		s.reps[id] = n
	}
}

// keep forgets the lines that none of the copies has, where ranks are concerned: they were
// replaced.
func (s *set) keep(copies ...*sequence) {
	for i := range s.reps {
		s.reps[i] = -1
	}
	for i := range s.nodes {
		s.nodes[i].depth = unranked
	}
	for _, c := range copies {
		for _, n := range c.entries {
			s.represent(n)
		}
	}
}

// id returns the number of an id.
func (s *set) id(id string) int32 {
	if id == "" {
		return 0
	}
	h := maphash.String(s.seed, id)
	i, ok := s.ids.find(h, func(i int32) bool { return string(s.name(i)) == id })
	if !ok {
		i = int32(len(s.ends))
		s.names = append(s.names, id...)
		s.ends, s.reps = append(s.ends, int64(len(s.names))), append(s.reps, -1)
		s.ids.add(i, h, s.nameHash)
	}
	return i
}

// up returns the parent of a line, -1 if it has none.
func (s *set) up(n int32) int32 {
	if id := s.nodes[n].parent; id != 0 {
		return s.reps[id]
	}
	return -1
}

// rank gives a line, and all on its way to the root, its depth and effective time.
func (s *set) rank(n int32) *node {
	if s.nodes[n].depth != unranked {
		return &s.nodes[n]
	}
	var way []int32
	at := n
	for ; at >= 0 && s.nodes[at].depth == unranked; at = s.up(at) {
		s.nodes[at].depth = climbing
		way = append(way, at)
	}
	circles := at >= 0 && (s.nodes[at].depth == climbing || s.nodes[at].depth == cyclic)
	for _, m := range slices.Backward(way) {
		k := &s.nodes[m]
		switch {
		case circles:
			k.depth, k.effective = cyclic, k.time
		case at < 0:
			k.depth, k.effective = 0, k.time
		default:
			k.depth, k.effective = s.nodes[at].depth+1, max(k.time, s.nodes[at].effective)
		}
		at = m
	}
	return &s.nodes[n]
}

// compare orders lines by rank.
func (s *set) compare(a, b int32) int {
	x, y := s.rank(a), s.rank(b)
	switch {
	case x.effective != y.effective:
		return cmp.Compare(x.effective, y.effective)
	case x.depth != y.depth:
		return cmp.Compare(x.depth, y.depth)
	case x.id != y.id:
		return bytes.Compare(s.name(x.id), s.name(y.id))
	}
	return bytes.Compare(x.sum[:], y.sum[:])
}

func hashOf(sum Sum) uint64 { return binary.LittleEndian.Uint64(sum[:]) }

// A table finds numbers by a hash of their keys. It takes a third of the memory of a map, as it
// keeps nothing else.
type table struct {
	slots []int32 // a number and 1, or 0 for none
	n     int
}

func (t *table) find(hash uint64, is func(int32) bool) (int32, bool) {
	if t.n == 0 {
		return 0, false
	}
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; t.slots[at] != 0; at = (at + 1) & mask {
		if n := t.slots[at] - 1; is(n) {
			return n, true
		}
	}
	return 0, false
}

// add adds a number that is not there, of which hashes tells the hash again.
func (t *table) add(n int32, hash uint64, hashes func(int32) uint64) {
	if 8*(t.n+1) > 7*len(t.slots) {
		t.grow(t.n+1, hashes)
	}
	t.put(n+1, hash)
	t.n++
}

// grow makes room for so many more numbers.
func (t *table) grow(more int, hashes func(int32) uint64) {
	size := max(64, len(t.slots))
	for 7*size < 8*(t.n+more) {
		size *= 2
	}
	old := t.slots
	if size == len(old) {
		return
	}
	t.slots = make([]int32, size)
	for _, slot := range old {
		if slot != 0 {
			t.put(slot, hashes(slot-1))
		}
	}
}

func (t *table) put(slot int32, hash uint64) {
	mask := uint64(len(t.slots) - 1)
	at := hash & mask
	for t.slots[at] != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = slot
}

package session

import (
	"hash/maphash"
	"slices"
	"sort"
)

// A Skeleton is the tree of a session without its text, in eight bytes an entry and some
// more for one that does not hang from the one before it. Entries are numbers, in the order
// in which they are added.
//
// Ids are compared by a seeded hash of 64 bits, ids of up to seven bytes by themselves. Two of
// a million different ids share a hash with a probability of 3 in 10⁸.
type Skeleton struct {
	seed   maphash.Seed
	ids    []uint64 // hash of each entry's id, 0 for none
	bends  []bend   // in the order of entries
	solved bool     // the parents of the bends are known
	unique bool     // no id is there twice, as far as that was looked for
}

// A bend is an entry that does not hang from the one before it.
type bend struct {
	entry  int
	id     uint64 // hash of the parent's id, 0 for a root
	parent int    // number of the parent, -1 if there is none
}

// NewSkeleton returns the skeleton of no entries, with room for some.
func NewSkeleton(room int) *Skeleton {
	return &Skeleton{seed: maphash.MakeSeed(), ids: make([]uint64, 0, room)}
}

// Beside returns a skeleton for entries of the same session that are added side by side, to
// be joined.
func (k *Skeleton) Beside(room int) *Skeleton {
	return &Skeleton{seed: k.seed, ids: make([]uint64, 0, room)}
}

// Add adds an entry by its id and its parent's, "" for none.
func (k *Skeleton) Add(id, parent []byte) {
	n, from := len(k.ids), k.hash(parent)
	if n == 0 || from == 0 || from != k.ids[n-1] {
		k.bends = append(k.bends, bend{entry: n, id: from})
	}
	k.ids, k.solved, k.unique = append(k.ids, k.hash(id)), false, false
}

// AddEntry is Add for an entry.
func (k *Skeleton) AddEntry(e Entry) { k.Add([]byte(e.id), []byte(e.parent)) }

// Join adds the entries of a skeleton that is beside this one, behind its own.
func (k *Skeleton) Join(behind *Skeleton) {
	n := len(k.ids)
	for i, b := range behind.bends {
		if i == 0 && n > 0 && b.id != 0 && b.id == k.ids[n-1] {
			continue // of its half the first entry always is one
		}
		k.bends = append(k.bends, bend{entry: n + b.entry, id: b.id})
	}
	k.ids, k.solved, k.unique = append(k.ids, behind.ids...), false, false
}

// hash returns a number for an id, 0 for none.
func (k *Skeleton) hash(id []byte) uint64 {
	if len(id) == 0 {
		return 0
	}
	return max(1, maphash.Bytes(k.seed, id))
}

// Len returns the number of entries.
func (k *Skeleton) Len() int { return len(k.ids) }

// Find returns the number of the entry that id names, the last of those that have it.
func (k *Skeleton) Find(id string) (n int, ok bool) {
	h := k.hash([]byte(id))
	for n, have := range slices.Backward(k.ids) {
		if have == h && h != 0 {
			return n, true
		}
	}
	return -1, false
}

// FindAll is Find for many ids, in one pass; -1 stands for none.
func (k *Skeleton) FindAll(ids []string) []int {
	hashes := make([]uint64, len(ids))
	for i, id := range ids {
		hashes[i] = k.hash([]byte(id))
	}
	return k.numbers(hashes)
}

// numbers returns the numbers of the entries that hashes name, -1 for none.
func (k *Skeleton) numbers(hashes []uint64) []int {
	found := make(map[uint64]int, len(hashes))
	for _, h := range hashes {
		found[h] = -1
	}
	delete(found, 0)
	if len(found) > 0 {
		for n, id := range k.ids {
			if _, ok := found[id]; ok {
				found[id] = n
			}
		}
	}
	out := make([]int, len(hashes))
	for i, h := range hashes {
		n, ok := found[h]
		if !ok {
			n = -1
		}
		out[i] = n
	}
	return out
}

// Repeats reports whether two entries have one id. Most are told apart by a bit of a field
// that stays in the cache; those that share a bit are compared.
func (k *Skeleton) Repeats() bool {
	k.unique = k.unique || !k.repeated(func(uint64) bool { return true })
	return !k.unique
}

// repeated calls visit for hashes that occur again, until it returns true.
func (k *Skeleton) repeated(visit func(hash uint64) bool) bool {
	words := uint64(1 << 10)
	for words*2 < uint64(len(k.ids)) { // some thirty bits for each
		words *= 2
	}
	once, twice := make([]uint64, words), make([]uint64, words)
	for _, h := range k.ids {
		at, bit := h>>6&(words-1), uint64(1)<<(h&63)
		twice[at] |= once[at] & bit
		once[at] |= bit
	}
	shared := map[uint64]bool{}
	for _, h := range k.ids {
		if h == 0 || twice[h>>6&(words-1)]>>(h&63)&1 == 0 {
			continue
		}
		if shared[h] && visit(h) {
			return true
		}
		shared[h] = true
	}
	return false
}

// solve finds the parents of the bends, all of them in one pass. Of entries with one id the
// last is the parent, as for Read: what hangs from an earlier one bends too.
func (k *Skeleton) solve() {
	if k.solved {
		return
	}
	k.solved = true
	if k.Repeats() {
		again := map[uint64]bool{}
		k.repeated(func(h uint64) bool { again[h] = true; return false })
		bends := k.bends[:0:0]
		for n := range k.ids {
			switch {
			case len(k.bends) > 0 && k.bends[0].entry == n:
				bends, k.bends = append(bends, k.bends[0]), k.bends[1:]
			case again[k.ids[n-1]]:
				bends = append(bends, bend{entry: n, id: k.ids[n-1]})
			}
		}
		k.bends = bends
	}
	parents := make([]uint64, len(k.bends))
	for i, b := range k.bends {
		parents[i] = b.id
	}
	for i, n := range k.numbers(parents) {
		k.bends[i].parent = n
	}
}

// A Stretch is a run of entries that follow each other in the file and on a path, by their
// numbers.
type Stretch struct{ First, Last int }

// Path returns the path from the root to an entry, -1 for no entry. A missing parent or a
// cycle ends the walk, as in [Session.Path]. plain says that there was none, and that each
// entry stands behind its parent.
func (k *Skeleton) Path(leaf int) (path []Stretch, plain bool) {
	k.solve()
	plain = true
	walked := make([]int, len(k.bends)) // behind which entry the walk came to each
	for at := leaf; at >= 0; {
		n := sort.Search(len(k.bends), func(i int) bool { return k.bends[i].entry > at }) - 1
		b, again := k.bends[n], walked[n] > 0
		if first := max(b.entry, walked[n]); first <= at {
			path = append(path, Stretch{first, at})
		}
		plain = plain && (b.id == 0 || b.parent >= 0 && b.parent < b.entry)
		if again || b.id == 0 {
			break
		}
		walked[n], at = at+1, b.parent
	}
	slices.Reverse(path)
	return path, plain
}

// Parents returns the parent of each entry, -1 for none. plain says that each parent that is
// named is there, in front of its child.
func (k *Skeleton) Parents() (parents []int32, plain bool) {
	k.solve()
	parents, plain = make([]int32, len(k.ids)), true
	for n := range parents {
		parents[n] = int32(n) - 1
	}
	for _, b := range k.bends {
		parents[b.entry] = int32(b.parent)
		plain = plain && (b.id == 0 || b.parent >= 0 && b.parent < b.entry)
	}
	return parents, plain
}

// IsChain reports whether each entry names the id of the one before it as its parent.
func (k *Skeleton) IsChain() bool {
	return len(k.bends) == 0 || len(k.bends) == 1 && k.bends[0].id == 0
}

// Heads returns the entries that are no parent, in order.
func (k *Skeleton) Heads() (heads []int) {
	parents, _ := k.Parents()
	has := make([]bool, len(parents))
	for n, p := range parents {
		if p >= 0 && int(p) != n {
			has[p] = true
		}
	}
	for n, is := range has {
		if !is {
			heads = append(heads, n)
		}
	}
	return heads
}

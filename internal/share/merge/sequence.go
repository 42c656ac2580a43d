package merge

import (
	"iter"
)

// A sequence is the lines behind the header of one copy of a session, in order, by their
// numbers in a set.
type sequence struct {
	set     *set
	entries []int32
	loose   map[int32][]int32 // lines that are no entries, by the entry above, -1 for none
	number  int32
}

// newSequence returns an empty sequence, for the next copy of the session. Its lines have to be added before
// the lines of the next sequence.
func (s *set) newSequence() *sequence {
	s.copies++
	return &sequence{set: s, number: s.copies, loose: map[int32][]int32{}}
}

// add adds the next line. It returns the line's number, and whether that is new in
// the set: then it is the one after the last.
func (c *sequence) add(l line) (n int, fresh bool) {
	if l.ID != "" {
		n, fresh := c.set.add(l, c.number)
		c.entries = append(c.entries, n)
		return int(n), fresh
	}
	above := c.above()
	l.Parent, l.Time = "", noTime
	if above >= 0 { // the same bytes behind another entry are another line
		sum := c.set.nodes[above].sum
		l.Sum = sumOf(append(sum[:], l.Sum[:]...))
	} else {
		l.Sum = sumOf(l.Sum[:])
	}
	k, fresh := c.set.add(l, c.number)
	c.loose[above] = append(c.loose[above], k)
	return int(k), fresh
}

func (c *sequence) above() int32 {
	if len(c.entries) == 0 {
		return -1
	}
	return c.entries[len(c.entries)-1]
}

// lines yields the numbers of the lines, in order.
func (c *sequence) lines() iter.Seq[int] {
	return func(yield func(int) bool) {
		behind := func(n int32) bool {
			for _, k := range c.loose[n] {
				if !yield(int(k)) {
					return false
				}
			}
			return true
		}
		if !behind(-1) {
			return
		}
		for _, n := range c.entries {
			if !yield(int(n)) || len(c.loose) > 0 && !behind(n) {
				return
			}
		}
	}
}

// length returns the number of lines.
func (c *sequence) length() int {
	n := len(c.entries)
	for _, lines := range c.loose {
		n += len(lines)
	}
	return n
}

// has returns a function that reports whether the copy has a line.
func (c *sequence) has() func(n int) bool {
	has := make([]bool, len(c.set.nodes))
	for n := range c.lines() {
		has[n] = true
	}
	return func(n int) bool { return n < len(has) && has[n] }
}

// beginsWith reports whether the first lines are those of another copy.
func (c *sequence) beginsWith(other *sequence) bool {
	next, stop := iter.Pull(c.lines())
	defer stop()
	for n := range other.lines() {
		if m, ok := next(); !ok || m != n {
			return false
		}
	}
	return true
}

// replace returns the copy with other lines in the place of some. Lines without
// a replacement are left out. A line that the copy has is not added once more.
func (c *sequence) replace(with map[int][]int) *sequence {
	out, has := c.set.newSequence(), c.has()
	added := map[int]bool{}
	for n := range c.lines() {
		lines, ok := with[n]
		if !ok {
			out.keep(n)
			continue
		}
		for _, m := range lines {
			if _, goes := with[m]; (!has(m) || goes) && !added[m] {
				added[m] = true
				out.keep(m)
			}
		}
	}
	return out
}

// keep adds a line of the set behind the entry that it belongs to.
func (c *sequence) keep(n int) {
	c.set.nodes[n].last = c.number
	if c.set.nodes[n].id != 0 {
		c.entries = append(c.entries, int32(n))
		return
	}
	c.loose[c.above()] = append(c.loose[c.above()], int32(n))
}

// leaf returns the number of the last entry; ok is false if there is none.
func (c *sequence) leaf() (n int, ok bool) {
	return int(c.above()), len(c.entries) > 0
}

// heads returns the number of entries that no other hangs from. Of several entries
// with one id the last counts.
func (c *sequence) heads() int {
	last := make([]int32, len(c.set.ends))
	for i, n := range c.entries {
		last[c.set.nodes[n].id] = int32(i) + 1
	}
	parent := make([]bool, len(c.set.ends))
	for i, n := range c.entries {
		if k := c.set.nodes[n]; last[k.id] == int32(i)+1 {
			parent[k.parent] = true
		}
	}
	heads := 0
	for id := 1; id < len(last); id++ {
		if last[id] > 0 && !parent[id] {
			heads++
		}
	}
	return heads
}

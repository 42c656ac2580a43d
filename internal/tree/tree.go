package tree

import (
	"cmp"
	"math"
	"slices"

	"github.com/sess-tools/sess/pkg/session"
)

// A Tree is the shape of a session, found out once. Entries are named by their
// positions in Session.Entries.
type Tree struct {
	Session *session.Session
	Roots   []int // in file order

	parent []int // -1 for a root; outside for what is not part of the tree
	first  []int // the children of i are kids[first[i]:first[i+1]]
	kids   []int
	active []bool
	leaf   int                  // -1 if there is none
	labels map[int]string       // by target
	damage map[int]session.Kind // why an entry with a parentId is a root
	cycle  map[int]int          // for an entry on a cycle the length of the cycle
}

// outside is the parent of entries that are not part of the tree.
const outside = -2

// New finds out the shape of s. The path is the active one, root first, as
// [session.Session.PathIndex] gives it; it may be empty.
func New(s *session.Session, path []int) *Tree {
	n := len(s.Entries)
	t := &Tree{
		Session: s, parent: make([]int, n), active: make([]bool, n), leaf: -1,
		labels: map[int]string{}, damage: map[int]session.Kind{}, cycle: map[int]int{},
	}
	for _, i := range path {
		t.active[i] = true
		t.leaf = i
	}
	for _, l := range s.Labels() {
		if i, ok := s.Index(l.Target); ok {
			t.labels[i] = l.Name
		}
	}
	for i := range s.Entries {
		t.parent[i] = t.parentOf(i)
	}
	top := -1
	if len(path) > 0 {
		top = path[0]
	}
	t.cutCycles(top)
	t.link()
	return t
}

// parentOf returns what parent says for entry i, and notes why an entry that
// names a parent has none.
func (t *Tree) parentOf(i int) int {
	e := t.Session.Entries[i]
	if at, ok := t.Session.Index(e.ID()); e.ID() == "" || !ok || at != i {
		return outside
	}
	p, ok := t.Session.Parent(i)
	switch {
	case e.ParentID() == "":
		return -1
	case !ok:
		t.damage[i] = session.MissingParent
		return -1
	case p == i:
		t.damage[i] = session.Cycle
		return -1
	}
	return p
}

// cutCycles makes one entry of each cycle a root: the entry top, where the
// active path begins, if it is on the cycle, else the first in the file.
func (t *Tree) cutCycles(top int) {
	walk := make([]int, len(t.parent)) // the walk that met an entry first, 0 for none
	for i := range t.parent {
		j := i
		for j >= 0 && walk[j] == 0 {
			walk[j] = i + 1
			j = t.parent[j]
		}
		if j < 0 || walk[j] != i+1 {
			continue
		}
		root, length := j, 0
		for k := j; length == 0 || k != j; k = t.parent[k] {
			length++
			if k == top || root != top && k < root {
				root = k
			}
		}
		for k := j; t.cycle[k] == 0; k = t.parent[k] {
			t.cycle[k] = length
		}
		t.damage[root] = session.Cycle
		t.parent[root] = -1
	}
}

// link gathers roots and children.
func (t *Tree) link() {
	n := len(t.parent)
	t.first = make([]int, n+1)
	for i, p := range t.parent {
		switch {
		case p >= 0:
			t.first[p+1]++
		case p == -1:
			t.Roots = append(t.Roots, i)
		}
	}
	for i := range n {
		t.first[i+1] += t.first[i]
	}
	t.kids = make([]int, t.first[n])
	next := slices.Clone(t.first[:n])
	for i, p := range t.parent {
		if p >= 0 {
			t.kids[next[p]] = i
			next[p]++
		}
	}
	for i := range n {
		t.sortByTime(t.Children(i))
	}
}

// sortByTime puts siblings, given in file order, in the order of their times.
// One without a time stays behind the one before it.
func (t *Tree) sortByTime(siblings []int) {
	if len(siblings) < 2 {
		return
	}
	times := make(map[int]int64, len(siblings))
	last := int64(math.MinInt64)
	for _, i := range siblings {
		if ms, ok := t.Session.Entries[i].Timestamp(); ok {
			last = ms
		}
		times[i] = last
	}
	slices.SortStableFunc(siblings, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
}

// Children returns the children of entry i, oldest first. The slice is the
// tree's own.
func (t *Tree) Children(i int) []int { return t.kids[t.first[i]:t.first[i+1]] }

// Active reports whether entry i is on the active path.
func (t *Tree) Active(i int) bool { return t.active[i] }

// Head reports whether entry i ends a branch: whether it is nobody's parent.
// An entry on a cycle is somebody's parent, even the one that is drawn last.
func (t *Tree) Head(i int) bool { return len(t.Children(i)) == 0 && t.cycle[i] == 0 }

// Label returns the label in force for entry i, "" if it has none.
func (t *Tree) Label(i int) string { return t.labels[i] }

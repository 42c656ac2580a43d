package tree

import (
	"cmp"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// A Tree is the shape of a session, found out once. Entries are named by their
// positions in Session.Entries.
type Tree struct {
	Session *session.Session
	Roots   []int // in file order

	parent []int // -1 for a root; outside for an entry that is not part of the tree
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

// New finds out the shape of the conversation in s: entries that no user or model said are not part of it, see [Quiet],
// unless they have a label. The children of such an entry hang from its parent. The path is the active one, root first,
// as [session.Session.PathIndex] gives it; it may be empty.
func New(s *session.Session, path []int) *Tree {
	t := parents(s, path)
	t.passOver()
	t.link()
	return t
}

// Whole is New with all entries.
func Whole(s *session.Session, path []int) *Tree {
	t := parents(s, path)
	t.link()
	return t
}

// Quiet reports whether no person or model said an entry: whether it is what an importer or a recorder
// keeps for itself, words of an agent in the user's name, or a copy of what was said before.
func Quiet(e session.Entry) bool { return e.IsAside() || e.IsHarness() || e.IsCopy() }

// parents finds out the parents of entries.
func parents(s *session.Session, path []int) *Tree {
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
	return t
}

// passOver takes quiet entries out.
func (t *Tree) passOver() {
	const unknown = -3
	n := len(t.parent)
	quiet, above := make([]bool, n), make([]int, n) // above is the nearest entry that is not quiet, -1 for none
	for i, e := range t.Session.Entries {
		quiet[i], above[i] = t.parent[i] != outside && t.labels[i] == "" && Quiet(e), unknown
	}
	up := func(i int) int {
		var climbed []int
		at := i
		for above[at] == unknown {
			climbed = append(climbed, at)
			p := t.parent[at]
			if p < 0 || !quiet[p] {
				above[at] = max(p, -1)
				break
			}
			at = p
		}
		for _, j := range climbed {
			above[j] = above[at]
		}
		return above[i]
	}
	for i := range n {
		if t.parent[i] != outside {
			up(i)
		}
	}
	if t.leaf >= 0 && quiet[t.leaf] {
		t.leaf = above[t.leaf]
	}
	for i := range n {
		switch {
		case t.parent[i] == outside:
		case quiet[i]:
			t.parent[i] = outside
		default:
			t.parent[i] = above[i]
		}
	}
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

// Head reports whether entry i ends a branch: whether it has no children. An entry
// on a cycle has a child, even the one that is drawn last.
func (t *Tree) Head(i int) bool { return len(t.Children(i)) == 0 && t.cycle[i] == 0 }

// Label returns the label in force for entry i, "" if it has none.
func (t *Tree) Label(i int) string { return t.labels[i] }

// minRun is the number of entries from which on a run is folded. One line
// stands for two entries then, at least.
const minRun = 4

// A Row is one line of a drawing: an entry, or the entries a fold hides.
type Row struct {
	Pos    int   // position of the entry, or of the first hidden one
	Above  int   // position of its parent in the tree, which may be hidden; -1 for a root
	Depth  int   // number of entries it is drawn below
	Hidden int   // number of entries hidden; 0 for a row that is an entry
	Tokens int64 // estimated, of the entry or of those hidden

	// Opens says that the row is the first of its branch. Entries that follow
	// each other without branching stay on one level.
	Opens bool

	// Last has one element for each branch the row is in, outermost first: true
	// for the last one of its siblings. It is valid until the next row.
	Last []bool
}

// Rows walks the tree, each entry in front of its children, and children in the
// order of their times. Unless all is set, runs are folded: of four or more
// entries in a row that have one child each and nothing special about them,
// only the first and the last are rows of their own. Labels, compactions,
// branch summaries and the end of the active path are special.
func (t *Tree) Rows(all bool) iter.Seq[Row] { return t.rows(all, convo.EntryTokens) }

// rows is Rows with the tokens of an entry by the given measure.
func (t *Tree) rows(all bool, measure func(session.Entry) int64) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		w := walker{t: t, all: all, measure: measure, yield: yield}
		w.push(t.Roots, -1, 0, 0)
		for len(w.stack) > 0 {
			top := w.stack[len(w.stack)-1]
			w.stack = w.stack[:len(w.stack)-1]
			if !w.branch(top) {
				return
			}
		}
	}
}

// A pending branch has been met, but not yet walked.
type pending struct {
	pos, above, depth, level int
	last                     bool
}

type walker struct {
	t       *Tree
	all     bool
	measure func(session.Entry) int64
	yield   func(Row) bool
	stack   []pending
	last    []bool // see Row
}

// push puts siblings on the stack, the first on top. An only one opens no
// branch: level 0 is the column at the left.
func (w *walker) push(siblings []int, above, depth, level int) {
	if len(siblings) > 1 {
		level++
	}
	for k := len(siblings) - 1; k >= 0; k-- {
		w.stack = append(w.stack, pending{siblings[k], above, depth, level, k == len(siblings)-1})
	}
}

// branch yields the entries from b on until there are several children, or
// none. It reports whether to go on.
func (w *walker) branch(b pending) bool {
	opens := b.level > 0 && (b.above < 0 || len(w.t.Children(b.above)) > 1)
	if opens {
		w.last = append(w.last[:b.level-1], b.last)
	}
	r := Row{Pos: b.pos, Above: b.above, Depth: b.depth, Opens: opens, Last: w.last[:b.level]}
	for {
		run := w.run(r.Pos)
		if run >= minRun {
			if !w.folded(&r, run) {
				return false
			}
		} else if !w.entry(&r) {
			return false
		}
		kids := w.t.Children(r.Above)
		if len(kids) != 1 {
			w.push(kids, r.Above, r.Depth, b.level)
			return true
		}
		r.Pos = kids[0]
	}
}

// entry yields r, and makes it the row above the next one.
func (w *walker) entry(r *Row) bool {
	r.Hidden, r.Tokens = 0, w.measure(w.t.Session.Entries[r.Pos])
	ok := w.yield(*r)
	r.Above, r.Opens = r.Pos, false
	r.Depth++
	return ok
}

// folded yields the first entry of a run that begins at r, a row for all those
// in the middle, and the last entry.
func (w *walker) folded(r *Row, run int) bool {
	if !w.entry(r) {
		return false
	}
	fold := *r
	fold.Pos, fold.Hidden = w.t.Children(r.Above)[0], run-2
	fold.Tokens = 0
	at := fold.Pos
	for range fold.Hidden {
		fold.Tokens += w.measure(w.t.Session.Entries[at])
		r.Above = at
		at = w.t.Children(at)[0]
	}
	if !w.yield(fold) {
		return false
	}
	r.Depth += fold.Hidden
	r.Pos = at
	return w.entry(r)
}

// run returns the length of the run that begins at entry i; 0 if the entry is
// special. A run that is not to be folded counts as none.
func (w *walker) run(i int) int {
	if w.all {
		return 0
	}
	n := 0
	for w.plain(i) {
		n++
		i = w.t.Children(i)[0]
	}
	return n
}

// plain reports whether entry i may be hidden: it has one child and nothing that a
// reader would look for.
func (w *walker) plain(i int) bool {
	if len(w.t.Children(i)) != 1 || w.t.Label(i) != "" || i == w.t.leaf {
		return false
	}
	switch w.t.Session.Entries[i].Type() {
	case session.TypeCompaction, session.TypeBranchSummary:
		return false
	}
	return true
}

// A Head is the end of a branch.
type Head struct {
	Pos     int // position of the entry
	Entries int // number of entries on the path that ends here
	Fork    int // position of the nearest entry above with several children, -1 for none
	First   int // position of the first user message on the path with text, -1 for none
	Last    int // position of the last user or assistant message with text, -1 for none
}

// Heads returns the ends of all branches, in file order. Entries that no person or model said count
// for nothing in them.
func (t *Tree) Heads() []Head {
	known := make([]Head, len(t.parent))
	unmeasured := func(session.Entry) int64 { return 0 }
	for r := range t.rows(true, unmeasured) {
		h := Head{Fork: -1, First: -1, Last: -1}
		if r.Above >= 0 {
			h = known[r.Above]
			if len(t.Children(r.Above)) > 1 {
				h.Fork = r.Above
			}
		}
		if t.Label(r.Pos) != "" || !Quiet(t.Session.Entries[r.Pos]) {
			h.Entries++
		}
		if length := t.cycle[r.Pos]; length > 0 {
			h.Entries = length // wherever the path leaves a cycle, it has been all around
		}
		role := spoken(t.Session.Entries[r.Pos])
		if role == session.RoleUser && h.First < 0 {
			h.First = r.Pos
		}
		if role != "" {
			h.Last = r.Pos
		}
		h.Pos = r.Pos
		known[r.Pos] = h
	}
	var heads []Head
	for i, p := range t.parent {
		if p != outside && t.Head(i) && (known[i].Entries > 0 || t.Active(i)) {
			heads = append(heads, known[i])
		}
	}
	return heads
}

// spoken returns the role of a user or assistant message that has text, "" for
// all other entries.
func spoken(e session.Entry) string {
	m, ok := e.Message()
	if !ok || m.Role() != session.RoleUser && m.Role() != session.RoleAssistant {
		return ""
	}
	if m, _, _ = m.Said(); strings.TrimSpace(m.Text("")) == "" {
		return ""
	}
	return m.Role()
}

// WriteHeads prints heads as a list: id, number of entries on its path, time,
// an asterisk for the end of the active path, the first text of the path and
// the last one. The error is that of w.
func WriteHeads(w io.Writer, t *Tree, heads []Head, o Options) error {
	more := o.pen().more
	cols := []screen.Col{{Head: "ID"}, {Head: "ENTRIES"}, {Head: "TIME"}, {}, {Head: "FIRST", Flex: true}, {Head: "LAST", Flex: true}}
	return writeList(w, o, cols, func(yield func([]string) bool) {
		for _, h := range heads {
			e := t.Session.Entries[h.Pos]
			mark := "-"
			if t.Active(h.Pos) {
				mark = "*"
			}
			if !yield([]string{tty.Clean(e.ID()), strconv.Itoa(h.Entries), stamp(e), mark, words(t.textAt(h.First), more), words(t.textAt(h.Last), more)}) {
				return
			}
		}
	})
}

// textAt returns the text of the entry at position i, "" for -1.
func (t *Tree) textAt(i int) string {
	if i < 0 {
		return ""
	}
	return convo.Say(t.Session.Entries[i])
}

// stamp returns the time of an entry to the second, "-" if it has none.
func stamp(e session.Entry) string {
	ms, ok := e.Timestamp()
	if !ok {
		return "-"
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05Z")
}

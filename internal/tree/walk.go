package tree

import (
	"iter"

	"github.com/sess-tools/sess/pkg/session"
)

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
func (t *Tree) Rows(all bool) iter.Seq[Row] { return t.rows(all, Tokens) }

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

// plain reports whether entry i may be hidden: it has one child, and nobody
// would look for it.
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

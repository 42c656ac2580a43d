package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// Leaf returns the position of the last entry, of whatever type, that has an
// id; ok is false if there is none.
func (s *Session) Leaf() (i int, ok bool) {
	for i := len(s.Entries) - 1; i >= 0; i-- {
		if s.Entries[i].id != "" {
			return i, true
		}
	}
	return -1, false
}

// Parent returns the position of the parent of entry i; ok is false for a
// root and for an entry whose parent is missing.
func (s *Session) Parent(i int) (parent int, ok bool) {
	p := s.parents[i]
	return int(p), p >= 0
}

// Path returns the entries from the root to the entry at position leaf, and the problems of that
// path. A missing parent or a cycle ends the walk: the path then starts at the entry below. The
// path of a session without branches is a part of Entries, and not to be changed.
func (s *Session) Path(leaf int) ([]Entry, []Problem) {
	positions, problems := s.PathIndex(leaf)
	if n := len(positions); n > 0 && positions[n-1]-positions[0] == n-1 && slices.IsSorted(positions) {
		return s.Entries[positions[0] : positions[n-1]+1 : positions[n-1]+1], problems
	}
	path := make([]Entry, len(positions))
	for i, p := range positions {
		path[i] = s.Entries[p]
	}
	return path, problems
}

// PathIndex is Path in positions of Entries. A leaf of -1 gives no path.
func (s *Session) PathIndex(leaf int) ([]int, []Problem) {
	n := 0
	var problems []Problem
	seen := make([]bool, len(s.Entries))
	for i := leaf; i >= 0; {
		seen[i] = true
		n++
		e := s.Entries[i]
		if e.parent == "" {
			break
		}
		next, ok := s.Parent(i)
		switch {
		case !ok:
			problems = append(problems, problem(e.Line(), e.offset, MissingParent, e.id,
				"parent %s of %s is missing: what came before it is not on the path", quoteID(e.parent), quoteID(e.id)))
			next = -1
		case seen[next]:
			problems = append(problems, problem(e.Line(), e.offset, Cycle, e.id,
				"the parents of %s form a cycle: the path starts here", quoteID(e.id)))
			next = -1
		}
		i = next
	}
	path := make([]int, n)
	for i := leaf; n > 0; i = int(s.parents[i]) {
		n--
		path[n] = i
	}
	return path, problems
}

// Heads returns the positions of the entries without children, in file order: the
// ends of all branches.
func (s *Session) Heads() []int {
	parent := make([]bool, len(s.Entries))
	for i := range s.Entries {
		if p, ok := s.Parent(i); ok && p != i && s.named(i) {
			parent[p] = true
		}
	}
	var heads []int
	for i := range s.Entries {
		if s.named(i) && !parent[i] {
			heads = append(heads, i)
		}
	}
	return heads
}

// named reports whether entry i can be reached: it has an id, and no later
// entry has the same.
func (s *Session) named(i int) bool {
	return s.Entries[i].id != "" && !s.hidden[i]
}

// NewestMessage returns the position of the user, assistant or tool result
// message with the latest time, the later of two in the file at a tie.
func (s *Session) NewestMessage() (int, bool) {
	best, newest := -1, int64(0)
	for i, e := range s.Entries {
		if e.typ != TypeMessage || !s.named(i) {
			continue
		}
		m, ok := e.Message()
		if !ok || m.Role() != RoleUser && m.Role() != RoleAssistant && m.Role() != RoleToolResult {
			continue
		}
		if t := messageTime(e, m); best < 0 || t >= newest {
			best, newest = i, t
		}
	}
	return best, best >= 0
}

// messageTime is the message's own timestamp, else the entry's, in
// milliseconds since the epoch; 0 if neither is a time.
func messageTime(e Entry, m Message) int64 {
	if js.Value(m.Get("timestamp")).IsNumber() {
		return js.Value(m.Get("timestamp")).Int()
	}
	ms, _ := e.Timestamp()
	return ms
}

// Longest returns the head with the most entries on its path, the later one
// in the file at a tie.
func (s *Session) Longest() (int, bool) {
	depth := s.depths()
	best := -1
	for _, h := range s.Heads() {
		if best < 0 || depth[h] >= depth[best] {
			best = h
		}
	}
	if best < 0 {
		return s.Leaf() // every entry is on a cycle
	}
	return best, true
}

// depths returns the length of each entry's path. It does not recurse, and
// visits each entry once.
func (s *Session) depths() []int {
	depth := make([]int, len(s.Entries))
	var chain []int
	for i := range s.Entries {
		chain = chain[:0]
		for j := i; j >= 0 && depth[j] == 0; {
			depth[j] = -1 // on the chain
			chain = append(chain, j)
			p, ok := s.Parent(j)
			if !ok {
				p = -1
			}
			j = p
		}
		s.setDepths(chain, depth)
	}
	return depth
}

// setDepths sets the depths along a chain of entries, each the child of the
// next, that ends at a root, at an entry of known depth, or in a cycle: there
// every entry's path is the whole cycle.
func (s *Session) setDepths(chain, depth []int) {
	if len(chain) == 0 {
		return
	}
	base, loop := 0, len(chain)
	if p, ok := s.Parent(chain[len(chain)-1]); ok {
		if depth[p] > 0 {
			base = depth[p]
		} else {
			loop = slices.Index(chain, p)
			base = len(chain) - loop
		}
	}
	for _, i := range chain[loop:] {
		depth[i] = base
	}
	for k := loop - 1; k >= 0; k-- {
		base++
		depth[chain[k]] = base
	}
}

// A Descent knows which entries are on the paths to which.
type Descent struct {
	number, last, root []int32 // of each entry: those below it have the numbers up to its last
}

// NewDescent returns the descent of entries by the position of each one's parent, -1 for none. Entries on a cycle have a path
// to none but themselves.
func NewDescent(parents []int32) Descent {
	first, next := make([]int32, len(parents)), make([]int32, len(parents)) // child and sibling
	d := Descent{make([]int32, len(parents)), make([]int32, len(parents)), make([]int32, len(parents))}
	for i := range parents {
		first[i], next[i], d.root[i] = -1, -1, -1
	}
	var roots []int32
	for i, p := range slices.Backward(parents) {
		if p < 0 {
			roots = append(roots, int32(i))
			continue
		}
		next[i], first[p] = first[p], int32(i)
	}
	n := int32(0)
	for _, root := range roots {
		for at := root; ; {
			if d.number[at] == 0 {
				n++
				if d.number[at], d.root[at] = n, root; first[at] >= 0 {
					at = first[at]
					continue
				}
			}
			if d.last[at] = n; at == root {
				break
			}
			if next[at] >= 0 {
				at = next[at]
			} else {
				at = parents[at]
			}
		}
	}
	return d
}

// Above reports whether entry i is on the path to entry j.
func (d Descent) Above(i, j int) bool {
	return i == j || d.number[i] > 0 && d.number[i] <= d.number[j] && d.number[j] <= d.last[i]
}

// Root returns the position of the first entry on the path to entry i, -1 for one on a cycle.
func (d Descent) Root(i int) int { return int(d.root[i]) }

// Keeps reports whether a compaction at entry i keeps anything from entry first on: that is before it on its path, or itself.
// Where the path begins with an entry whose parent is missing, as gap says, the first entry may be behind that parent.
func (d Descent) Keeps(i, first int, gap func(root int) bool) bool {
	if first >= i {
		return first == i
	}
	root := d.Root(i)
	return root >= 0 && gap(root) || d.Above(first, i)
}

// A Label is a name given to an entry.
type Label struct {
	Target    string // id of the entry
	Name      string
	Timestamp string // of the label entry that set it
}

// Labels returns the labels in force, whatever branch set them. See [LabelsOf].
func (s *Session) Labels() []Label { return LabelsOf(s.Entries) }

// LabelsOf returns the labels that entries set, in the order in which their
// targets first got one. Setting a label again keeps its place; clearing it gives
// the place up.
func LabelsOf(entries []Entry) []Label {
	byTarget := map[string]int{}
	var labels []Label
	for _, e := range entries {
		if e.typ != TypeLabel {
			continue
		}
		target, name := e.Str("targetId"), e.Str("label")
		at, known := byTarget[target]
		switch {
		case name == "" && known:
			labels[at].Name = ""
			delete(byTarget, target)
		case name != "" && known:
			labels[at].Name, labels[at].Timestamp = name, e.Str("timestamp")
		case name != "":
			byTarget[target] = len(labels)
			labels = append(labels, Label{Target: target, Name: name, Timestamp: e.Str("timestamp")})
		}
	}
	return slices.DeleteFunc(labels, func(l Label) bool { return l.Name == "" })
}

// NameOf returns the name that entries give a session: that of the last
// session_info, which may clear it; else the title in the header.
func NameOf(h Header, entries []Entry) string {
	for _, e := range slices.Backward(entries) {
		if e.typ == TypeSessionInfo {
			return js.Trim(e.Str("name"))
		}
	}
	return strings.TrimSpace(h.Title)
}

// Branch returns the entries of a new session that holds the path to the entry
// at position leaf, as pi 1.5 forks (docs/formats/pi.md, forks): without the
// path's label entries, parents re-chained, a firstKeptEntryId that named a
// label moved on to the next kept entry, and the labels in force on kept entries
// set anew behind them. Ids and times of kept entries stay.
func (s *Session) Branch(leaf int, newID func(known func(string) bool) (string, error)) ([]Entry, error) {
	path, _ := s.PathIndex(leaf)
	kept := make([]Entry, 0, len(path))
	next := map[string]string{} // removed label to the kept entry after it
	var pending []string
	parent, on := "", make([]bool, len(s.Entries))
	for _, i := range path {
		e := s.Entries[i]
		if e.typ == TypeLabel {
			pending = append(pending, e.id)
			continue
		}
		for _, label := range pending {
			next[label] = e.id
		}
		pending = pending[:0]
		kept = append(kept, rechained(e, parent, next))
		parent, on[i] = e.id, true
	}
	onPath := func(id string) bool { i, ok := s.byID.find(id); return ok && on[i] }
	b := Batch{Leaf: parent, NewID: newID, Known: onPath}
	for _, l := range s.Labels() {
		if !onPath(l.Target) {
			continue
		}
		if ms, ok := js.ParseTime(l.Timestamp); ok {
			b.Now = ms
		}
		if _, err := b.Add(TypeLabel, js.StringField("targetId", l.Target), js.StringField("label", l.Name)); err != nil {
			return nil, err
		}
	}
	return append(kept, b.Entries...), nil
}

// rechained returns e as the child of parent, its bytes unchanged if it is that
// already.
func rechained(e Entry, parent string, next map[string]string) Entry {
	if e.parent != parent || e.Get("parentId") == "" {
		e = e.WithParent(parent)
	}
	if e.typ == TypeCompaction {
		if to, removed := next[e.Str("firstKeptEntryId")]; removed {
			e = e.WithRaw("firstKeptEntryId", js.Quote(to))
		}
	}
	return e
}

// ForkTitle returns the title of a fork of a session called name: name with
// " (fork #1)" behind it, or with the number of an earlier fork counted up. It
// is "" for a session without a name.
func ForkTitle(name string) string {
	if name == "" {
		return ""
	}
	const mark = " (fork #"
	if i := strings.LastIndex(name, mark); i > 0 {
		digits, ok := strings.CutSuffix(name[i+len(mark):], ")")
		n, err := strconv.ParseUint(digits, 10, 32)
		if ok && err == nil {
			return fmt.Sprintf("%s%s%d)", name[:i], mark, n+1)
		}
	}
	return name + mark + "1)"
}

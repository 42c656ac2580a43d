package check

import (
	"github.com/sess-tools/sess/pkg/session"
)

// tree checks parents, roots, heads and the end of the session.
func tree(s *session.Session) []Finding {
	out := parents(s)
	for _, first := range cycleStarts(len(s.Entries), s.Parent) { // each cycle once, at its first entry in the file
		out = append(out, found(s.Entries[first], session.Cycle, "its parents form a cycle"))
	}
	heads := s.Heads()
	if len(heads) > 1 {
		out = append(out, found(s.Entries[heads[len(heads)-1]], SeveralHeads, "%d branches end in this session", len(heads)))
	}
	return append(out, deadEnd(s)...)
}

func parents(s *session.Session) []Finding {
	var out []Finding
	roots := 0
	for i, e := range s.Entries {
		if at, ok := s.Index(e.ID()); !ok || at != i {
			continue
		}
		parent, ok := s.Parent(i)
		switch {
		case e.ParentID() == "":
			if roots++; roots > 1 {
				out = append(out, found(e, SeveralRoots, "root number %d", roots))
			}
		case !ok:
			out = append(out, found(e, session.MissingParent, "parent %q is missing: what came before is not on its path", e.ParentID()))
		case parent > i:
			out = append(out, found(e, ParentAfter, "parent %q comes later, on line %d", e.ParentID(), s.Entries[parent].Line()))
		}
	}
	return out
}

// cycleStarts returns, for each cycle among n entries, its entry that stands
// first. It does not recurse and visits each entry once.
func cycleStarts(n int, parent func(i int) (int, bool)) []int {
	const onWalk, done = 1, 2
	state := make([]byte, n)
	var starts, walk []int
	for i := range n {
		walk = walk[:0]
		j, ok := i, true
		for ok && state[j] == 0 {
			state[j] = onWalk
			walk = append(walk, j)
			j, ok = parent(j)
		}
		if ok && state[j] == onWalk {
			first := j
			for k := len(walk) - 1; walk[k] != j; k-- {
				first = min(first, walk[k])
			}
			starts = append(starts, first)
		}
		for _, k := range walk {
			state[k] = done
		}
	}
	return starts
}

// deadEnd reports a last entry that hides a newer or a longer branch: agents
// resume at the last entry, whatever it is. One that leaves a longer branch for
// a newer one is what going back and trying again looks like.
func deadEnd(s *session.Session) []Finding {
	leaf, ok := s.Leaf()
	if !ok {
		return nil
	}
	on := make([]bool, len(s.Entries))
	path, _ := s.PathIndex(leaf)
	for _, i := range path {
		on[i] = true
	}
	if newest, ok := s.NewestMessage(); ok && !on[newest] {
		return []Finding{found(s.Entries[leaf], DeadEnd, "the last entry is not on the path of the newest message, %q", s.Entries[newest].ID())}
	}
	if longest, ok := s.Longest(); ok && !on[longest] {
		f := found(s.Entries[leaf], DeadEnd, "the last entry is not on the longest path, which ends at %q", s.Entries[longest].ID())
		f.Severity = Note
		return []Finding{f}
	}
	return nil
}

// pairs checks that every tool result follows its call on its own path, and
// that every call has a result somewhere.
func pairs(s *session.Session) []Finding {
	n := len(s.Entries)
	p := pairing{s: s, calls: make([][]string, n), answers: make([]bool, n), result: make([]string, n), answered: map[string]bool{}, open: map[string]int{}}
	some := false
	for i, e := range s.Entries {
		m, ok := e.Message()
		if !ok {
			continue
		}
		for _, c := range m.ToolCalls() {
			p.calls[i] = append(p.calls[i], c.ID)
			some = true
		}
		if m.Role() == session.RoleToolResult {
			p.answers[i], p.result[i] = true, m.Str("toolCallId")
			some = true
			p.answered[p.result[i]] = true
		}
	}
	if !some {
		return nil
	}
	p.walk()
	for i, e := range s.Entries {
		for _, id := range p.calls[i] {
			if !p.answered[id] {
				p.out = append(p.out, found(e, NoResult, "tool call %q has no result", id))
			}
		}
	}
	return p.out
}

// A pairing walks the tree from the roots down and knows the calls between the
// root and where it is. It visits each entry once, whatever calls and results
// claim.
type pairing struct {
	s        *session.Session
	calls    [][]string // ids of the calls each entry makes
	answers  []bool     // whether it is a result
	result   []string   // id of the call it answers then
	answered map[string]bool
	open     map[string]int // calls on the way from the root
	out      []Finding
}

// walk visits the tree without recursion. Entries on or below a cycle hang from
// no root; they have findings enough.
func (p *pairing) walk() {
	n := len(p.s.Entries)
	child, sibling := make([]int, n), make([]int, n) // first child, next sibling; 0 is none, as i+1
	var stack []int                                  // i+1 to enter entry i, -(i+1) to leave it
	for i := n - 1; i >= 0; i-- {
		if parent, ok := p.s.Parent(i); ok {
			sibling[i], child[parent] = child[parent], i+1
		} else {
			stack = append(stack, i+1)
		}
	}
	for len(stack) > 0 {
		next := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if next < 0 {
			for _, id := range p.calls[-next-1] {
				p.open[id]--
			}
			continue
		}
		i := next - 1
		if p.answers[i] && p.open[p.result[i]] == 0 {
			p.out = append(p.out, found(p.s.Entries[i], OrphanResult, "tool result without a call %q before it on its path", p.result[i]))
		}
		for _, id := range p.calls[i] {
			p.open[id]++
		}
		stack = append(stack, -next)
		for c := child[next-1]; c != 0; c = sibling[c-1] {
			stack = append(stack, c)
		}
	}
}

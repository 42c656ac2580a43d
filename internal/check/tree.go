package check

import (
	"github.com/sess-tools/sess/pkg/session"
)

// tree checks parents, roots, heads and the end of the session.
func tree(s *session.Session) []Finding {
	out := parents(s)
	out = append(out, cycles(s)...)
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

// cycles reports each cycle once, at its first entry in the file.
func cycles(s *session.Session) []Finding {
	var out []Finding
	for _, first := range cycleStarts(len(s.Entries), s.Parent) {
		out = append(out, found(s.Entries[first], session.Cycle, "its parents form a cycle"))
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

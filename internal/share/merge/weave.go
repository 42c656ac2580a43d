package merge

import "slices"

// merged returns a copy with all lines of two copies of a set. It does not ask whether
// they contradict each other; see conflicts. With ownLast what only the first copy has,
// behind the last line that both have, stands behind all lines of the second: its leaf
// stays the leaf. Then the order of the two matters.
func merged(a, b *sequence, ownLast bool) *sequence {
	s := a.set
	out, state := s.newSequence(), make([]byte, s.length())
	out.entries = s.weave(a.entries, b.entries, ownLast, state)
	for above, lines := range a.loose {
		out.loose[above] = s.weave(lines, b.loose[above], false, state)
	}
	for above, lines := range b.loose {
		if _, both := a.loose[above]; !both {
			out.loose[above] = lines
		}
	}
	return out
}

// Whose a line is.
const (
	inA = 1 << iota
	inB
	done
)

// weave merges two sequences of lines. The state of each line is 0 before and after.
func (s *set) weave(a, b []int32, ownLast bool, state []byte) []int32 {
	if len(b) == 0 {
		return a
	}
	for _, n := range a {
		state[n] |= inA
	}
	for _, n := range b {
		state[n] |= inB
	}
	common := len(a) // up to where a has lines that both have
	for ownLast && common > 0 && state[a[common-1]]&inB == 0 {
		common--
	}
	out := make([]int32, 0, len(a)+len(b))
	for i, j := 0, 0; ; {
		for i < len(a) && state[a[i]]&done != 0 {
			i++
		}
		for j < len(b) && state[b[j]]&done != 0 {
			j++
		}
		var n int32
		switch {
		case i == len(a) && j == len(b):
			for _, n := range out {
				state[n] = 0
			}
			return out
		case j == len(b):
			n = a[i]
		case i == len(a) || i >= common:
			n = b[j]
		default:
			n = s.first(a[i], b[j], state[a[i]]&inB != 0, state[b[j]]&inA != 0)
		}
		state[n] |= done
		out = append(out, n)
	}
}

// first returns which of two heads goes first; shared is what the other copy has too.
func (s *set) first(a, b int32, sharedA, sharedB bool) int32 {
	switch {
	case a == b:
		return a
	case sharedA && !sharedB:
		return b
	case sharedB && !sharedA:
		return a
	case s.compare(b, a) < 0: // each alone, or the copies contradict each other
		return b
	}
	return a
}

// A conflict is an id for which each of two copies has lines that the other has not. If
// only one of them has, it was appended to the copy, and the last entry with an id
// counts.
type conflict struct {
	ID    string
	lines [2][]int // of the first copy alone and of the second, in order
}

// Conflicts returns where two copies of a set contradict each other, by rank.
func conflicts(a, b *sequence) []conflict {
	s := a.set
	if len(s.contested) == 0 {
		return nil
	}
	var has [2]func(int) bool
	copies := [2]*sequence{a, b}
	for i, c := range copies {
		has[i] = c.has()
	}
	found := map[int32]*conflict{}
	for i, c := range copies {
		for _, n := range c.entries {
			id := s.nodes[n].id
			if !s.contested[id] || has[1-i](int(n)) {
				continue
			}
			if found[id] == nil {
				found[id] = &conflict{ID: string(s.name(id))}
			}
			found[id].lines[i] = append(found[id].lines[i], int(n))
		}
	}
	var out []conflict
	for _, c := range found {
		if len(c.lines[0]) > 0 && len(c.lines[1]) > 0 {
			out = append(out, *c)
		}
	}
	slices.SortFunc(out, func(x, y conflict) int { return s.compare(int32(x.lines[0][0]), int32(y.lines[0][0])) })
	return out
}

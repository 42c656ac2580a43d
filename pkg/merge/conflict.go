package merge

import "slices"

// A Conflict is an id for which each of two copies has lines that the other has not. If
// only one of them has, it was appended to the copy, and the last entry with an id
// counts.
type Conflict struct {
	ID    string
	Lines [2][]int // of the first copy alone and of the second, in order
}

// Conflicts returns where two copies of a set contradict each other, by rank.
func Conflicts(a, b *Copy) []Conflict {
	s := a.set
	if len(s.contested) == 0 {
		return nil
	}
	var has [2]func(int) bool
	copies := [2]*Copy{a, b}
	for i, c := range copies {
		has[i] = c.Has()
	}
	found := map[int32]*Conflict{}
	for i, c := range copies {
		for _, n := range c.entries {
			id := s.nodes[n].id
			if !s.contested[id] || has[1-i](int(n)) {
				continue
			}
			if found[id] == nil {
				found[id] = &Conflict{ID: string(s.name(id))}
			}
			found[id].Lines[i] = append(found[id].Lines[i], int(n))
		}
	}
	var out []Conflict
	for _, c := range found {
		if len(c.Lines[0]) > 0 && len(c.Lines[1]) > 0 {
			out = append(out, *c)
		}
	}
	slices.SortFunc(out, func(x, y Conflict) int { return s.compare(int32(x.Lines[0][0]), int32(y.Lines[0][0])) })
	return out
}

// Compare orders two lines by their rank.
func (s *Set) Compare(a, b int) int { return s.compare(int32(a), int32(b)) }

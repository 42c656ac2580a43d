package pi

import "github.com/sess-tools/sess/pkg/session"

// unlooped returns the entries with every cycle of parents cut, since pi and
// oh-my-pi 13 never come out of one: the first entry of a cycle in the file
// becomes a root, and is told to cut.
func unlooped(s *session.Session, cut func(session.Entry)) []session.Entry {
	const (
		unseen = iota
		under
		done
	)
	state := make([]byte, len(s.Entries))
	roots := map[int]bool{}
	for i := range s.Entries {
		var trail []int
		at := i
		for state[at] == unseen {
			state[at] = under
			trail = append(trail, at)
			up, ok := s.Parent(at)
			if !ok {
				break
			}
			at = up
		}
		if _, hasParent := s.Parent(at); hasParent && state[at] == under {
			roots[firstOfCycle(s, at)] = true
		}
		for _, j := range trail {
			state[j] = done
		}
	}
	if len(roots) == 0 {
		return s.Entries
	}
	out := append([]session.Entry(nil), s.Entries...)
	for i, e := range out {
		if roots[i] {
			cut(e)
			out[i] = e.WithParent("")
		}
	}
	return out
}

// firstOfCycle returns the entry of the cycle through at that stands first in the
// file.
func firstOfCycle(s *session.Session, at int) int {
	first := at
	for up, ok := s.Parent(at); ok && up != at; up, ok = s.Parent(up) {
		first = min(first, up)
	}
	return first
}

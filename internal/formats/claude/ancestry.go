package claude

// An ancestry finds ancestors of entries in logarithmic time. A parent of -1 is none.
// Besides its parent each entry knows one ancestor further up, chosen so that any
// depth is reached in few steps.
type ancestry struct{ parent, jump, depth []int }

// newAncestry makes the ancestry of entries with these parents. A cycle is cut where it
// closes. Each entry is visited once.
func newAncestry(parent []int) *ancestry {
	a := &ancestry{parent: parent, jump: make([]int, len(parent)), depth: make([]int, len(parent))}
	var chain []int
	for i := range parent {
		chain = chain[:0]
		for j := i; j >= 0 && a.depth[j] == 0; j = parent[j] {
			a.depth[j] = -1 // on the chain
			chain = append(chain, j)
		}
		for k := len(chain) - 1; k >= 0; k-- {
			a.add(chain[k])
		}
	}
	return a
}

// add adds an entry whose parent was added, or is none.
func (a *ancestry) add(i int) {
	p := a.parent[i]
	if p < 0 || a.depth[p] < 0 {
		a.parent[i], a.jump[i], a.depth[i] = -1, i, 1
		return
	}
	a.depth[i], a.jump[i] = a.depth[p]+1, p
	if j := a.jump[p]; a.depth[p]-a.depth[j] == a.depth[j]-a.depth[a.jump[j]] {
		a.jump[i] = a.jump[j]
	}
}

// at returns the ancestor of i, or i itself, that has a depth of at most i's.
func (a *ancestry) at(i, depth int) int {
	for a.depth[i] > depth {
		if a.depth[a.jump[i]] >= depth {
			i = a.jump[i]
		} else {
			i = a.parent[i]
		}
	}
	return i
}

// above reports whether i is j or an ancestor of it.
func (a *ancestry) above(i, j int) bool { return a.depth[i] <= a.depth[j] && a.at(j, a.depth[i]) == i }

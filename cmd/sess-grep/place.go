package main

import (
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// A spot is where an entry is in the tree of its session.
type spot byte

const (
	onBranch    spot = iota // on another branch than that of the leaf
	onPath                  // on the path to the leaf, and in the context
	onCompacted             // on the path, and left out of the context by a compaction
	onRemoved               // on the path, and taken out of the context by an edit or a reset
)

func (s spot) String() string { return [...]string{"branch", "path", "compacted", "removed"}[s] }

// Places say where the entries of a session are.
type places struct {
	s        *session.Session
	path     []int         // positions of the entries of the path
	at       []int32       // where on it each entry is, counted from 1; 0 for none
	on       []spot        // of each entry
	children map[int][]int // made when asked for
	depths   []int32       // -1 where it is not known yet
}

// place finds out where the entries of a document are.
func (g *search) place(d *document) (*places, error) {
	leaf, err := d.ResolveLeaf(g.leaf)
	if err != nil {
		return nil, operand.Locate(d.in.Name, err)
	}
	p := &places{s: d.Session, at: make([]int32, len(d.Entries)), on: make([]spot, len(d.Entries))}
	var problems []session.Problem
	p.path, problems = d.PathIndex(leaf)
	d.in.Warn(problems)
	entries := make([]session.Entry, len(p.path))
	last := onCompacted
	for n, i := range p.path {
		p.at[i], entries[n] = int32(n+1), d.Entries[i]
		switch d.Entries[i].Type() {
		case session.TypeCompaction:
			last = onCompacted
		case session.TypeResetBoundary:
			last = onRemoved
		}
	}
	for _, i := range p.path {
		p.on[i] = last
	}
	var edited []string
	for n, e := range convo.Project(entries) {
		i, _ := d.Index(e.Entry.ID())
		p.on[i] = onPath
		switch e.Entry.Type() {
		case session.TypeCompaction:
			if n > 0 {
				p.on[i] = onCompacted // an older one, inside what the newest keeps
			}
		case session.TypeContextEdit:
			edited = append(edited, e.Entry.Str("targetId"))
		}
	}
	for _, id := range edited {
		if i, ok := d.Index(id); ok && p.on[i] == onPath {
			p.on[i] = onRemoved // what a model sees instead is the text of the edit
		}
	}
	return p, nil
}

// selects reports whether the flags select an entry by its place.
func (g *search) selects(p *places, i int) bool {
	switch {
	case g.onPath:
		return p.on[i] != onBranch
	case g.context:
		return p.on[i] == onPath
	}
	return true
}

// depth returns how many entries are above an entry on its path.
func (p *places) depth(i int) int {
	if p.depths == nil {
		p.depths = make([]int32, len(p.s.Entries))
		for i := range p.depths {
			p.depths[i] = -1
		}
	}
	var above []int
	for p.depths[i] < 0 {
		parent, ok := p.s.Parent(i)
		if !ok || len(above) > len(p.depths) { // a root, or a cycle
			p.depths[i] = 0
			break
		}
		above = append(above, i)
		i = parent
	}
	d := p.depths[i]
	for n := len(above) - 1; n >= 0; n-- {
		if p.depths[above[n]] < 0 {
			d++
			p.depths[above[n]] = d
		}
	}
	if len(above) > 0 {
		return int(p.depths[above[0]])
	}
	return int(d)
}

// around returns the entries before and after one along its path, nearest last and
// first: its ancestors, and what follows on the path to the leaf or, off that, on the
// branch that was written to last.
func (p *places) around(i, before, after int) (up, down []int) {
	for at := i; len(up) < before; {
		parent, ok := p.s.Parent(at)
		if !ok {
			break
		}
		up = append(up, parent)
		at = parent
	}
	if n := int(p.at[i]); n > 0 {
		return up, p.path[n:min(len(p.path), n+after)]
	}
	if p.children == nil {
		p.children = map[int][]int{}
		for i := range p.s.Entries {
			if parent, ok := p.s.Parent(i); ok {
				p.children[parent] = append(p.children[parent], i)
			}
		}
	}
	for at := i; len(down) < after; {
		next := p.children[at]
		if len(next) == 0 {
			break
		}
		at = next[len(next)-1]
		down = append(down, at)
	}
	return up, down
}

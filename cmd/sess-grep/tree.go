package main

import (
	"context"
	"maps"
	"slices"

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

// A kind is the property of an entry that decides about the context.
type kind byte

const (
	isOther kind = iota
	isCompaction
	isReset
	isEdit
	isSystem
)

// types are the types of the kinds; a system message is told by its role.
var types = [...]string{isCompaction: session.TypeCompaction, isReset: session.TypeResetBoundary, isEdit: session.TypeContextEdit, isSystem: session.TypeMessage}

// A tree is the tree of a session, in some thirty bytes an entry. Entries are known by
// their positions; -1 is none.
type tree struct {
	offsets []int64
	lines   []int32
	parents []int32
	kinds   []kind
	named   map[int32]string // by compactions the first entry kept, by edits their target
	targets map[int32]int32
	path    []int
	at      []int32 // where on the path each entry is, counted from 1; 0 for not on it
	on      []spot

	children map[int32][]int32 // made when asked for
	depths   []int32           // -1 where it is not known yet; made when asked for
}

// add adds an entry.
func (t *tree) add(e session.Entry) {
	i := int32(len(t.offsets))
	t.offsets = append(t.offsets, e.Offset())
	t.lines = append(t.lines, int32(e.Line()))
	k := kind(max(0, slices.Index(types[:isSystem], e.Type())))
	if e.Role() == session.RoleSystem {
		k = isSystem
	}
	t.kinds = append(t.kinds, k)
	switch k {
	case isCompaction:
		t.named[i] = e.Str("firstKeptEntryId")
	case isEdit:
		t.named[i] = e.Str("targetId")
	}
}

// plainTree reads the tree of a session in which nothing is wrong and every entry stands
// behind its parent; ok is false for any other, and nothing is said of it. The leaf is
// its last entry.
func (d *document) plainTree(ctx context.Context) (t *tree, ok bool, err error) {
	t, skeleton := &tree{named: map[int32]string{}}, session.NewSkeleton(0)
	ok, err = session.EachOutline(d.reader(ctx, 0), func(e session.Entry) bool {
		t.add(e)
		skeleton.AddEntry(e)
		return e.ID() != ""
	})
	if err != nil || !ok || skeleton.Repeats() {
		return nil, false, err
	}
	if t.parents, ok = skeleton.Parents(); !ok || !t.aim(skeleton.FindAll) {
		return nil, false, nil
	}
	for i := len(t.offsets) - 1; i >= 0; i = int(t.parents[i]) {
		t.path = append(t.path, i)
	}
	slices.Reverse(t.path)
	t.locate()
	return t, true, nil
}

// aim finds the entries that others name. It reports whether each compaction keeps from an
// entry on that stands before it.
func (t *tree) aim(find func(ids []string) []int) bool {
	entries := slices.Sorted(maps.Keys(t.named))
	ids := make([]string, len(entries))
	for n, i := range entries {
		ids[n] = t.named[i]
	}
	t.targets = make(map[int32]int32, len(ids))
	plain := true
	for n, at := range find(ids) {
		i := entries[n]
		t.targets[i] = int32(at)
		plain = plain && (t.kinds[i] != isCompaction || at >= 0 && at < int(i))
	}
	return plain
}

// treeOf returns the tree of a session that was read, with the path to a leaf.
func treeOf(s *session.Session, leaf int) (*tree, []session.Problem) {
	t := &tree{named: map[int32]string{}}
	for i, e := range s.Entries {
		parent, ok := s.Parent(i)
		if !ok {
			parent = -1
		}
		t.add(e)
		t.parents = append(t.parents, int32(parent))
	}
	t.aim(func(ids []string) []int {
		found := make([]int, len(ids))
		for n, id := range ids {
			i, ok := s.Index(id)
			if found[n] = i; !ok {
				found[n] = -1
			}
		}
		return found
	})
	var problems []session.Problem
	t.path, problems = s.PathIndex(leaf)
	t.locate()
	return t, problems
}

// locate finds out where the entries are, from the path.
func (t *tree) locate() {
	t.at, t.on = make([]int32, len(t.offsets)), make([]spot, len(t.offsets))
	last := onCompacted
	for n, i := range t.path {
		t.at[i] = int32(n + 1)
		switch t.kinds[i] {
		case isCompaction:
			last = onCompacted
		case isReset:
			last = onRemoved
		}
	}
	for _, i := range t.path {
		t.on[i] = last
	}
	selected := convo.Select(len(t.path), func(n int) convo.Step[int32] {
		i := t.path[n]
		s := convo.Step[int32]{Type: types[t.kinds[i]], ID: int32(i), FirstKept: -1, System: t.kinds[i] == isSystem}
		if first, ok := t.targets[int32(i)]; ok {
			s.FirstKept = first
		}
		return s
	})
	var edits []int
	for n, at := range selected {
		i := t.path[at]
		t.on[i] = onPath
		switch {
		case t.kinds[i] == isCompaction && n > 0:
			t.on[i] = onCompacted // an older one, inside what the newest keeps
		case t.kinds[i] == isEdit:
			edits = append(edits, i)
		}
	}
	for _, i := range edits {
		if target := t.targets[int32(i)]; target >= 0 && t.on[target] == onPath {
			t.on[target] = onRemoved // what a model sees instead is the text of the edit
		}
	}
}

// depth returns how many entries are above an entry on its path.
func (t *tree) depth(i int) int {
	if t.depths == nil {
		t.depths = make([]int32, len(t.parents))
		for i := range t.depths {
			t.depths[i] = -1
		}
	}
	var unknown []int
	for at := i; at >= 0 && t.depths[at] < 0 && len(unknown) <= len(t.parents); at = int(t.parents[at]) {
		unknown = append(unknown, at)
	}
	for n := len(unknown) - 1; n >= 0; n-- {
		at := unknown[n]
		if t.depths[at] = 0; t.parents[at] >= 0 {
			t.depths[at] = t.depths[t.parents[at]] + 1
		}
	}
	return int(t.depths[i])
}

// around returns the entries before and after one along its path: its ancestors, the
// nearest last, and what follows on the path to the leaf or, off that, on the branch
// that was written to last. Where parents form a cycle it goes round once.
func (t *tree) around(i, before, after int) (up, down []int) {
	seen := map[int]bool{i: true}
	for at := int(t.parents[i]); at >= 0 && len(up) < before && !seen[at]; at = int(t.parents[at]) {
		seen[at] = true
		up = append(up, at)
	}
	slices.Reverse(up)
	return up, t.below(i, after, seen)
}

// below returns up to so many entries that follow one, none that was seen, and notes them.
func (t *tree) below(i, after int, seen map[int]bool) (down []int) {
	if n := int(t.at[i]); n > 0 {
		for _, at := range t.path[n:min(len(t.path), n+after)] {
			if seen[at] {
				break
			}
			seen[at] = true
			down = append(down, at)
		}
		return down
	}
	if t.children == nil {
		t.children = map[int32][]int32{}
		for i, parent := range t.parents {
			t.children[parent] = append(t.children[parent], int32(i))
		}
	}
	for at := int32(i); len(down) < after; {
		next := t.children[at]
		if len(next) == 0 {
			break
		}
		at = next[len(next)-1]
		if seen[int(at)] {
			break
		}
		seen[int(at)] = true
		down = append(down, int(at))
	}
	return down
}

// downwards returns entries so that none stands in front of one of its ancestors: as they
// are, unless there are parents behind their children.
func (t *tree) downwards(list []int) []int {
	for i, parent := range t.parents {
		if int(parent) >= i {
			sorted := slices.Clone(list)
			slices.SortStableFunc(sorted, func(a, b int) int { return t.depth(a) - t.depth(b) })
			return sorted
		}
	}
	return list
}

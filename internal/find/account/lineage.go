package account

import (
	"path"
	"strings"
)

// A node is a session among those of an agent, wherever its file is now.
type node struct{ agent, id string }

func (s *Session) node() node { return node{s.Agent, s.ID} }

// A lineage knows which sessions descend from which.
type lineage struct {
	parents map[node]node
}

// newLineage finds the parents of sessions. What a session has for its parent is an id or
// the path that the parent had once: the end of a file's name is the id.
func newLineage(sessions []Session) *lineage {
	ids := map[node]string{} // by the base of a name
	for i := range sessions {
		s := &sessions[i]
		ids[node{s.Agent, base(s.Name)}] = s.ID
	}
	kin := &lineage{parents: map[node]node{}}
	for i := range sessions {
		s := &sessions[i]
		if s.Parent == "" {
			continue
		}
		name := base(s.Parent)
		id, ok := ids[node{s.Agent, name}]
		if !ok {
			id = name[strings.LastIndexByte(name, '_')+1:]
		}
		if parent := (node{s.Agent, id}); parent != s.node() {
			kin.parents[s.node()] = parent
		}
	}
	return kin
}

// base is the name of a session's file alone.
func base(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), ".v2"), ".jsonl")
}

// each calls visit for the ancestors of a session, the nearest first, until it returns
// false. In a circle each comes once.
func (k *lineage) each(n node, visit func(node) bool) {
	seen := map[node]bool{n: true}
	for {
		parent, ok := k.parents[n]
		if !ok || seen[parent] || !visit(parent) {
			return
		}
		seen[parent] = true
		n = parent
	}
}

// root is the first of the ancestors of a session, which need not be among those that
// were read. Of a circle it is the same one for all.
func (k *lineage) root(n node) node {
	root, last := n, n
	k.each(n, func(a node) bool { last = a; root = a; return true })
	if _, circle := k.parents[last]; circle {
		k.each(last, func(a node) bool {
			if a.id < root.id {
				root = a
			}
			return true
		})
	}
	return root
}

// descends reports whether a session has one of those given for an ancestor.
func (k *lineage) descends(n node, from map[node]bool) (yes bool) {
	k.each(n, func(a node) bool {
		yes = from[a]
		return !yes
	})
	return yes
}

// Parents returns the address of the parent of each session that has one, by address.
func (l *Ledger) Parents() map[string]string {
	out := map[string]string{}
	for child, parent := range newLineage(l.sessions).parents {
		out[(&Session{ID: child.id, Agent: child.agent}).Address()] = (&Session{ID: parent.id, Agent: parent.agent}).Address()
	}
	return out
}

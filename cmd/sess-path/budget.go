package main

import (
	"slices"

	"github.com/sess-tools/sess/internal/view"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// cut keeps the longest tail of the path that fits the budget. What is left is
// chained anew, so that it is a session of its own. What --reinject and --system
// add comes off the budget.
func (r *renderer) cut() {
	projection := convo.Project(r.path)
	kept, ok := view.Budget(projection, r.budget-view.Tokens(r.initial)-view.Tokens(r.inFront(projection)))
	if !ok {
		part := "the newest part alone needs"
		if len(r.initial) > 0 {
			part = "the initial context and the newest part need"
		}
		r.streams.Warnf("%s: %s more than %d tokens", r.name, part, r.budget)
	}
	r.projection = kept
	keep := map[string]bool{}
	for _, p := range kept {
		keep[p.Entry.ID()] = true
	}
	var path []session.Entry
	parent, first := "", ""
	for _, e := range r.path {
		if !keep[e.ID()] {
			continue
		}
		if e.ParentID() != parent {
			e = e.WithParent(parent)
		}
		if first == "" {
			first = e.ID()
		}
		if e.Type() == session.TypeCompaction && !keep[e.Str("firstKeptEntryId")] {
			e = e.WithRaw("firstKeptEntryId", js.Quote(first))
		}
		path = append(path, e)
		parent = e.ID()
	}
	r.path = path
}

// inFront is the system prompt that --system puts in front of a context: none if
// the context has one, or if the form shows none.
func (r *renderer) inFront(projection []convo.Projected) []convo.Projected {
	switch r.as {
	case "entries", "context", "state", "messages":
		return nil
	}
	isSystem := func(m session.Message) bool { return m.Role() == session.RoleSystem }
	if len(r.prompt) == 0 || slices.ContainsFunc(convo.MessagesOf(slices.Concat(r.initial, projection)), isSystem) {
		return nil
	}
	return []convo.Projected{{Messages: r.prompt}}
}

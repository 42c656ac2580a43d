package main

import (
	"github.com/sess-tools/sess/internal/view"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// cut keeps the longest tail of the path that fits the budget. What is left is
// chained anew, so that it is a session of its own. What --reinject adds comes
// off the budget.
func (r *renderer) cut() {
	kept, ok := view.Budget(session.Project(r.path), r.budget-view.Tokens(r.initial))
	if !ok {
		part := "the newest part alone needs"
		if len(r.initial) > 0 {
			part = "the initial context and the newest part need"
		}
		r.streams.Warnf("%s: %s more than %d tokens", r.src.Name, part, r.budget)
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

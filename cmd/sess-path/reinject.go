package main

import (
	"slices"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// reinjects are the places --reinject takes; the first is the default.
var reinjects = []string{"none", "after-summary", "before-last-user"}

// lost returns the initial context that --reinject asks for, as far as the form
// shows it.
func (r *renderer) lost() []convo.Projected {
	if r.reinject == "none" {
		return nil
	}
	initial := convo.InitialContext(r.path)
	switch r.as {
	case "context", "messages":
		return initial
	}
	if r.system {
		return initial
	}
	return slices.DeleteFunc(initial, func(p convo.Projected) bool {
		return p.Messages[0].Role() == session.RoleSystem
	})
}

// putBack puts the initial context where --reinject wants it.
func (r *renderer) putBack() {
	at := convo.AfterSummary
	if r.reinject == "before-last-user" {
		at = convo.BeforeLastUser
	}
	r.projection = convo.Reinject(r.projection, r.initial, at)
}

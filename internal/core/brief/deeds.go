// Package brief says without a model what a session, or a part of it, is about: the requests, the answers, the files, the
// commands with their statuses, the failures, and the calls that are open. It quotes and counts, and guesses nothing of what a
// text means.
//
// [Of] walks entries once. There is a form for each kind of reader: [Deeds.Summary] stands in the place of entries that a
// compaction takes out, [Deeds.Lines] are for people, [Deeds.Prompt] is for the agent that goes on, and a [Report] tells what
// leaves a context. Package calls alone says what a call did and how it ended.
package brief

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A Said is a text, and the id of the entry that has it.
type Said struct{ Entry, Text string }

// A Deed is a call, or a command that the user ran.
type Deed struct {
	calls.Call
	At   string // the id of the entry that has it
	User bool   // the user ran it
}

// Deeds are what was said and done in entries.
type Deeds struct {
	Asked    []Said // what the user typed, oldest first
	Answer   Said   // the last reply that has a text
	Failure  Said   // how the run ended if the model or its program failed, and nothing was said behind it
	Earlier  Said   // the summary of the newest compaction, unless everything was left behind since
	Branches []Said // the summaries of branches that were left
	Done     []Deed // oldest first
}

// Of returns the deeds of entries: those of a path, or of a session in the order of its file. cwd is the session's directory,
// below which paths are relative.
func Of(entries []session.Entry, cwd string) Deeds {
	var d Deeds
	for i, e := range entries {
		if text, ok := convo.Prompt(e); ok {
			d.Asked, d.Failure = append(d.Asked, Said{e.ID(), text}), Said{}
		}
		switch e.Type() {
		case session.TypeMessage:
			m, _ := e.Message()
			d.message(i, e.ID(), m)
		case session.TypeCompaction:
			d.Earlier = Said{e.ID(), e.Str("summary")}
		case session.TypeResetBoundary:
			d.Earlier = Said{}
		case session.TypeBranchSummary:
			d.Branches = append(d.Branches, Said{e.ID(), e.Str("summary")})
		case session.TypeCustom:
			d.ended(e)
		}
	}
	for _, c := range calls.Of(entries, cwd) {
		d.Done = append(d.Done, Deed{Call: c, At: entries[c.Entry].ID()})
	}
	slices.SortStableFunc(d.Done, func(a, b Deed) int { return a.Entry - b.Entry })
	return d
}

// message takes what the message of the i-th entry says by itself.
func (d *Deeds) message(i int, id string, m session.Message) {
	command := ""
	switch m.Role() {
	case session.RoleAssistant:
		if text := m.Text("\n"); strings.TrimSpace(text) != "" {
			d.Answer = Said{id, text}
		}
		d.Failure = Said{}
		if m.Str("stopReason") == "error" {
			d.Failure = Said{id, "the model failed: " + m.Str("errorMessage")}
		}
	case session.RoleBashExecution:
		command = m.Str("command")
	case session.RolePythonExecution:
		command = m.Str("code")
	}
	if command == "" || js.Value(m.Get("excludeFromContext")).Truthy() { // that is for the user's eyes alone
		return
	}
	c := calls.Call{Ending: calls.End(m), Entry: i, Result: i, Kind: calls.Run, Command: command, Target: command}
	d.Done = append(d.Done, Deed{Call: c, At: id, User: true})
}

// ended takes the status of the program of which sess-record made the session.
func (d *Deeds) ended(e session.Entry) {
	data := js.Value(e.Get("data"))
	if status := data.Get("status"); e.Str("customType") == session.CustomRun && status.IsNumber() && status.Int() != 0 && d.Failure.Text == "" {
		d.Failure = Said{e.ID(), "the program ended with status " + string(status)}
	}
}

// here reports whether a deed was done on the user's machine, and something is to be said of it.
func (d Deed) here() bool { return d.By == "" && (d.User || d.Name != "" || !d.Unread) }

// ran reports whether a deed is a command that was run, whatever became of it.
func (d Deed) ran() bool { return d.here() && d.Command != "" && d.Outcome != calls.Denied }

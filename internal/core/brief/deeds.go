// Package brief says without a model what a session, or a part of it, is about: the requests, the answers, the files, the
// commands with their statuses, the failures, and the calls that are open. It quotes and counts, and guesses nothing of what a
// text means.
//
// [Of] walks entries once. There is a form for each kind of reader: [Deeds.Summary] stands in the place of entries that a
// compaction takes out, [Deeds.Lines] are for people, [Deeds.Prompt] is for the agent that goes on, and a [Report] tells what
// leaves a context. Package calls alone says what a call did and how it ended.
package brief

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// A Said is a text, and the id of the entry that has it.
type Said struct{ Entry, Text string }

// A Deed is a call, or a command that the user ran.
type Deed struct {
	calls.Call
	At      string // the id of the entry that has it
	User    bool   // the user ran it
	Printed string // of one that failed the last line of its result that says something beside its status
}

// Deeds are what was said and done in entries.
type Deeds struct {
	Asked    []Said // what the user typed, oldest first
	Answer   Said   // the last reply that has a text
	Failure  Said   // how the run ended if the model or its program failed, and nothing was said behind it
	Earlier  Said   // the summary of the newest compaction, unless everything was left behind since
	Branches []Said // the summaries of branches that were left
	Done     []Deed // oldest first

	before  string // the summary before, when one is made
	stopped string // why the last reply was stopped, as its program says
	run     string // "status 1 after 12 s" of a program that was recorded and failed, or whose model failed
}

// Of returns the deeds of entries: those of a path, or of a session in the order of its file. cwd is the session's directory,
// below which paths are relative.
func Of(entries []session.Entry, cwd string) Deeds {
	var d Deeds
	for i, e := range entries {
		if text, ok := typed.Prompt(e); ok {
			d.Asked, d.Failure, d.run = append(d.Asked, Said{e.ID(), text}), Said{}, ""
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
		deed := Deed{Call: c, At: entries[c.Entry].ID()}
		if c.Outcome == calls.Fail && c.Result >= 0 && c.In == "" {
			m, _ := entries[c.Result].Message()
			deed.Printed = lastLine(calls.Printed(m.Text("\n")))
		}
		d.Done = append(d.Done, deed)
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
		d.Failure, d.stopped, d.run = Said{}, "", ""
		switch text := m.Str("errorMessage"); m.Str("stopReason") {
		case "error":
			if !strings.HasPrefix(text, session.RunEnded) {
				text = "the model failed: " + text
			}
			d.Failure = Said{id, text}
		case "aborted":
			d.stopped = text
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
	deed := Deed{Call: c, At: id, User: true}
	if c.Outcome == calls.Fail {
		deed.Printed = lastLine(m.Str("output"))
	}
	d.Done = append(d.Done, deed)
}

// ended takes how the program ended of which sess-record made the session.
func (d *Deeds) ended(e session.Entry) {
	data := js.Value(e.Get("data"))
	status := data.Get("status")
	if e.Str("customType") != session.CustomRun || !status.IsNumber() {
		return
	}
	if status.Int() != 0 && d.Failure.Text == "" {
		d.Failure = Said{e.ID(), cmp.Or(d.stopped, "the program ended with status "+string(status))}
	}
	if d.Failure.Text != "" {
		d.run = fmt.Sprintf("status %s after %.0f s", status, data.Get("seconds").Float())
	}
}

// end says how the run ended, if it failed: with its status and its time, if they are known.
func (d Deeds) end() string {
	text := d.Failure.Text
	if text == "" || d.run == "" {
		return text
	}
	if rest, ok := strings.CutPrefix(text, session.RunEnded); ok {
		_, text, _ = strings.Cut(rest, ": ")
	} else if strings.HasPrefix(text, "the program ended") {
		text = ""
	}
	return strings.TrimSuffix(d.run+": "+text, ": ")
}

// here reports whether a deed was done on the user's machine, and something is to be said of it.
func (d Deed) here() bool { return d.By == "" && (d.User || d.Name != "" || !d.Unread) }

// ran reports whether a deed is a command that was run, whatever became of it.
func (d Deed) ran() bool { return d.here() && d.Command != "" && d.Outcome != calls.Denied }

// wrote reports whether a deed changed files: those of its Paths.
func (d Deed) wrote() bool {
	return d.here() && d.Outcome == calls.OK && (d.Kind == calls.Write || d.Patched)
}

// subject names a deed in one line: its command, or its tool and what that is about.
func (d Deed) subject() string {
	if d.Command != "" {
		return "`" + shorten(firstLine(d.Command), subjectUnits) + "`"
	}
	return strings.TrimSpace(shorten(d.Name, subjectUnits) + " " + shorten(firstLine(d.Target), subjectUnits))
}

// how says how a deed ended, with the status of a command if that is known.
func (d Deed) how() string {
	switch {
	case d.Known && d.Outcome != calls.Denied:
		return "status " + d.String()
	case d.Outcome == calls.Fail:
		return "failed"
	}
	return d.Outcome
}

// newest returns the newest of the deeds that do the same, oldest first, of those that have ended.
func (d *Deeds) newest() (list []Deed) {
	seen := map[string]bool{}
	for _, c := range slices.Backward(d.Done) {
		same := c.Kind + "\x00" + c.Command + "\x00" + c.Target
		if c.Result < 0 || !c.here() || seen[same] {
			continue
		}
		seen[same] = true
		list = append(list, c)
	}
	slices.Reverse(list)
	return list
}

// A file is one that was changed.
type file struct {
	name, at string // as calls have it, and the id of the entry that changed it last
	left     string // the text that was left in it, "" if that is not known
	times    int
}

// files returns the files that were changed, the newest last.
func (d *Deeds) files() []file {
	byName := map[string]file{}
	last := map[string]int{} // the number of the newest change
	n := 0
	for _, c := range d.Done {
		if !c.wrote() {
			continue
		}
		for _, name := range c.Paths {
			n++
			byName[name] = file{name, c.At, c.Left(), byName[name].times + 1}
			last[name] = n
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b file) int { return last[a.name] - last[b.name] })
}

// plans are the tools that write down a plan, and the members that have its items and their texts.
var plans = map[string][2]string{
	"TodoWrite": {"todos", "content"}, "todowrite": {"todos", "content"}, "update_plan": {"plan", "step"},
}

// states are the states of items of a plan that are told; any other one is pending.
var states = map[string]string{"in_progress": "in_progress", "blocked": "blocked"}

// An open is work that is not done: a text of the session between words of ours.
type open struct {
	at, before, text, after string
	command                 bool // of the text the first line is told
}

// told returns the part of the text that a brief has. clean gets the text whole.
func (o open) told(clean func(string) string) string {
	text := clean(o.text)
	if o.command {
		return firstLine(text)
	}
	return text
}

// open returns the work that is not done: the rest of the newest plan, calls without results, and commands and agents in the
// background whose end is not told.
func (d *Deeds) open() (list []open) {
	for _, c := range slices.Backward(d.Done) {
		_, own := calls.Own(c.Name)
		plan, ok := plans[own]
		if !ok || !c.here() {
			continue
		}
		for item := range js.Value(c.Arguments).Get(plan[0]).Elements() {
			if state := item.Get("status").Str(); state != "completed" && state != "cancelled" {
				list = append(list, open{at: c.At, text: item.Get(plan[1]).Str(), after: " (" + cmp.Or(states[state], "pending") + ")"})
			}
		}
		break
	}
	for _, c := range slices.Backward(d.Done) {
		switch {
		case !c.here() || c.Outcome != calls.Open:
		case c.Result < 0:
			list = append(list, open{at: c.At, before: "a call of ", text: c.Name, after: " without a result"})
		case c.Kind == calls.Run || c.Kind == calls.Agent:
			list = append(list, open{at: c.At, before: "`", text: c.Target, after: "`, in the background: its end is not told", command: true})
		}
	}
	return list
}

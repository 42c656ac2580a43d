package compact

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A Report tells what a compaction or a context_edit takes out of the context.
// The lines of the session stay as they are: their numbers and ids say where to
// find it.
//
// All tokens are estimates by convo.Estimate, so that they compare, and the
// system messages of a context count as the one that says the same. Unless the
// system message changes, TokensAfter is TokensBefore - TokensOut +
// SummaryTokens.
type Report struct {
	Type string // of the entry: compaction or context_edit
	ID   string // of the entry, "" for a plan
	From string // id of the first of Entries, "" if there are none
	To   string // id of the last of Entries
	Kept string // id of the first entry that a compaction keeps; its own, or "" for a plan, if none

	TokensBefore  int64
	TokensAfter   int64 // of a plan, without the summary, which is still to be made
	TokensOut     int64 // the sum of those of Entries
	SummaryTokens int64 // 0 for a plan and a context_edit

	Entries  []ReportEntry   // in the order of the path
	Files    FileOps         // that the calls and results among Entries name
	Commands []ReportCommand // that ran in Entries, or whose results are among them
}

// A ReportEntry is an entry whose messages leave the context.
type ReportEntry struct {
	ID, Type string
	Role     string // of its message
	Tokens   int64  // that leave; below 0 if an edit puts more in their place
	Partly   bool   // something stays in its place: an edit's content, or a copy that was cut
	Line     int    // in the session it was read from, 0 if it was not read
	Time     string // the timestamp, as the entry has it
}

// A ReportCommand is a command that ran.
type ReportCommand struct {
	EntryID string // of the call, or of the user's bashExecution
	Command string
	Status  *int // nil if it is not told
	Failed  bool
}

// Title returns the first line of a command that is not blank, cut short.
func (c *ReportCommand) Title() string { return shorten(firstLine(c.Command), subjectUnits) }

// ErrNoReport is returned for an entry that takes nothing out of a context: it
// is not on the path, or neither a compaction nor a context_edit.
var ErrNoReport = errors.New("nothing to report on")

// Report returns what the plan would take out of the context. Its entries are
// those that ReportOn names once the plan is carried out.
func (p *Plan) Report() *Report {
	path, compaction, err := p.applied()
	if err != nil {
		panic(err) // a plan can be carried out, and the ids here are new
	}
	r := reportAt(path, slices.IndexFunc(path, func(e session.Entry) bool { return e.ID() == compaction }))
	r.ID = ""
	r.TokensAfter -= r.SummaryTokens
	r.SummaryTokens = 0
	if r.Kept = p.FirstKept; r.Kept == compaction {
		r.Kept = ""
	}
	return r
}

// applied returns the path with the plan carried out, with an empty summary,
// and the id of the compaction.
func (p *Plan) applied() (path []session.Entry, compaction string, err error) {
	taken := make(map[string]bool, len(p.path))
	for _, e := range p.path {
		taken[e.ID()] = true
	}
	known := func(id string) bool { return taken[id] }
	n := 0
	batch := session.Batch{Leaf: p.Leaf, Known: known, NewID: func(known func(string) bool) (string, error) {
		for {
			if n++; !known(fmt.Sprintf("new-%d", n)) {
				return fmt.Sprintf("new-%d", n), nil
			}
		}
	}}
	e, err := p.AddTo(&batch, Summary{})
	if err != nil {
		return nil, "", err
	}
	return p.After(batch.Entries...), e.ID(), nil
}

// ReportOn returns what the compaction or context_edit with that id took out of
// the context: what stood in the context of the path that ends before it, and
// does not stand in that of the path that ends with it. The error is
// ErrNoReport if the path has no such entry.
//
// User messages that a compaction keeps as copies (details.kept) did not leave;
// of a copy that was cut, the rest did.
func ReportOn(path []session.Entry, id string) (*Report, error) {
	at := slices.IndexFunc(path, func(e session.Entry) bool { return e.ID() == id })
	switch {
	case at < 0:
		return nil, fmt.Errorf("%w: entry %s is not on the path", ErrNoReport, id)
	case path[at].Type() != session.TypeCompaction && path[at].Type() != session.TypeContextEdit:
		return nil, fmt.Errorf("%w: entry %s is no compaction or context_edit, but a %s", ErrNoReport, id, path[at].Type())
	}
	return reportAt(path, at), nil
}

// reportAt is ReportOn for the entry at that index.
func reportAt(path []session.Entry, at int) *Report {
	entry := path[at]
	old, originals := copiesBefore(path, at)
	before, after := convo.Project(old), convo.Project(path[:at+1])
	r := &Report{
		Type: entry.Type(), ID: entry.ID(), Kept: entry.Str("firstKeptEntryId"),
		TokensBefore: convo.EstimateContext(convo.MessagesOf(before), convo.Estimate),
		TokensAfter:  convo.EstimateContext(convo.MessagesOf(after), convo.Estimate),
	}
	was, _ := systemOf(before)
	is, _ := systemOf(after)
	if was.Raw() == is.Raw() { // in how many pieces ever
		before, after = withoutSystem(before), withoutSystem(after)
	}
	if entry.Type() == session.TypeCompaction {
		for _, m := range after[0].Messages { // a projection begins with the newest compaction
			if m.Role() == session.RoleCompactionSummary {
				r.SummaryTokens = convo.Estimate(m)
			}
		}
	}
	r.left(before, after, originals)
	position := make(map[string]int, len(old))
	for i, e := range old {
		position[e.ID()] = i
	}
	slices.SortStableFunc(r.Entries, func(a, b ReportEntry) int { return position[a.ID] - position[b.ID] })
	if n := len(r.Entries); n > 0 {
		r.From, r.To = r.Entries[0].ID, r.Entries[n-1].ID
	}
	return r
}

// copiesBefore returns the entries before the compaction or context_edit at
// that index without the copies of user messages that a compaction keeps, which
// stand right before it, and the ids of their originals by those of the copies.
func copiesBefore(path []session.Entry, at int) (before []session.Entry, originals map[string]string) {
	listed := map[string]string{}
	if details := path[at].Get("details"); strings.HasPrefix(details, "{") && path[at].Type() == session.TypeCompaction {
		for pair := range js.Elements(session.NewMessage(details).Get("kept")) {
			if ids := stringList(pair); len(ids) == 2 {
				listed[ids[0]] = ids[1]
			}
		}
	}
	originals = map[string]string{}
	for ; at > 0; at-- {
		id := path[at-1].ID()
		original, ok := listed[id]
		if !ok {
			break
		}
		originals[id] = original
	}
	return path[:at], originals
}

func withoutSystem(projection []convo.Projected) []convo.Projected {
	out := slices.Clone(projection)
	for i := range out {
		out[i].Messages = slices.DeleteFunc(slices.Clone(out[i].Messages), func(m session.Message) bool {
			return m.Role() == session.RoleSystem
		})
	}
	return out
}

// left enters the entries of a context that are not, or not as they were, in
// the context after it.
func (r *Report) left(before, after []convo.Projected, originals map[string]string) {
	now := make(map[string][]session.Message, len(after))
	for _, p := range after {
		if len(p.Messages) == 0 {
			continue
		}
		id := p.Entry.ID()
		if original, ok := originals[id]; ok {
			id = original
		}
		now[id] = p.Messages
	}
	gone := map[string]bool{}
	for _, p := range before {
		id := p.Entry.ID()
		if len(p.Messages) == 0 || slices.EqualFunc(p.Messages, now[id], func(x, y session.Message) bool { return x.Raw() == y.Raw() }) {
			continue
		}
		gone[id] = true
		e := ReportEntry{
			ID: id, Type: p.Entry.Type(), Role: p.Messages[len(p.Messages)-1].Role(), Partly: len(now[id]) > 0,
			Tokens: sum(p.Messages, convo.Estimate) - sum(now[id], convo.Estimate), Line: p.Entry.Line(), Time: p.Entry.Str("timestamp"),
		}
		r.Entries = append(r.Entries, e)
		r.TokensOut += e.Tokens
	}
	// A result that was edited away counts with its call, which stayed.
	var files fileSet
	var commands []ReportCommand
	for _, d := range deeds(before, gone) {
		if !d.gone {
			continue
		}
		files.call(d.call.Name, d.call.Arguments)
		files.nested(d.result)
		if d.command != "" {
			commands = append(commands, ReportCommand{EntryID: d.entry, Command: d.command, Status: d.status, Failed: d.failed})
		}
		nested, _ := d.result.NestedCalls()
		for _, c := range nested {
			if command := c.Command(); command != "" {
				failed := c.Status == "error"
				commands = append(commands, ReportCommand{EntryID: d.entry, Command: command, Status: statusOf(c.Error, failed), Failed: failed})
			}
		}
	}
	r.Files, r.Commands = files.ops(), commands
}

// A deed is a tool call with its result, or one of the two.
type deed struct {
	entry   string           // id of the entry of the call, else of the result
	call    session.ToolCall // the zero value for a result without call
	result  session.Message
	command string
	status  *int
	failed  bool
	gone    bool // the call or the result left
}

func deeds(context []convo.Projected, gone map[string]bool) []*deed {
	var messages []session.Message
	var ids []string // of the entry of each message
	for _, p := range context {
		for _, m := range p.Messages {
			messages, ids = append(messages, m), append(ids, p.Entry.ID())
		}
	}
	var all []*deed
	for i, p := range convo.Pair(messages) {
		m, id := messages[i], ids[i]
		first := len(all)
		for _, c := range p.Calls {
			all = append(all, &deed{entry: id, call: c, command: c.Command(), gone: gone[id]})
		}
		for _, r := range p.Results {
			all[first+r.Call].answered(messages[r.Message], gone[ids[r.Message]])
		}
		switch {
		case m.Role() == session.RoleToolResult && p.Reply < 0:
			d := &deed{entry: id}
			d.answered(m, gone[id])
			all = append(all, d)
		case m.Role() == session.RoleBashExecution && m.Get("excludeFromContext") != "true":
			d := &deed{entry: id, gone: gone[id], command: m.Str("command"), status: number(m.Get("exitCode"))}
			d.failed = m.Get("cancelled") == "true" || d.status != nil && *d.status != 0
			all = append(all, d)
		}
	}
	return all
}

// answered takes the result of a call.
func (d *deed) answered(m session.Message, gone bool) {
	d.result, d.gone = m, d.gone || gone
	d.failed = m.IsError()
	d.status = statusOf(m.Text("\n"), d.failed)
}

// statusOf returns the exit status that a result tells, nil for none.
func statusOf(text string, failed bool) *int {
	status, _ := outcome(text, failed)
	return number(strings.TrimPrefix(status, "exit status "))
}

func number(text string) *int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil
	}
	return &n
}

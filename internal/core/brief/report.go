package brief

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/pkg/compact"
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

	Entries  []Left          // in the order of the path
	Files    compact.FileOps // that calls read, wrote or edited whose call or result is among Entries
	Commands []Command       // that ran, by the same rule
}

// A Left is an entry whose messages leave the context.
type Left struct {
	ID, Type string
	Role     string // of its message
	Tokens   int64  // that leave; below 0 if an edit puts more in their place
	Partly   bool   // something stays in its place: an edit's content, or a copy that was cut
	Line     int    // in the session it was read from, 0 if it was not read
	Time     string // the timestamp, as the entry has it
}

// A Command is a command that ran.
type Command struct {
	EntryID string // of the call, or of the user's bashExecution
	Command string
	Status  *int // nil if it is not told
	Failed  bool
}

// Title returns the first line of a command that is not blank, cut short.
func (c *Command) Title() string { return shorten(firstLine(c.Command), subjectUnits) }

// ErrNoReport is returned for an entry that takes nothing out of a context: it
// is not on the path, or neither a compaction nor a context_edit.
var ErrNoReport = errors.New("nothing to report on")

// Planned returns what a plan would take out of the context. Its entries are
// those that ReportOn names once the plan is carried out.
func Planned(p *compact.Plan, cwd string) *Report {
	path, compaction, err := applied(p)
	if err != nil {
		panic(err) // a plan can be carried out, and the ids here are new
	}
	r := reportAt(path, slices.IndexFunc(path, func(e session.Entry) bool { return e.ID() == compaction }), cwd)
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
func applied(p *compact.Plan) (path []session.Entry, compaction string, err error) {
	taken := map[string]bool{}
	for _, e := range p.After() {
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
	e, err := p.AddTo(&batch, compact.Summary{})
	if err != nil {
		return nil, "", err
	}
	return p.After(batch.Entries...), e.ID(), nil
}

// ReportOn returns what the compaction or context_edit with that id took out of
// the context: what stood in the context of the path that ends before it, and
// does not stand in that of the path that ends with it. The error is
// ErrNoReport if the path has no such entry. cwd is the session's directory, below which files are relative.
//
// User messages that a compaction keeps as copies (details.kept) did not leave;
// of a copy that was cut, the rest did.
func ReportOn(path []session.Entry, id, cwd string) (*Report, error) {
	at := slices.IndexFunc(path, func(e session.Entry) bool { return e.ID() == id })
	switch {
	case at < 0:
		return nil, fmt.Errorf("%w: entry %s is not on the path", ErrNoReport, id)
	case path[at].Type() != session.TypeCompaction && path[at].Type() != session.TypeContextEdit:
		return nil, fmt.Errorf("%w: entry %s is no compaction or context_edit, but a %s", ErrNoReport, id, path[at].Type())
	}
	return reportAt(path, at, cwd), nil
}

// reportAt is ReportOn for the entry at that index.
func reportAt(path []session.Entry, at int, cwd string) *Report {
	entry := path[at]
	old, originals := copiesBefore(path, at)
	before, after := convo.Project(old), convo.Project(path[:at+1])
	r := &Report{
		Type: entry.Type(), ID: entry.ID(), Kept: entry.Str("firstKeptEntryId"),
		TokensBefore: convo.EstimateContext(convo.MessagesOf(before), convo.Estimate),
		TokensAfter:  convo.EstimateContext(convo.MessagesOf(after), convo.Estimate),
	}
	was, _ := convo.FoldSystem(convo.MessagesOf(before))
	is, _ := convo.FoldSystem(convo.MessagesOf(after))
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
	gone := r.left(before, after, originals)
	r.deeds(Of(old, cwd), old, gone)
	position := make(map[string]int, len(old))
	for i, e := range old {
		position[e.ID()] = i
	}
	slices.SortStableFunc(r.Entries, func(a, b Left) int { return position[a.ID] - position[b.ID] })
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
			ids := slices.Collect(js.Value(pair).Elements())
			if len(ids) == 2 {
				listed[ids[0].Str()] = ids[1].Str()
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
// the context after it, and returns their ids.
func (r *Report) left(before, after []convo.Projected, originals map[string]string) (gone map[string]bool) {
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
	gone = map[string]bool{}
	for _, p := range before {
		id := p.Entry.ID()
		if len(p.Messages) == 0 || slices.EqualFunc(p.Messages, now[id], func(x, y session.Message) bool { return x.Raw() == y.Raw() }) {
			continue
		}
		gone[id] = true
		e := Left{
			ID: id, Type: p.Entry.Type(), Role: p.Messages[len(p.Messages)-1].Role(), Partly: len(now[id]) > 0,
			Tokens: tokens(p.Messages) - tokens(now[id]), Line: p.Entry.Line(), Time: p.Entry.Str("timestamp"),
		}
		r.Entries = append(r.Entries, e)
		r.TokensOut += e.Tokens
	}
	return gone
}

func tokens(messages []session.Message) (n int64) {
	for _, m := range messages {
		n += convo.Estimate(m)
	}
	return n
}

// deeds enters what was done in the entries that are gone: a call whose result is gone counts, too.
func (r *Report) deeds(d Deeds, entries []session.Entry, gone map[string]bool) {
	seen := map[string]bool{}
	for _, c := range d.Done {
		if !gone[c.At] && (c.Result < 0 || !gone[entries[c.Result].ID()]) || !c.here() || c.Outcome == calls.Denied {
			continue
		}
		if c.ran() {
			command := Command{EntryID: c.At, Command: c.Command, Failed: c.Outcome == calls.Fail}
			if c.Known {
				command.Status = &c.Status
			}
			r.Commands = append(r.Commands, command)
		}
		r.files(c, seen)
	}
}

// files enters the files that a call is about, each once in a list. One that is written whole is not edited.
func (r *Report) files(d Deed, seen map[string]bool) {
	list, how := &r.Files.Read, "read "
	switch {
	case d.Kind == calls.Write || d.Patched:
		list, how = &r.Files.Edited, "edited "
		if edits := d.Edits(); !d.Patched && len(edits) == 1 && edits[0].Old == "" {
			list, how = &r.Files.Written, "written "
		}
	case d.Kind != calls.Read:
		return
	}
	for _, name := range d.Paths {
		if !seen[how+name] {
			seen[how+name] = true
			*list = append(*list, name)
		}
	}
}

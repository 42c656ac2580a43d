package compact

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

const typeCompaction = session.TypeCompaction

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
	if sameSystem(before, after) {
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
	slices.SortStableFunc(r.Entries, byPosition(old))
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

// sameSystem reports whether both contexts have the same system message, in
// how many pieces ever.
func sameSystem(a, b []convo.Projected) bool {
	x, _ := systemOf(a)
	y, _ := systemOf(b)
	return x.Raw() == y.Raw()
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
		if len(p.Messages) == 0 || same(p.Messages, now[id]) {
			continue
		}
		gone[id] = true
		e := ReportEntry{
			ID: id, Type: p.Entry.Type(), Role: p.Messages[len(p.Messages)-1].Role(), Partly: len(now[id]) > 0,
			Tokens: sum(p.Messages) - sum(now[id]), Line: p.Entry.Line(), Time: p.Entry.Str("timestamp"),
		}
		r.Entries = append(r.Entries, e)
		r.TokensOut += e.Tokens
	}
	r.Files, r.Commands = done(before, gone)
}

func same(a, b []session.Message) bool {
	return slices.EqualFunc(a, b, func(x, y session.Message) bool { return x.Raw() == y.Raw() })
}

func sum(list []session.Message) (tokens int64) {
	for _, m := range list {
		tokens += convo.Estimate(m)
	}
	return tokens
}

func byPosition(path []session.Entry) func(a, b ReportEntry) int {
	position := make(map[string]int, len(path))
	for i, e := range path {
		position[e.ID()] = i
	}
	return func(a, b ReportEntry) int { return position[a.ID] - position[b.ID] }
}

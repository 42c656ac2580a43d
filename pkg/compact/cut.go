package compact

import (
	"fmt"
	"slices"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// A candidate is an entry of the range that may be cut, with its messages in the context and their
// cost in tokens.
type candidate struct {
	*convo.Projected
	visible  bool // would have messages but for a context_edit
	metadata bool // the cut moves back over it
	cuts     bool // a cut may fall in front of it
	turn     bool // it starts a turn, so that a cut in front of it splits none
}

func (c candidate) mayCut() bool { return c.cuts }

// A cut is a place in a range.
type cut struct {
	first int // index of the first candidate that is kept
	turn  int // index of the start of the split turn
	split bool
}

// cutRoles are the roles of messages a cut may fall in front of: never a tool
// result, whose call would be lost.
var cutRoles = map[string]bool{
	session.RoleUser: true, session.RoleAssistant: true, session.RoleBashExecution: true, session.RoleCustom: true,
	session.RoleBranchSummary: true, session.RoleCompactionSummary: true,
	session.RoleHookMessage: true, session.RoleDeveloper: true, session.RolePythonExecution: true, session.RoleFileMention: true,
}

// candidates returns the range that is cut: the projection behind the newest
// compaction, and that compaction.
func candidates(projection []convo.Projected) (out []candidate, previous *session.Entry) {
	start := 0
	for i, p := range projection {
		if p.Entry.Type() == session.TypeCompaction && len(p.Messages) > 0 {
			previous, start = &projection[i].Entry, i+1
			break
		}
	}
	out = make([]candidate, 0, len(projection)-start)
	for i := range projection[start:] { // a compaction among them has no messages
		p := &projection[start+i]
		c := candidate{Projected: p}
		c.visible = p.Entry.Type() != session.TypeContextEdit && (len(p.Messages) > 0 || len(convo.EntryMessages(p.Entry)) > 0)
		c.metadata = p.Entry.Type() != session.TypeCompaction && len(p.Messages) == 0
		for _, m := range p.Messages {
			c.cuts = c.cuts || cutRoles[m.Role()]
			c.turn = c.turn || cutRoles[m.Role()] && m.Role() != session.RoleAssistant
		}
		out = append(out, c)
	}
	return out, previous
}

// findCut walks back from the newest entry until keep tokens are gathered and
// cuts at the first place from there on where a cut may fall.
func findCut(span []candidate, o Options) cut {
	first, over := slices.IndexFunc(span, candidate.mayCut), false
	if first < 0 {
		return cut{}
	}
	estimate := estimateOf(o.Estimate)
	var gathered int64
	for i := len(span) - 1; i >= 0; i-- {
		tokens := sum(span[i].Messages, estimate)
		if tokens == 0 {
			continue
		}
		if gathered += tokens; gathered >= o.Keep {
			first, over = pointFrom(span, i), true
			break
		}
	}
	if over && omittedAttempt(span[first+1:]) {
		first++
	}
	for first > 0 && span[first-1].metadata {
		first--
	}
	return cutBefore(span, first)
}

// cutBefore returns the cut in front of an entry: whether it goes through a
// turn, and where that begins.
func cutBefore(span []candidate, first int) cut {
	c := cut{first: first}
	if span[first].turn {
		return c
	}
	for i := first; i >= 0; i-- {
		if span[i].turn {
			c.turn, c.split = i, true
			break
		}
	}
	return c
}

// cutAt returns the cut in front of the entry with an id, if one may fall there:
// in front of a message, or of metadata that stand before one.
func cutAt(span []candidate, id string) (cut, error) {
	first := slices.IndexFunc(span, func(c candidate) bool { return c.Entry.ID() == id })
	at := max(first, 0)
	for at < len(span) && span[at].metadata && !span[at].cuts {
		at++
	}
	if first < 0 || at == len(span) || !span[at].cuts {
		return cut{}, fmt.Errorf("%w: %s", ErrNoCut, id)
	}
	return cutBefore(span, first), nil
}

// pointFrom returns the first cut point from i on, or the last one before it if the newest messages are tool results
// alone.
func pointFrom(span []candidate, i int) int {
	if n := slices.IndexFunc(span[i:], candidate.mayCut); n >= 0 {
		return i + n
	}
	for !span[i].cuts {
		i--
	}
	return i
}

// omittedAttempt reports whether the suffix is a failed attempt that edits
// have taken out of the context, and nothing else: then the cut may fall behind
// the input before it (pi 1.5).
func omittedAttempt(suffix []candidate) bool {
	omitted := map[string]bool{}
	assistant := false
	for _, c := range suffix {
		if c.visible && len(c.Messages) == 0 {
			omitted[c.Entry.ID()] = true
			assistant = assistant || c.Entry.Role() == session.RoleAssistant
		}
	}
	for _, c := range suffix {
		switch {
		case c.Entry.Type() == session.TypeCompaction, c.visible && len(c.Messages) > 0:
			return false
		case c.Entry.Type() == session.TypeContextEdit && c.Entry.Get("replacement") != "null" &&
			!omitted[c.Entry.Str("targetId")]:
			return false
		}
	}
	return assistant
}

// bindCalls takes the places between a tool call and the result that answers
// it out of the places where a cut may fall: a result without its call is
// refused by the providers' interfaces. Pi gets by without, since it puts
// nothing else between the two; extensions and other programs do.
func bindCalls(span []candidate) {
	messages := make([]session.Message, 0, len(span))
	at := make([]int32, 0, len(span)) // the candidate of each message
	for i, c := range span {
		for _, m := range c.Messages {
			messages, at = append(messages, m), append(at, int32(i))
		}
	}
	bound := make([]int32, len(span)+1) // +1 where pairs begin, -1 behind their end
	for result, reply := range convo.Replies(messages) {
		if reply >= 0 {
			bound[at[min(reply, result)]+1]++
			bound[at[max(reply, result)]+1]--
		}
	}
	var open int32
	for i := range span {
		open += bound[i]
		if open > 0 {
			span[i].cuts = false
		}
	}
}

// lastTurn cuts in front of the last user message, or of the call before it that
// is answered behind it. Without a user message nothing is cut off.
func lastTurn(span []candidate) cut {
	bindCalls(span)
	for i := len(span) - 1; i > 0; i-- {
		if !slices.ContainsFunc(span[i].Messages, func(m session.Message) bool { return m.Role() == session.RoleUser }) {
			continue
		}
		for i > 0 && !span[i].cuts {
			i--
		}
		return cut{first: i}
	}
	return cut{}
}

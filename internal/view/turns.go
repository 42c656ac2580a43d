package view

import (
	"fmt"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// A turn is a user or an assistant message; an assistant's with its calls and
// their results.
type turn struct {
	number  int // of the message, from 1
	message session.Message
	calls   []*call
	results []result // in the order in which they came
}

// A call is a tool call of a turn.
type call struct {
	session.ToolCall
	apiID   string // in the request
	apiName string
}

// A result is the answer to a call. The number of one that had to be made up
// is 0.
type result struct {
	call    *call
	number  int
	message session.Message
}

// turns returns the turns of a request with one result for each of their calls,
// as [convo.Pair] finds them. System messages are passed over, and replies that
// failed are left out.
func (r *request) turns(messages []session.Message) []*turn {
	paired := convo.Pair(messages)
	var all []*turn
	open := -1 // the index of the last turn's message that will not be left out
	for i, m := range messages {
		switch m.Role() {
		case session.RoleSystem:
		case session.RoleToolResult:
			r.placed(i, open, paired[i].Reply, messages)
		case session.RoleAssistant:
			if m.Failed() {
				r.report(i+1, "assistant message with stopReason %s left out%s", m.Str("stopReason"), alsoResults(len(paired[i].Results)))
				continue
			}
			open = i
			all = append(all, r.replied(i, messages, paired[i]))
		default:
			open = i
			all = append(all, &turn{number: i + 1, message: m})
		}
	}
	return all
}

// placed reports a result that goes elsewhere than where it stands. Nothing is to
// be said of one whose reply is left out.
func (r *request) placed(i, open, reply int, messages []session.Message) {
	id := messages[i].Str("toolCallId")
	switch {
	case reply == convo.Doubled:
		r.report(i+1, "tool result dropped: call %q already has one", id)
	case reply == convo.Orphan:
		r.report(i+1, "tool result dropped: no call %q before it", id)
	case reply != open && !messages[reply].Failed():
		r.report(i+1, "tool result moved behind its call %q in message %d", id, reply+1)
	}
}

// replied returns the turn of a reply. Calls without a result are given one.
func (r *request) replied(i int, messages []session.Message, p convo.Paired) *turn {
	t := &turn{number: i + 1, message: messages[i]}
	for _, c := range p.Calls {
		t.calls = append(t.calls, &call{ToolCall: c})
	}
	for _, res := range p.Results {
		t.results = append(t.results, result{t.calls[res.Call], res.Message + 1, messages[res.Message]})
	}
	for _, n := range p.Unanswered() {
		r.report(t.number, "call %q has no result: %q put in", p.Calls[n].ID, convo.NoResult)
		t.results = append(t.results, result{call: t.calls[n]})
	}
	return t
}

func alsoResults(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return ", and the result of its call"
	}
	return fmt.Sprintf(", and %d results of its calls", n)
}

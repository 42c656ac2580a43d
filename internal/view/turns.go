package view

import (
	"fmt"
	"slices"

	"github.com/sess-tools/sess/pkg/session"
)

// noResult is what a model reads of a call that was never answered (pi 1.5).
const noResult = "No result provided"

// A turn is a user or an assistant message; an assistant's with its calls and
// their results.
type turn struct {
	number  int // of the message, from 1
	message session.Message
	failed  bool // ended in an error or was aborted
	calls   []*call
	results []result // in the order in which they came
}

// A call is a tool call of a turn.
type call struct {
	session.ToolCall
	answered bool
	apiID    string // in the request
	apiName  string
}

// A result is the answer to a call. The number of one that had to be made up
// is 0.
type result struct {
	call    *call
	number  int
	message session.Message
}

// turns pairs calls and results: each turn it returns has one result for each
// of its calls. System messages are passed over.
func (r *request) turns(messages []session.Message) []*turn {
	p := pairing{request: r, latest: map[string]*turn{}}
	for i, m := range messages {
		switch m.Role() {
		case session.RoleSystem:
		case session.RoleToolResult:
			p.result(result{number: i + 1, message: m})
		default:
			p.turn(i+1, m)
		}
	}
	for _, early := range p.early {
		p.adopt(early)
	}
	return p.finish()
}

type pairing struct {
	*request
	all    []*turn
	latest map[string]*turn // the last turn so far with a call of that id
	open   *turn            // the last turn that will not be left out
	early  []result         // came before any call of their id
}

func (p *pairing) turn(number int, m session.Message) {
	t := &turn{number: number, message: m}
	for _, c := range m.ToolCalls() {
		t.calls = append(t.calls, &call{ToolCall: c})
		p.latest[c.ID] = t
	}
	if m.Role() == session.RoleAssistant {
		switch m.Str("stopReason") {
		case "error", "aborted":
			t.failed = true
		}
	}
	if !t.failed {
		p.open = t
	}
	p.all = append(p.all, t)
}

func (p *pairing) result(res result) {
	id := res.message.Str("toolCallId")
	t := p.latest[id]
	if t == nil {
		p.early = append(p.early, res)
		return
	}
	if !t.answer(id, res) {
		p.report(res.number, "tool result dropped: call %q already has one", id)
		return
	}
	if t != p.open && !t.failed {
		p.report(res.number, "tool result moved behind its call %q in message %d", id, t.number)
	}
}

// answer makes res the result of the first unanswered call with that id.
func (t *turn) answer(id string, res result) bool {
	for _, c := range t.calls {
		if c.ID == id && !c.answered {
			c.answered, res.call = true, c
			t.results = append(t.results, res)
			return true
		}
	}
	return false
}

// adopt looks for the call of a result that came before it. As an id may begin
// anew, the call must be for the same tool and have no result of its own.
func (p *pairing) adopt(res result) {
	id, tool := res.message.Str("toolCallId"), res.message.Str("toolName")
	for _, t := range p.all {
		for _, c := range t.calls {
			if t.number > res.number && c.ID == id && c.Name == tool && !c.answered {
				t.answer(id, res)
				if !t.failed {
					p.report(res.number, "tool result moved behind its call %q in message %d", id, t.number)
				}
				return
			}
		}
	}
	p.report(res.number, "tool result dropped: no call %q", id)
}

// finish answers what was never answered and leaves out what failed.
func (p *pairing) finish() []*turn {
	for _, t := range p.all {
		if t.failed {
			p.report(t.number, "assistant message with stopReason %s left out%s",
				t.message.Str("stopReason"), alsoResults(len(t.results)))
			continue
		}
		for _, c := range t.calls {
			if !c.answered {
				p.report(t.number, "call %q has no result: %q put in", c.ID, noResult)
				t.results = append(t.results, result{call: c})
			}
		}
	}
	return slices.DeleteFunc(p.all, func(t *turn) bool { return t.failed })
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

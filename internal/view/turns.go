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
	p := pairing{request: r, latest: map[string]*waiting{}}
	for i, m := range messages {
		switch m.Role() {
		case session.RoleSystem:
		case session.RoleToolResult:
			p.result(result{number: i + 1, message: m})
		default:
			p.turn(i+1, m)
		}
	}
	p.adoptEarly()
	return p.finish()
}

type pairing struct {
	*request
	all    []*turn
	latest map[string]*waiting // the last calls so far, by id
	open   *turn               // the last turn that will not be left out
	early  []result            // came before any call of their id
}

// waiting are the calls of a turn, of one id, that have no result yet.
type waiting struct {
	turn  *turn
	calls []*call
}

// next gives the result to the first call.
func (w *waiting) next(res result) {
	res.call = w.calls[0]
	res.call.answered = true
	w.turn.results = append(w.turn.results, res)
	w.calls = w.calls[1:]
}

func (p *pairing) turn(number int, m session.Message) {
	t := &turn{number: number, message: m}
	for _, tc := range m.ToolCalls() {
		c := &call{ToolCall: tc}
		t.calls = append(t.calls, c)
		w := p.latest[c.ID]
		if w == nil || w.turn != t {
			w = &waiting{turn: t}
			p.latest[c.ID] = w
		}
		w.calls = append(w.calls, c)
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
	w := p.latest[id]
	switch {
	case w == nil:
		p.early = append(p.early, res)
	case len(w.calls) == 0:
		p.report(res.number, "tool result dropped: call %q already has one", id)
	default:
		w.next(res)
		if w.turn != p.open {
			p.moved(res, w.turn)
		}
	}
}

// moved reports a result that stands elsewhere than behind its call, unless
// both will be left out.
func (p *pairing) moved(res result, t *turn) {
	if !t.failed {
		p.report(res.number, "tool result moved behind its call %q in message %d", res.message.Str("toolCallId"), t.number)
	}
}

// adoptEarly looks for the calls of results that came before them. As ids may
// begin anew, such a call must be for the same tool and have no result of its
// own.
func (p *pairing) adoptEarly() {
	if len(p.early) == 0 {
		return
	}
	type key struct{ id, tool string }
	later := map[key][]waiting{}
	for _, t := range p.all {
		for _, c := range t.calls {
			if !c.answered {
				k := key{c.ID, c.Name}
				later[k] = append(later[k], waiting{t, []*call{c}})
			}
		}
	}
	for _, res := range p.early {
		k := key{res.message.Str("toolCallId"), res.message.Str("toolName")}
		if len(later[k]) == 0 {
			p.report(res.number, "tool result dropped: no call %q before it", k.id)
			continue
		}
		w := later[k][0]
		later[k] = later[k][1:]
		w.next(res)
		p.moved(res, w.turn)
	}
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

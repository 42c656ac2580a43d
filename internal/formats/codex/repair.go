package codex

import "github.com/sess-tools/sess/pkg/session"

// noResult is what a model reads of a call that was never answered, as everywhere
// here.
const noResult = "No result provided"

// A repair says what becomes of a message in a request, where each call has one
// result.
type repair struct {
	drop       bool // no model is shown it
	moved      bool // a result, which is told with its call
	results    []int
	unanswered []session.ToolCall
}

// A pairing looks for the calls of results, as sess-path does.
type pairing struct {
	out     []repair
	waiting map[string]*waiting // the last calls so far, by id
	all     []*waiting
	early   []int // results before any call of their id
}

// waiting are the calls of a message, of one id, that have no result yet.
type waiting struct {
	message int
	calls   []session.ToolCall
}

// repairs returns the repair of each message.
func repairs(messages []session.Message) []repair {
	p := pairing{out: make([]repair, len(messages)), waiting: map[string]*waiting{}}
	for i, m := range messages {
		switch m.Role() {
		case session.RoleAssistant:
			p.reply(i, m)
		case session.RoleToolResult:
			w := p.waiting[m.Str("toolCallId")]
			switch {
			case w == nil:
				p.early = append(p.early, i)
			case len(w.calls) > 0:
				p.pair(w, 0, i)
				continue
			}
			p.out[i].drop = true
		}
	}
	for _, i := range p.early {
		p.adopt(i, messages[i])
	}
	for _, w := range p.all {
		p.out[w.message].unanswered = append(p.out[w.message].unanswered, w.calls...)
	}
	return p.out
}

func (p *pairing) reply(i int, m session.Message) {
	p.out[i].drop = failed(m)
	for _, c := range m.ToolCalls() {
		w := p.waiting[c.ID]
		if w == nil || w.message != i {
			w = &waiting{message: i}
			p.waiting[c.ID] = w
			p.all = append(p.all, w)
		}
		w.calls = append(w.calls, c)
	}
}

// pair gives a result to the n-th call.
func (p *pairing) pair(w *waiting, n, result int) {
	w.calls = append(w.calls[:n:n], w.calls[n+1:]...)
	reply := &p.out[w.message]
	p.out[result].drop, p.out[result].moved = reply.drop, true
	reply.results = append(reply.results, result)
}

// adopt looks for a later call of the same tool for a result that came before it.
func (p *pairing) adopt(result int, m session.Message) {
	for _, w := range p.all {
		for n, c := range w.calls {
			if c.ID == m.Str("toolCallId") && c.Name == m.Str("toolName") {
				p.pair(w, n, result)
				return
			}
		}
	}
}

// failed reports whether a reply ended in an error or was aborted: no model is shown
// it.
func failed(m session.Message) bool {
	stop := m.Str("stopReason")
	return stop == "error" || stop == "aborted"
}

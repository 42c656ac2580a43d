package convo

import "github.com/sess-tools/sess/pkg/session"

// NoResult is the text of the result that a model reads for a call that was
// never answered, as in pi 1.5.
const NoResult = "No result provided"

// Paired is the place of one message in the pairing of calls and results.
type Paired struct {
	// Of an assistant message: its calls, and their results in the order in which
	// they came. Results that stand before their calls come last.
	Calls   []session.ToolCall
	Results []Result

	// Of a tool result: the index of the message that has its call. It is
	// [Orphan] or [Doubled] if it answers none, and Orphan for all other messages.
	Reply int

	call int // index in the Calls of that message
}

// CallOf returns the call that message i answers. ok is false if it is no tool
// result, and if it answers none.
func CallOf(pairs []Paired, i int) (c session.ToolCall, ok bool) {
	p := pairs[i]
	if p.Reply < 0 {
		return session.ToolCall{}, false
	}
	return pairs[p.Reply].Calls[p.call], true
}

// The values of [Paired.Reply] for a result that answers no call.
const (
	Orphan  = -1 // no call has its id
	Doubled = -2 // the call with its id already has a result
)

// A Result is the answer to a call.
type Result struct {
	Call    int // index in Calls
	Message int // index of the message
}

// Unanswered returns the indices in Calls of the calls without a result.
func (p Paired) Unanswered() []int {
	if len(p.Results) == len(p.Calls) {
		return nil
	}
	answered := make([]bool, len(p.Calls))
	for _, r := range p.Results {
		answered[r.Call] = true
	}
	var out []int
	for i, done := range answered {
		if !done {
			out = append(out, i)
		}
	}
	return out
}

// Pair finds the call of each tool result among messages in context order, and
// returns one Paired for each message.
//
// A result answers the first call without a result that has its id in the last message in front of
// it with a call of that id, so ids that begin anew in every message find the right one. The first
// result of a call counts. A result without such a message in front of it answers the first call
// behind it that has its id, is for the same tool and has no result.
//
// Replies that failed take part: their results go with them.
func Pair(messages []session.Message) []Paired {
	p := pairing{out: make([]Paired, len(messages)), latest: map[string]unanswered{}}
	var early []int
	for i, m := range messages {
		p.out[i].Reply = Orphan
		switch m.Role() {
		case session.RoleAssistant:
			p.reply(i, m)
		case session.RoleToolResult:
			id := m.Str("toolCallId")
			switch u, ok := p.latest[id]; {
			case !ok:
				early = append(early, i)
			case u.call < 0:
				p.out[i].Reply = Doubled
			default:
				p.answer(u.message, u.call, i)
				u.call = -1
				if len(u.more) > 0 {
					u.call, u.more = u.more[0], u.more[1:]
				}
				p.latest[id] = u
			}
		}
	}
	if len(early) > 0 {
		p.adopt(messages, early)
	}
	return p.out
}

// A pairing is the state of Pair.
type pairing struct {
	out    []Paired
	latest map[string]unanswered // the last calls so far, by id
}

// unanswered are the calls of a message, of one id, that have no result yet.
type unanswered struct {
	message, call int   // the call is -1 if there is none left
	more          []int // behind it
}

func (p *pairing) reply(i int, m session.Message) {
	p.out[i].Calls = m.ToolCalls()
	for n, c := range p.out[i].Calls {
		u, ok := p.latest[c.ID]
		if ok && u.message == i {
			u.more = append(u.more, n)
		} else {
			u = unanswered{message: i, call: n}
		}
		p.latest[c.ID] = u
	}
}

func (p *pairing) answer(reply, call, result int) {
	p.out[reply].Results = append(p.out[reply].Results, Result{Call: call, Message: result})
	p.out[result].Reply, p.out[result].call = reply, call
}

// adopt gives results that came before every call of their id to later calls.
func (p *pairing) adopt(messages []session.Message, early []int) {
	type key struct{ id, tool string }
	type place struct{ message, call int }
	later := map[key][]place{}
	for i := range p.out {
		for _, n := range p.out[i].Unanswered() {
			c := p.out[i].Calls[n]
			k := key{c.ID, c.Name}
			later[k] = append(later[k], place{i, n})
		}
	}
	for _, i := range early {
		k := key{messages[i].Str("toolCallId"), messages[i].Str("toolName")}
		if places := later[k]; len(places) > 0 {
			later[k] = places[1:]
			p.answer(places[0].message, places[0].call, i)
		}
	}
}

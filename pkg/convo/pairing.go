package convo

import (
	"iter"

	"github.com/sess-tools/sess/pkg/session"
)

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
	out := make([]Paired, len(messages))
	for i, m := range messages {
		out[i].Calls = m.ToolCalls()
	}
	answers := answersAmong(messages, func(i int) []session.ToolCall { return out[i].Calls })
	for i, a := range answers {
		out[i].Reply, out[i].call = int(a.message), int(a.call)
	}
	for _, early := range []bool{false, true} { // results in front of their calls come last
		for i, a := range answers {
			if a.message >= 0 && (int(a.message) > i) == early {
				reply := &out[a.message]
				reply.Results = append(reply.Results, Result{Call: int(a.call), Message: i})
			}
		}
	}
	return out
}

// Replies returns the [Paired.Reply] of each message, in little memory.
func Replies(messages []session.Message) iter.Seq2[int, int] {
	answers := answersAmong(messages, func(i int) []session.ToolCall { return messages[i].ToolCalls() })
	return func(yield func(i, reply int) bool) {
		for i, a := range answers {
			if !yield(i, int(a.message)) {
				return
			}
		}
	}
}

// A place is that of a call: a message and an index in its calls. There are as many as messages, so it is small.
type place struct{ message, call int32 }

// answersAmong returns the call that each message answers.
func answersAmong(messages []session.Message, callsOf func(int) []session.ToolCall) []place {
	answers := make([]place, len(messages))
	latest := map[string]place{} // the first call without a result of the last message with a call of an id; call is -1 if there is none left
	more := map[string][]int32{} // those behind it
	var early []int
	for i, m := range messages {
		answers[i].message = Orphan
		switch m.Role() {
		case session.RoleAssistant:
			for n, c := range callsOf(i) {
				if at, ok := latest[c.ID]; ok && at.message == int32(i) {
					more[c.ID] = append(more[c.ID], int32(n))
					continue
				}
				latest[c.ID] = place{int32(i), int32(n)}
				delete(more, c.ID)
			}
		case session.RoleToolResult:
			id := m.Str("toolCallId")
			switch at, ok := latest[id]; {
			case !ok:
				early = append(early, i)
			case at.call < 0:
				answers[i].message = Doubled
			default:
				answers[i], at.call = at, -1
				if rest := more[id]; len(rest) > 0 {
					at.call, more[id] = rest[0], rest[1:]
				}
				latest[id] = at
			}
		}
	}
	if len(early) > 0 {
		adopt(messages, callsOf, answers, early)
	}
	return answers
}

// adopt gives results that came before every call of their id to later calls.
func adopt(messages []session.Message, callsOf func(int) []session.ToolCall, answers []place, early []int) {
	answered := map[place]bool{}
	for _, a := range answers {
		answered[a] = true
	}
	type key struct{ id, tool string }
	later := map[key][]place{}
	for i := range messages {
		for n, c := range callsOf(i) {
			if at := (place{int32(i), int32(n)}); !answered[at] {
				later[key{c.ID, c.Name}] = append(later[key{c.ID, c.Name}], at)
			}
		}
	}
	for _, i := range early {
		k := key{messages[i].Str("toolCallId"), messages[i].Str("toolName")}
		if places := later[k]; len(places) > 0 {
			answers[i], later[k] = places[0], places[1:]
		}
	}
}

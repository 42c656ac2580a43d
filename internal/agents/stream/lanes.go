package stream

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Lanes are what sub-agents do, by the call of the conversation that started them: their calls, and what their replies
// say that they used. The result of that call has the calls, as pi records calls that a tool makes. Calls of a
// sub-agent in the background come behind that result, and have an entry of their own; so have those without a result.
type lanes struct {
	roots map[string]string  // calls of sub-agents, to the call of the conversation that they stand under
	calls map[string]*laneOf // by that call
	order []*laneOf
	used  []laneUsage
	size  int // of all arguments that wait, in bytes
}

// A laneOf is the calls that stand under one call of the conversation and are not recorded yet.
type laneOf struct {
	root  string
	calls []*laneCall
}

// A laneCall is a call of a sub-agent, and how it ended.
type laneCall struct {
	id, name, arguments string
	long                int // bytes of arguments that are too long to be kept
	ended               bool
	ending              calls.Ending
	failed              string // the beginning of what a failed one says
}

// A laneUsage is what one reply of a sub-agent says that it used.
type laneUsage struct{ root, reply, model, usage string }

// The most that is kept of the arguments of calls that wait, in bytes, and of what one call that failed says.
const (
	maxLanes     = 16 << 20
	maxLaneError = 500
)

// of returns the lane of an event, by its parent: the calls under one call of the conversation.
func (l *lanes) of(parent string) *laneOf {
	if l.calls == nil {
		l.calls, l.roots = map[string]*laneOf{}, map[string]string{}
	}
	if root, ok := l.roots[parent]; ok {
		parent = root
	}
	in := l.calls[parent]
	if in == nil {
		in = &laneOf{root: strings.Clone(parent)}
		l.calls[in.root] = in
		l.order = append(l.order, in)
	}
	return in
}

// call takes a call that a sub-agent makes. Wrappers repeat events.
func (l *lanes) call(parent string, block session.Block) {
	in, c := l.of(parent), &laneCall{id: strings.Clone(block.Str("id")), name: strings.Clone(block.Str("name"))}
	if _, twice := l.roots[c.id]; twice {
		return
	}
	if arguments := block.Get("arguments"); l.size+len(arguments) > maxLanes {
		c.long = len(arguments)
	} else {
		c.arguments = strings.Clone(arguments)
		l.size += len(arguments)
	}
	l.roots[c.id] = in.root
	in.calls = append(in.calls, c)
}

// tool returns the name of the tool that a sub-agent's call calls.
func (l *lanes) tool(parent, id string) string {
	for _, c := range l.of(parent).calls {
		if c.id == id {
			return c.name
		}
	}
	return "unknown"
}

// answer takes the result of a sub-agent's call.
func (l *lanes) answer(parent string, m session.Message) {
	for _, c := range l.of(parent).calls {
		if c.id == m.Str("toolCallId") && !c.ended {
			c.ended, c.ending = true, calls.End(m)
			if text := m.Text("\n"); c.ending.Outcome != calls.OK {
				c.failed = strings.ToValidUTF8(strings.Clone(text[:min(len(text), maxLaneError)]), "")
			}
		}
	}
}

// spent takes what a reply of a sub-agent says that it used, the last time it says so.
func (l *lanes) spent(parent, reply, model, usage string) {
	u := laneUsage{l.of(parent).root, strings.Clone(reply), strings.Clone(model), strings.Clone(usage)}
	if i := slices.IndexFunc(l.used, func(have laneUsage) bool { return have.reply == u.reply && have.root == u.root }); i >= 0 {
		l.used[i] = u
		return
	}
	l.used = append(l.used, u)
}

// attach returns the result of a call of the conversation with what was called for it.
func (l *lanes) attach(m session.Message) session.Message {
	in := l.calls[m.Str("toolCallId")]
	if in == nil || len(in.calls) == 0 {
		return m
	}
	record := l.record(in.calls)
	in.calls = nil
	return session.NewMessage(string(js.Value(m.Raw()).Add(js.RawField("nestedCalls", record))))
}

// record is what a session has of calls, as pi has it, and for a command its exit status.
func (l *lanes) record(all []*laneCall) string {
	complete, list := "true", make([]string, 0, len(all))
	for _, c := range all {
		l.size -= len(c.arguments)
		fields := []js.Field{js.StringField("id", c.id), js.StringField("name", c.name), js.RawField("arguments", c.arguments)}
		if c.arguments == "" {
			fields, complete = append(fields, js.IntField("argumentsBytes", int64(c.long))), "false"
		}
		switch {
		case !c.ended || c.ending.Outcome == calls.Open:
			fields, complete = append(fields, js.StringField("status", "unfinished")), "false"
		case c.ending.Outcome == calls.OK:
			fields = append(fields, js.StringField("status", "ok"))
		default:
			fields = append(fields, js.StringField("status", "error"), js.StringField("error", c.failed))
		}
		if c.ending.Known {
			fields = append(fields, js.IntField("exitCode", int64(c.ending.Status)))
		}
		list = append(list, js.Object(fields...))
	}
	return js.Object(js.RawField("calls", api.Array(list...)), js.RawField("complete", complete))
}

// subagents adds entries for the calls of sub-agents that no result has: for those that have ended, or at the end of the
// stream for all.
func (r *recorder) subagents(all bool) {
	for _, in := range r.lanes.order {
		var ended, open []*laneCall
		for _, c := range in.calls {
			if all || c.ended {
				ended = append(ended, c)
			} else {
				open = append(open, c)
			}
		}
		if in.calls = open; len(ended) > 0 {
			r.entry(session.TypeCustom, r.now(), js.StringField("customType", session.CustomCalls),
				js.RawField("data", js.Object(js.StringField("toolCallId", in.root), js.RawField("nestedCalls", r.lanes.record(ended)))))
		}
	}
}

// spentBeside adds a usage entry for each reply of a sub-agent, and tells took of it. Its cost is the one given, "" for
// one that is not known.
func (r *recorder) spentBeside(cost string, took func(model, usage string)) {
	for _, u := range r.lanes.used {
		usage := js.Value(u.usage)
		if cost != "" {
			usage = usage.With("cost", js.Value(cost))
		}
		took(u.model, string(usage))
		r.entry(session.TypeUsage, r.now(), js.StringField("kind", "agent"), js.StringField("provider", api.UsageProvider(u.model)),
			js.StringField("model", u.model), js.RawField("usage", usage), js.StringField("toolCallId", u.root))
	}
	r.lanes.used = nil
}

package stream

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// An opencodeReader reads the events of `opencode run --format json`: the parts of messages,
// each when it is finished. The parts of a step stand in the order of their ids, and the
// step is whole with its step_finish.
type opencodeReader struct {
	rec       *recorder
	sessionID string
	message   string     // id of the message whose parts come
	parts     []js.Value // of the step that is open
	held      *step      // the last step, if it may be the summary of a compaction
	size      int        // of those parts, in bytes
	tokens    int64      // the size of the context, as the last step says it
}

// A step is a reply with what ended it.
type step struct {
	parts  []js.Value
	finish js.Value // "" if the stream ended first
	at     int64
}

func isOpencode(v js.Dict) bool {
	if !strings.HasPrefix(v.Get("sessionID").Str(), "ses_") || !v.Get("timestamp").IsNumber() {
		return false
	}
	return slices.Contains([]string{"step_start", "text", "reasoning", "tool_use", "step_finish", "error"}, v.Get("type").Str())
}

func readOpencode(rec *recorder) reader { return &opencodeReader{rec: rec} }

func (o *opencodeReader) value(v js.Dict, _ string) verdict {
	if !isOpencode(v) {
		return other
	}
	if id := v.Get("sessionID").Str(); id != o.sessionID {
		o.flush()
		o.sessionID = id
		o.rec.run(v.Get("timestamp").Int(), "opencode", "", id)
	}
	part, at := v.Get("part"), v.Get("timestamp").Int()
	if part.Get("synthetic").Truthy() {
		o.synthetic(part, at)
		return more
	}
	switch typ := v.Get("type").Str(); typ {
	case "step_start":
		o.start(part)
	case "text", "reasoning", "tool_use":
		o.belongs(part)
		if o.size += len(part) + overhead; o.size > maxValue {
			o.rec.problem("a part of a message of more than %d bytes is left out", maxValue)
			break
		}
		o.parts = append(o.parts, part)
	case "step_finish":
		o.belongs(part)
		o.finish(part, at)
	case "error":
		o.fail(v.Get("error"), at)
	}
	return more
}

// start takes the beginning of a step. A second one for a message whose step did not
// finish is another attempt, in place of the first.
func (o *opencodeReader) start(part js.Value) {
	if part.Get("messageID").Str() == o.message && len(o.parts) > 0 {
		o.rec.note("opencode: an attempt that failed is left out")
		o.parts, o.size = nil, 0
	}
	o.belongs(part)
}

// belongs ends the step of another message.
func (o *opencodeReader) belongs(part js.Value) {
	if id := part.Get("messageID").Str(); id != o.message {
		o.flush()
		o.message = id
	}
}

func (o *opencodeReader) finish(part js.Value, at int64) {
	s := &step{o.parts, part, at}
	o.parts, o.size = nil, 0
	if part.Get("reason").Str() == "stop" { // the next event may tell that it is a summary
		o.release()
		o.held = s
		return
	}
	o.write(s)
}

// release records the step that is held.
func (o *opencodeReader) release() {
	if o.held != nil {
		s := o.held
		o.held = nil
		o.write(s)
	}
}

// flush records the open steps: one that was held, and one without an end.
func (o *opencodeReader) flush() {
	o.release()
	if len(o.parts) > 0 {
		open := &step{parts: o.parts}
		o.parts, o.size = nil, 0
		o.write(open)
	}
}

// write records a step with the results of its calls.
func (o *opencodeReader) write(s *step) {
	slices.SortStableFunc(s.parts, func(a, b js.Value) int { return strings.Compare(a.Get("id").Str(), b.Get("id").Str()) })
	p := reply{rec: o.rec}
	for _, part := range s.parts {
		at := cmp.Or(part.Get("time", "start").Int(), part.Get("state", "time", "start").Int(), s.at)
		switch part.Get("type").Str() {
		case "text":
			p.add(at, api.TextOf(part.Get("text")))
		case "reasoning":
			p.add(at, parts.Thinking(part))
		case "tool":
			p.add(at, api.ToolCall(parts.CallID(part), parts.ToolName(part), string(parts.Input(part, o.rec.lose))))
			p.answer(parts.Result(part), cmp.Or(part.Get("state", "time", "end").Int(), at))
		default:
			o.rec.problem("a part of type %.40q is not known", part.Get("type").Str())
		}
	}
	p.close(o.fields(s, p.stopOf())...)
}

// fields returns what a step has beside its parts. Opencode does not say which model it
// asks.
func (o *opencodeReader) fields(s *step, stop string) []js.Field {
	fields := []js.Field{js.StringField("provider", "opencode")}
	switch reason := s.finish.Get("reason").Str(); {
	case s.finish == "":
		stop = "aborted"
	case reason == "length":
		stop = reason
	}
	fields = append(fields, js.StringField("stopReason", stop))
	usage, total, err := parts.Usage(s.finish.Get("tokens"), s.finish.Get("cost"))
	if err != nil {
		o.rec.problem("the usage of a step cannot be read: %v", err)
		return fields
	}
	o.tokens = cmp.Or(total, o.tokens)
	return append(fields, js.RawField("usage", usage))
}

// synthetic takes what opencode says in the user's name. Behind a summary it says to go on:
// that is the one sign that the step before it is the summary of a compaction.
func (o *opencodeReader) synthetic(part js.Value, at int64) {
	if s := o.held; s != nil && part.Get("metadata", "compaction_continue").Truthy() {
		o.held = nil
		var text []string
		for _, p := range s.parts {
			if p.Get("type").Str() == "text" {
				text = append(text, p.Get("text").Str())
			}
		}
		spent := js.Field{Name: "usage"}
		if usage, total, err := parts.Usage(s.finish.Get("tokens"), s.finish.Get("cost")); err == nil && total > 0 {
			spent.Raw = usage
		}
		o.rec.entry(session.TypeCompaction, s.at, js.StringField("summary", strings.Join(text, "\n\n")), js.IntField("tokensBefore", o.tokens), spent)
	}
	o.flush()
	o.rec.context("opencode", at, api.Array(api.TextOf(part.Get("text"))))
}

func (o *opencodeReader) fail(e js.Value, at int64) {
	o.flush()
	text := cmp.Or(e.Get("data", "message").Str(), e.Get("message").Str(), e.Get("name").Str(), "unknown")
	o.rec.message(api.Assistant(nil, append(fail(text), js.StringField("provider", "opencode"))...), at)
}

func (o *opencodeReader) end() { o.flush() }

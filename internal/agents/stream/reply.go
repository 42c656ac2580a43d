package stream

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A reply is a message of an assistant that is being said, with the results of its
// calls. Results are recorded in the order of the calls.
type reply struct {
	rec     *recorder
	blocks  []string
	size    int               // of the blocks, in bytes
	cut     bool              // there were more
	at      int64             // when it began, in milliseconds since the epoch
	calls   []string          // ids
	tools   map[string]string // ids of calls to the tools called
	results map[string]result
	written *Item // the message, once it is recorded
	next    int   // call whose result is recorded next
}

type result struct {
	message session.Message
	at      int64
}

// add adds blocks, as far as a message may have them.
func (p *reply) add(at int64, blocks ...string) {
	if len(p.blocks) == 0 {
		p.at = at
	}
	for _, b := range blocks {
		if p.size += len(b) + overhead; p.size > maxValue {
			if !p.cut {
				p.rec.problem("a message of more than %d bytes is cut", maxValue)
			}
			p.cut = true
			return
		}
		p.blocks = append(p.blocks, b)
		if block := session.NewBlock(b); block.Type == session.BlockToolCall {
			if p.tools == nil {
				p.tools, p.results = map[string]string{}, map[string]result{}
			}
			p.calls = append(p.calls, block.Str("id"))
			p.tools[block.Str("id")] = block.Str("name")
		}
	}
}

// answer takes the result of a call. ok is false if the reply does not have that call, or
// has its result.
func (p *reply) answer(m session.Message, at int64) (ok bool) {
	id := m.Str("toolCallId")
	if _, called := p.tools[id]; !called {
		return false
	}
	if _, twice := p.results[id]; twice {
		return false
	}
	p.results[id] = result{p.rec.lanes.attach(m), at}
	if p.written != nil {
		p.release(false)
	}
	return true
}

// tool returns the name of the tool that a call calls.
func (p *reply) tool(id string) string { return cmp.Or(p.tools[id], "unknown") }

// answered reports whether all calls have their results, and there are some.
func (p *reply) answered() bool { return len(p.calls) > 0 && len(p.results) == len(p.calls) }

// write records the message; fields are the members beside its blocks. From then on it waits for
// the results.
func (p *reply) write(fields ...js.Field) {
	if p.written == nil {
		p.written = p.rec.message(api.Assistant(p.blocks, fields...), p.at)
		p.release(false)
	}
}

// release records results as long as the next one is there, or all of them.
func (p *reply) release(all bool) {
	for ; p.next < len(p.calls); p.next++ {
		r, there := p.results[p.calls[p.next]]
		if !there && !all {
			return
		}
		if there {
			p.rec.message(r.message, r.at)
		}
	}
}

// close records what was not recorded, and begins anew. A call without a result stays
// without one.
func (p *reply) close(fields ...js.Field) {
	if len(p.blocks) > 0 {
		p.write(fields...)
		p.release(true)
	}
	*p = reply{rec: p.rec}
}

// stopOf returns why a reply ended: for the sake of its calls, or in the usual way.
func (p *reply) stopOf() string {
	if len(p.calls) > 0 {
		return "toolUse"
	}
	return "stop"
}

// fail returns the fields of a reply that ended in an error.
func fail(text string) []js.Field {
	return []js.Field{js.StringField("stopReason", "error"), api.Str("errorMessage", text)}
}

// A Failure says how the printer of a stream failed.
type Failure struct {
	Stop string // the stopReason: "error", or "aborted" for one that was stopped
	Text string // why, in words
}

// Ask records the prompt, before anything of the stream has come. A stream that is not live
// has it at the time of its first entry.
func (d *Decoder) Ask() error {
	d.rec.prompt()
	return d.rec.flush()
}

// Fail says that the printer of the stream has failed, before Close. Then the newest answer
// is one that failed, whatever the stream said of it: an answer that is no entry yet gets
// the reason, and behind any other stands one without content that has it. What the stream
// itself says of a failure stays.
func (d *Decoder) Fail(f Failure) { d.rec.failure = &f }

// A Tale says in short what was recorded.
type Tale struct {
	Asked   bool // something that the user said
	Answers int  // answers, those that failed left out
	Uncount int  // those of them that do not say how many tokens they used
	Unnamed int  // those that do not name their model

	Newest string // the stopReason of the newest answer, "" if it has none, or if there is no answer
	Why    string // its errorMessage
	Any    bool   // there is an answer, a failed one perhaps
}

// Failed reports whether the newest answer is one that failed.
func (t Tale) Failed() bool { return t.Newest == "error" || t.Newest == "aborted" }

// Tale returns what was recorded until now.
func (d *Decoder) Tale() Tale { return d.rec.tale }

// told takes note of a message that was recorded.
func (r *recorder) told(m session.Message) {
	switch m.Role() {
	case session.RoleUser:
		r.tale.Asked = true
	case session.RoleAssistant:
		has := js.DictOf(js.Value(m.Raw()), r.room)
		r.room = has.Room()
		defer clear(r.room) // the message may be huge, and is not kept
		r.answer, r.by, r.before = r.last, nil, r.tale
		for _, name := range []string{"api", "provider", "model"} {
			if v := has.Own(name); v != "" {
				r.by = append(r.by, js.RawField(name, strings.Clone(string(v))))
			}
		}
		r.spent = r.spent.plus(spentIn(has.Own("usage")))
		r.tale.Any, r.tale.Newest, r.tale.Why = true, has.Own("stopReason").Str(), has.Own("errorMessage").Str()
		r.say(m)
		if m.Failed() {
			return
		}
		r.tale.Answers++
		if usage := has.Own("usage"); usage.Get("totalTokens").Int()+usage.Get("input").Int()+usage.Get("output").Int() == 0 {
			r.tale.Uncount++
		}
		if has.Own("model").Str() == "" {
			r.tale.Unnamed++
		}
	}
}

// counted says that the newest answer has what all answers of the run used: so those in front
// of it, which have no number of their own, are counted, too.
func (r *recorder) counted() {
	r.tale.Uncount = min(r.tale.Uncount, r.uncounted)
	r.before.Uncount = min(r.before.Uncount, r.uncounted)
}

// failNewest marks the newest answer as failed, if the program that printed the stream says that it failed.
func (r *recorder) failNewest() {
	f := r.failure
	if f == nil {
		return
	}
	if r.answer == nil && len(r.printed) > 0 { // what an agent says before it has begun
		f = &Failure{f.Stop, f.Text + ": " + strings.Join(r.printed, " ")}
	}
	fields := []js.Field{js.StringField("stopReason", f.Stop), api.Str("errorMessage", f.Text)}
	behind := r.answer == nil || r.answer != r.last // something was said behind the newest answer
	switch {
	case behind || !r.tale.Failed() && (r.answer.ID != "" || r.tale.Newest == "toolUse"):
		r.aloud = ""
		r.message(api.Assistant(nil, append(fields, r.by...)...), r.now())
	case r.tale.Failed() && (r.tale.Why != "" || r.answer.ID != ""):
	default:
		raw := js.Value(r.answer.Message.Raw())
		for _, field := range fields {
			raw = raw.With(field.Name, js.Value(field.Raw))
		}
		r.answer.Message = session.NewMessage(string(raw))
		r.tale = r.before // it counts as one that failed
		r.tale.Any, r.tale.Newest, r.tale.Why = true, f.Stop, f.Text
	}
}

// hear takes a piece of what the assistant says, before the message is whole.
func (r *recorder) hear(text string) {
	if r.o.Say == nil || text == "" {
		return
	}
	r.aloud = text
	r.o.Say(text)
}

// say takes a message that is whole. What was heard of it is not said again. Messages end
// with a line feed.
func (r *recorder) say(m session.Message) {
	if r.o.Say == nil {
		return
	}
	text, heard := m.Text("\n\n"), r.aloud
	r.aloud = ""
	if heard == "" {
		heard = text
		r.speak(text)
	}
	if heard != "" && !strings.HasSuffix(heard, "\n") {
		r.speak("\n")
	}
}

func (r *recorder) speak(text string) {
	if text != "" {
		r.o.Say(text)
	}
}

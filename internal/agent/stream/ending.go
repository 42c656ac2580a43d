package stream

import (
	"strings"

	"github.com/sess-tools/sess/internal/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

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
		r.answer, r.by, r.before = r.last, nil, r.tale
		for _, name := range []string{"api", "provider", "model"} {
			if v := m.Get(name); v != "" {
				r.by = append(r.by, js.RawField(name, strings.Clone(v)))
			}
		}
		r.tale.Any, r.tale.Newest, r.tale.Why = true, m.Str("stopReason"), m.Str("errorMessage")
		r.say(m)
		if m.Failed() {
			return
		}
		r.tale.Answers++
		if usage := js.Value(m.Get("usage")); usage.Get("totalTokens").Int()+usage.Get("input").Int()+usage.Get("output").Int() == 0 {
			r.tale.Uncount++
		}
		if m.Str("model") == "" {
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

// conclude makes the newest answer one that failed, if the printer of the stream has.
func (r *recorder) conclude() {
	f := r.failure
	if f == nil {
		return
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

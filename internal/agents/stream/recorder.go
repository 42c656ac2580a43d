package stream

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

// A recorder collects what readers make of a stream.
type recorder struct {
	o         Options
	group     []*Item // whole, not given away yet
	last      *Item   // the message that was recorded last
	items     int     // that were recorded
	problems  int
	answer    *Item               // of an assistant, that was recorded last
	tale      Tale                // what was recorded, in short
	before    Tale                // what was recorded in front of the newest answer
	uncounted int                 // answers without a number in front of the run of the agent
	spent     tokens              // that entries say were used
	failure   *Failure            // of the printer of the stream
	printed   []string            // the first lines that are no part of the stream
	by        []js.Field          // whose the newest answer is: its API, provider and model
	aloud     string              // the last piece that was heard of the next answer
	known     bool                // the stream, or a part of it, is one that is read
	prompted  bool                // the prompt was recorded
	heard     bool                // the stream has said what the user said first
	early     []*Item             // in front of the first entry with a time
	clock     int64               // the time of the last entry
	totals    map[string]js.Value // details of messages by the id of the agent's session
	lanes     lanes               // what sub-agents do
	strange   int                 // events with words that mean nothing here
	first     string              // the type of the first of them, and of which program the stream was taken for
	room      []js.Field          // for the members of a message
}

func newRecorder(o Options) *recorder {
	nobody := func(string, ...any) {}
	if o.Warn == nil {
		o.Warn = nobody
	}
	if o.Note == nil {
		o.Note = nobody
	}
	if o.Totals == nil {
		o.Totals = func(string) js.Value { return "" }
	}
	return &recorder{o: o, totals: map[string]js.Value{}}
}

// total returns the recorded totals of an agent's session, "" for none.
func (r *recorder) total(sessionID string) js.Value {
	if have, ok := r.totals[sessionID]; ok {
		return have
	}
	return r.o.Totals(sessionID)
}

func (r *recorder) warn(text string, args ...any) { r.o.Warn(text, args...) }
func (r *recorder) note(text string, args ...any) { r.o.Note(text, args...) }

// problem warns of a part that is in no entry and should be.
func (r *recorder) problem(text string, args ...any) {
	r.problems++
	r.warn(text, args...)
}

// lose is told by package formats of each part that it leaves out of a message.
func (r *recorder) lose(_, text string, args ...any) { r.problem(text, args...) }

// verdict is the error for the problems there were.
func (r *recorder) verdict() error {
	if r.problems == 0 {
		return nil
	}
	return &unread{fmt.Sprintf("%v: %s", ErrUnread, formats.Counted(r.problems, "1 problem", "%d problems"))}
}

// close gives away what has waited for a time that never came.
func (r *recorder) close() error {
	if len(r.early) > 0 {
		last := r.early[len(r.early)-1]
		r.early = r.early[:len(r.early)-1]
		r.add(last)
	}
	return r.flush()
}

// flush gives away the items that are whole.
func (r *recorder) flush() error {
	if len(r.group) == 0 {
		return nil
	}
	group := r.group
	r.group = nil
	return r.o.Emit(group)
}

// add adds an entry, in front of it what has waited for a time. One whose time is not known
// is as old as the one before it, or was made now. No entry is older than the one before it.
func (r *recorder) add(i *Item) *Item {
	if i.Time <= 0 && !r.o.Live {
		i.Time = r.clock
	}
	if i.Time <= 0 {
		i.Time = r.now()
	}
	for _, early := range r.early {
		early.Time = i.Time
	}
	i.Time = max(i.Time, r.clock)
	r.clock = i.Time
	r.items += 1 + len(r.early)
	r.group = append(append(r.group, r.early...), i)
	r.early = nil
	return i
}

// begin adds an entry that stands in front of all others, at the time of the first of them if
// its own is not known.
func (r *recorder) begin(i *Item) {
	if i.Time <= 0 && r.clock == 0 && !r.o.Live {
		r.early = append(r.early, i)
		return
	}
	r.add(i)
}

// entry adds an entry that is no message.
func (r *recorder) entry(typ string, at int64, fields ...js.Field) *Item {
	for _, f := range fields {
		if f.Name == "details" {
			r.counts(js.Value(f.Raw))
		}
	}
	return r.add(&Item{Type: typ, Fields: fields, Time: at})
}

// context adds what an agent says in the user's name.
func (r *recorder) context(agent string, at int64, content string) *Item {
	return r.entry(session.TypeCustomMessage, at, js.StringField("customType", session.CustomContext(agent)),
		js.RawField("content", content), js.RawField("display", "false"))
}

// counts takes note of details that count up the usage of an agent's session.
func (r *recorder) counts(details js.Value) {
	if id := details.Get("sessionId").Str(); id != "" {
		r.totals[id] = details
	}
}

// message adds a message, whose time is at unless it has one. The user's words are
// in front of what a model says, from the stream or from the prompt.
func (r *recorder) message(m session.Message, at int64) *Item {
	if m.Role() == session.RoleUser && r.repeats(m) {
		r.tale.Asked = true
		return r.last
	}
	m = m.JoinTexts()
	if what := m.Foreign(); what != "" {
		r.problem("a message of a shape that no model will see: %s", what)
	}
	if m.Get("timestamp") == "" && at > 0 {
		m = session.NewMessage(string(js.Value(m.Raw()).Add(js.IntField("timestamp", at))))
	}
	r.counts(js.Value(m.Get("details")))
	r.last = r.add(&Item{Type: session.TypeMessage, Message: m, Time: at})
	r.told(m)
	return r.last
}

// prompt adds the user's words, if they are known and the stream does not have them.
func (r *recorder) prompt() {
	if !r.prompted && r.o.Prompt != "" {
		r.prompted, r.tale.Asked = true, true
		r.last = &Item{Type: session.TypeMessage, Message: api.User([]string{api.Text(r.o.Prompt)})}
		r.begin(r.last)
	}
}

// repeats reports whether a message of the user's is the prompt, which is there already. One
// that has more than the prompt, such as a file or an image, is recorded as well: it is what
// the model was sent. It warns if the stream has other words of the user than the prompt.
func (r *recorder) repeats(m session.Message) bool {
	if r.o.Prompt == "" || r.heard {
		return false
	}
	r.heard = true
	said, prompt := strings.TrimSpace(m.Text("\n")), strings.TrimSpace(r.o.Prompt)
	if !strings.Contains(said, prompt) {
		r.warn("the stream says that the user said something else than the prompt given: %.60q", m.Text("\n"))
	}
	for b := range m.Blocks() {
		if b.Type != session.BlockText {
			return false
		}
	}
	return r.prompted && said == prompt
}

// said adds a reply that is but a text.
func (r *recorder) said(t *plain) {
	t.end()
	if t.broken {
		r.warn("the text is not UTF-8 throughout; U+FFFD stands for what is not")
	}
	if t.length == 0 {
		if r.failure == nil {
			r.problem("the text is empty")
		}
		return
	}
	r.message(t.message(), 0)
}

// run adds an entry about the run of an agent: its name, its version, and its id for the session.
func (r *recorder) run(at int64, agent, version, sessionID string) {
	r.uncounted = r.tale.Uncount
	r.begin(&Item{Type: session.TypeCustom, Time: at, Fields: []js.Field{
		js.StringField("customType", session.CustomRun), js.RawField("data", js.Object(
			js.StringField("agent", agent), api.Str("version", version), api.Str("sessionId", sessionID))),
	}})
}

// unknown takes an event that means nothing here.
func (r *recorder) unknown(agent string, v js.Value) {
	r.note("an event of type %.40q is not recorded", v.Get("type").Str())
	if hasWords(v) && !r.o.KeepUnknown {
		if r.strange++; r.strange == 1 {
			r.first = fmt.Sprintf("%.40q in a stream of %s", v.Get("type").Str(), agent)
		}
	}
	r.keep(agent, v)
}

// hasWords reports whether an event has a member for words of a conversation that is not empty.
func hasWords(v js.Value) bool {
	return slices.ContainsFunc([]string{"text", "content", "message", "prompt"}, func(name string) bool {
		words := v.Get(name)
		return words.IsObject() || words.IsArray() && words != "[]" || words.Str() != ""
	})
}

// words says that events had words that are in no entry.
func (r *recorder) words() {
	switch {
	case r.strange == 0:
	case r.answer == nil:
		r.problem("no answer is recorded, and %s not known, the first of type %s: it may be of another program",
			formats.Counted(r.strange, "1 event with words is", "%d events with words are"), r.first)
	default:
		r.problem("%s not recorded, the first of type %s", formats.Counted(r.strange, "1 event with words is", "%d events with words are"), r.first)
	}
}

// keep keeps an event in a custom entry, if that is asked for.
func (r *recorder) keep(agent string, v js.Value) {
	if r.o.KeepUnknown {
		r.entry(session.TypeCustom, 0, js.StringField("customType", agent+":event"), js.RawField("data", v))
	}
}

// now returns the time in milliseconds since the epoch, 0 if it is unknown.
func (r *recorder) now() int64 {
	if r.o.Now == nil {
		return 0
	}
	return r.o.Now()
}

// rest adds a usage entry for what was used and no reply said, by the provider given and the model of the newest answer.
func (r *recorder) rest(used tokens, provider js.Field, more ...js.Field) {
	if used != (tokens{}) {
		r.spentOn(usageRest, used.usage(), append([]js.Field{provider}, more...)...)
	}
}

// spentOn adds a usage entry for what was used beside the replies, by the provider and the model of the newest answer unless
// more has others.
func (r *recorder) spentOn(kind, usage string, more ...js.Field) {
	usage, err := metering.CompleteUsage(usage)
	if err != nil {
		r.problem("the usage of a %s cannot be read: %v", kind, err)
		return
	}
	fields := merge([]js.Field{js.StringField("kind", kind), js.StringField("provider", "unknown"), js.StringField("model", "unknown")},
		slices.DeleteFunc(slices.Clone(r.by), func(f js.Field) bool { return f.Name == "api" }))
	r.spent = r.spent.plus(spentIn(js.Value(usage)))
	r.entry(session.TypeUsage, r.now(), merge(append(fields, js.RawField("usage", usage)), more)...)
}

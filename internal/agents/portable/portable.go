package portable

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// Options say for whom a session is made.
type Options struct {
	To   string // the agent it goes to
	From string // the agent it is of, "" for what [Of] says

	// Provider and Model are who is said to have replied: the target's own, or "".
	Provider, Model string

	// Path is the path that is carried, nil for that to the leaf.
	Path []session.Entry

	// Seed makes the session another one: whatever else than the source and its leaf there is
	// to tell it from others.
	Seed []string
}

// A Said is one message of a portable session.
type Said struct {
	session.Message
	Time  int64  // in milliseconds since the epoch
	Entry string // id of the entry that it was, "" for one of ours
}

// A Session is the part of a session that is carried.
type Session struct {
	Header session.HeaderFields
	Said   []Said

	Mapped  int            // calls that are calls of the target's own tools
	Renamed map[string]int // other calls, by the names they have now

	o  Options
	of []string // the source, in the id
}

func (p *Session) id(seed []string) string { return formats.SessionID(slices.Concat(p.of, seed)...) }

// Again makes the session another one, see [Options.Seed].
func (p *Session) Again(seed []string) { p.Header.ID = p.id(seed) }

// Of returns the agent that a session is of, as far as it says so: that for which something is
// kept, whose words are in it, or which was recorded; else "omp" or "pi", whose format it has.
func Of(s *session.Session) string {
	native := "pi"
	for _, e := range s.Entries {
		agent := e.Aside()
		switch e.Type() {
		case session.TypeCustom:
			if e.Str("customType") == session.CustomRun {
				agent = js.Value(e.Get("data")).Get("agent").Str()
			}
		case session.TypeSessionInit, session.TypeModeChange, session.TypeTitleChange, session.TypeModelUsage, session.TypeTTSRInjection:
			native = "omp"
		case session.TypeModelChange:
			if e.Str("provider") == "" {
				native = "omp"
			}
		}
		if kept := js.Value(e.Get(session.MemberKept)); kept.IsObject() {
			for name := range kept.Members() {
				agent = name
			}
		}
		if agent != "" && agent != "sess" && agent != "sess-record" {
			return agent
		}
	}
	return native
}

// Make returns what of a session may be carried, and tells t of the rest: what every portable
// session leaves out is no reason for a strict export to end.
func Make(s *session.Session, o Options, t *formats.Target) *Session {
	if o.From == "" {
		o.From = Of(s)
	}
	m := &maker{s: s, o: o, out: &Session{Renamed: map[string]int{}, o: o}}
	m.mapper = mapper{from: o.From, to: o.To, cwd: s.Header.CWD, known: o.Model != "", gpt: isGPT(o.Model), zero: o.From == "opencode" && !countsFromOne(s)}
	path := o.Path
	if leaf, ok := s.Leaf(); ok && path == nil {
		path, _ = s.Path(leaf)
	}
	at, _ := js.ParseTime(s.Header.Timestamp)
	if n := len(path); n > 0 {
		m.leaf = path[n-1].ID()
	}
	m.out.of = []string{"portable", o.To, s.Header.ID, m.leaf}
	m.out.Header = session.HeaderFields{
		ID: m.out.id(o.Seed), Time: at, CWD: s.Header.CWD, Title: session.OneLine(session.NameOf(s.Header, s.Entries)),
	}
	m.context(rebuilt(path, t))
	m.say()
	m.end()
	m.tell(t, path)
	return m.out
}

// Session makes the entries: one for each message, in one line.
func (p *Session) Session() (*session.Session, error) {
	var text strings.Builder
	b := formats.NewBuilder("sess", func(line string) error {
		text.WriteString(line + "\n")
		return nil
	}, func(formats.Loss) {})
	b.Defaults = session.Defaults{API: "sess", Provider: "sess", Model: "handoff"}
	if p.o.To == "claude" {
		b.Defaults.Model = "<synthetic>"
	}
	if p.o.Model != "" {
		b.Defaults.Provider, b.Defaults.Model = p.o.Provider, p.o.Model
	}
	if err := b.Header(p.Header); err != nil {
		return nil, err
	}
	for i, m := range p.Said {
		if _, err := b.Message(formats.Place{Key: strconv.Itoa(i), Time: m.Time}, m.Message); err != nil {
			return nil, err
		}
	}
	return session.Read(strings.NewReader(text.String()))
}

// A maker is the making of one.
type maker struct {
	mapper
	s    *session.Session
	o    Options
	leaf string // id of the entry in which the path ends
	out  *Session

	list  []Said         // what a model is shown
	pairs []convo.Paired // of list
	shown map[string]bool
	calls int // so far

	lost, left formats.Tally // losses, and parts that every portable session leaves out
}

// context finds what a model is shown.
func (m *maker) context(path []session.Entry) {
	m.shown = map[string]bool{}
	for _, p := range convo.Project(path) {
		m.shown[p.Entry.ID()] = true
		at, _ := p.Entry.Timestamp()
		for _, one := range p.Messages {
			if one, ok := m.spoken(p.Entry, one); ok {
				m.list = append(m.list, Said{one, at, p.Entry.ID()})
			}
		}
	}
	messages := make([]session.Message, len(m.list))
	for i, one := range m.list {
		messages[i] = one.Message
	}
	m.pairs = convo.Pair(messages)
}

// spoken returns a message as one of the user, of a model or of a tool; ok is false for what
// agents say.
func (m *maker) spoken(e session.Entry, one session.Message) (session.Message, bool) {
	at := formats.At(e)
	switch one.Role() {
	case session.RoleUser, session.RoleAssistant, session.RoleToolResult:
		return one, true
	case session.RoleSystem, session.RoleDeveloper:
		m.left.Add(at, formats.KindSystem, "a system message, not carried: the other agent has its own")
		return one, false
	case session.RoleCustom:
		kind := one.Str("customType")
		switch {
		case one.Harness() != "":
			m.left.Add(at, formats.KindContext, "words of %s, not carried: they are meant for its model", session.AgentName(one.Harness()))
			return one, false
		case kind != "codex:agent_message" && kind != "codex:review": // which codex' model is told as by the user
			m.lost.Add(at, formats.KindRole, "a message of the extension %q, not carried", kind)
			return one, false
		}
	}
	return convo.MessageToLLM(one)
}

// say carries the messages, each result behind its call.
func (m *maker) say() {
	for i, one := range m.list {
		switch one.Role() {
		case session.RoleUser:
			if blocks := m.users(one); len(blocks) > 0 {
				m.add(api.User(blocks), one)
			}
		case session.RoleAssistant:
			m.reply(i, one)
		case session.RoleToolResult:
			switch m.pairs[i].Reply {
			case convo.Orphan:
				m.lost.Add("entry "+one.Entry, formats.KindTool, "a result that answers no call, not carried")
			case convo.Doubled:
				m.lost.Add("entry "+one.Entry, formats.KindTool, "a second result of one call, not carried")
			}
		}
	}
}

func (m *maker) add(made session.Message, of Said) {
	m.out.Said = append(m.out.Said, Said{made, of.Time, of.Entry})
}

// users returns what the user said of a message.
func (m *maker) users(one Said) []string {
	said, agent, _ := one.Said()
	if agent != "" {
		m.left.Add("entry "+one.Entry, formats.KindContext, "words of %s, not carried: they are meant for its model", session.AgentName(agent))
	}
	return m.blocks(one.Entry, said, func(text string) string {
		before, words, behind := typed.Framed(text)
		if before == "" && behind == "" {
			return text
		}
		m.left.Add("entry "+one.Entry, formats.KindContext, "words of an agent in the user's place, not carried")
		return words
	})
}

// blocks returns the texts and the images of a message.
func (m *maker) blocks(entry string, one session.Message, own func(text string) string) (out []string) {
	for b := range one.Blocks() {
		switch b.Type {
		case session.BlockText:
			if text := own(clean(b.Str("text"))); strings.TrimSpace(text) != "" {
				out = append(out, api.Text(text))
			}
		case session.BlockImage:
			if kind, why := convo.Image(b); why != "" {
				m.lost.Add("entry "+entry, formats.KindMedia, "an image, not carried: %s", why)
				out = append(out, api.Text(convo.ImageLeftOut(why)))
			} else {
				out = append(out, api.Image(kind, b.Str("data")))
			}
		default:
			m.lost.Add("entry "+entry, formats.KindMedia, "content of type %q, not carried", b.Type)
		}
	}
	return out
}

// all keeps every text.
func all(text string) string { return text }

// clean returns a text that every API takes: without halves of surrogate pairs, and without NUL.
func clean(text string) string { return strings.ReplaceAll(js.ValidText(text), "\x00", "\uFFFD") }

// thoughts is thinking that a model has written into its reply, at the beginning.
var thoughts = lazy.Regexp(`^\s*<think(?:ing)?>(?s:.*?)</think(?:ing)?>\s*`)

// reply carries what a model said, and the results of its calls.
func (m *maker) reply(i int, one Said) {
	where := "entry " + one.Entry
	if one.Failed() {
		m.lost.Add(where, formats.KindText, "a reply that failed or was aborted, not carried")
		return
	}
	var blocks []string
	var results []Said
	call := 0
	for b := range one.Blocks() {
		switch {
		case b.IsThinking():
			m.left.Add(where, formats.KindThinking, "thinking, not carried: it is signed for one account, or no other model's")
		case b.Type == session.BlockText:
			text := clean(b.Str("text"))
			if len(blocks) == 0 {
				text = thoughts().ReplaceAllString(text, "")
			}
			if strings.TrimSpace(text) != "" {
				blocks = append(blocks, api.Text(text))
			}
		case b.Type == session.BlockToolCall:
			id := m.callID()
			name, arguments, own := m.call(b.Str("name"), js.Value(b.Get("arguments")))
			if own {
				m.out.Mapped++
			} else {
				m.out.Renamed[name]++
			}
			blocks = append(blocks, api.ToolCall(id, name, cleanJSON(string(arguments))))
			results = append(results, m.result(i, call, id, name))
			call++
		default:
			m.lost.Add(where, formats.KindMedia, "content of type %q, not carried", b.Type)
		}
	}
	if len(blocks) == 0 {
		m.left.Add(where, formats.KindThinking, "a reply without anything that may be carried")
		return
	}
	m.add(api.Assistant(blocks), one)
	m.out.Said = append(m.out.Said, results...)
}

// escapedNUL is NUL as JSON has it, an odd number of backslashes in front of it.
var escapedNUL = lazy.Regexp(`((?:^|[^\\])(?:\\\\)*)\\u0000`)

// cleanJSON returns the arguments of a call as every API takes them.
func cleanJSON(raw string) string {
	raw = js.ValidText(raw)
	if strings.Contains(raw, `\u0000`) {
		raw = escapedNUL().ReplaceAllString(raw, "$1\uFFFD")
	}
	return string(wellPaired(js.Value(raw)))
}

// wellPaired returns a value whose strings have no halves of surrogate pairs.
func wellPaired(v js.Value) js.Value {
	if !strings.Contains(string(v), `\u`) {
		return v
	}
	switch {
	case v.IsString():
		return js.Value(js.Quote(clean(v.Str())))
	case v.IsArray():
		var list []js.Value
		for one := range v.Elements() {
			list = append(list, wellPaired(one))
		}
		return js.Value(api.Array(list...))
	case v.IsObject():
		var fields []js.Field
		for name, value := range v.Members() {
			fields = append(fields, js.RawField(clean(name), wellPaired(value)))
		}
		return js.Value(js.Object(fields...))
	}
	return v
}

// callID returns the id of the next call: characters and length are those that every API takes.
func (m *maker) callID() string {
	m.calls++
	sum := sha256.Sum256([]byte(m.out.Header.ID + " " + strconv.Itoa(m.calls)))
	return "call_" + hex.EncodeToString(sum[:12])
}

// Unanswered begins the text of a result that there is none of, and Open is the reply that ends a
// turn which has none.
const (
	Unanswered = "(no result: the call was not answered before the session was handed over)"
	Open       = "(This turn was not finished: the session was handed over here.)"
	noOutput   = "(no output)"
)

// result returns the result of a reply's call, with the time at which it came.
func (m *maker) result(reply, call int, id, name string) Said {
	p, one := m.pairs[reply], m.list[reply]
	at := slices.IndexFunc(p.Results, func(r convo.Result) bool { return r.Call == call })
	if at < 0 || m.list[p.Results[at].Message].IsMadeUp() {
		m.left.Add("entry "+one.Entry, formats.KindTool, "a call without a result, which is told so")
		return Said{api.ToolResult(id, name, []string{api.Text(Unanswered)}, true), one.Time, one.Entry}
	}
	r := m.list[p.Results[at].Message]
	blocks := m.blocks(r.Entry, r.Message, all)
	if len(blocks) == 0 {
		blocks = []string{api.Text(noOutput)}
	}
	return Said{api.ToolResult(id, name, blocks, r.Get("isError") == "true"), r.Time, r.Entry}
}

// ours is a command that hands a session over.
var ours = lazy.Regexp(`(^|[\s;&|(/])sess-handoff(\s|$)`)

// end takes a call of the hand-off itself from the end, and ends a turn that has no reply.
func (m *maker) end() {
	if n := len(m.out.Said); n > 1 {
		reply, result := m.out.Said[n-2], m.out.Said[n-1]
		calls := reply.ToolCalls()
		if result.Role() == session.RoleToolResult && len(calls) == 1 && reply.Role() == session.RoleAssistant && ours().MatchString(calls[0].Command()) {
			m.out.Said = m.out.Said[:n-2]
			if text := reply.Text(""); text != "" {
				m.add(api.Assistant([]string{api.Text(text)}), reply)
			}
		}
	}
	if n := len(m.out.Said); n > 0 && m.out.Said[n-1].Role() == session.RoleToolResult {
		m.add(api.Assistant([]string{api.Text(Open)}), Said{Time: m.out.Said[n-1].Time})
	}
}

// tell tells of the parts that are not carried.
func (m *maker) tell(t *formats.Target, path []session.Entry) {
	on, behind, first := map[string]bool{}, 0, ""
	for _, e := range path {
		on[e.ID()] = true
		if e.Type() == session.TypeMessage && !m.shown[e.ID()] {
			if behind++; first == "" {
				first = formats.At(e)
			}
		}
	}
	t.LoseBranches(m.s, func(_ int, e session.Entry) bool { return on[e.ID()] })
	t.LoseNested(m.s, nil)
	if behind > 0 {
		t.Lost(formats.Many(behind, first, formats.KindContext, "1 message that a compaction took out of sight, not carried", "%d messages that a compaction took out of sight, not carried"))
	}
	if n := len(m.s.Labels()); n > 0 {
		t.Lost(formats.Many(n, "", formats.KindEntry, "1 label, not carried", "%d labels, not carried"))
	}
	m.lost.Tell(t.Lost)
	m.left.Tell(t.Noted)
}

// isGPT reports whether a model is one of those to which opencode gives patches instead of edits.
func isGPT(model string) bool {
	return strings.Contains(model, "gpt-") && !strings.Contains(model, "gpt-4") && !strings.Contains(model, "oss")
}

// countsFromOne reports whether the opencode that wrote a session counts lines from 1.
func countsFromOne(s *session.Session) bool {
	for _, e := range s.Entries {
		if formats.CustomName(e, "opencode") == "session" {
			v := strings.SplitN(js.Value(e.Get("data")).Get("version").Str(), ".", 3)
			if len(v) < 2 {
				return false
			}
			major, _ := strconv.Atoi(v[0])
			minor, _ := strconv.Atoi(v[1])
			return major > 1 || major == 1 && minor >= 2
		}
	}
	return false
}

// rebuilt returns a path without compactions of codex whose summaries only its provider can read:
// the entries that they summarize stand in front of them. Entries that codex copied behind one go
// as well.
func rebuilt(path []session.Entry, t *formats.Target) []session.Entry {
	out := slices.Clone(path)
	for i := 0; i < len(out); i++ {
		if out[i].Type() != session.TypeCompaction || out[i].Str("summary") != "" {
			continue
		}
		for j := i; j < len(out); j++ {
			sealed, compacted := summarized(out[j])
			if !compacted {
				continue
			}
			if sealed {
				t.Note(formats.At(out[i]), formats.KindContext, "a summary that only its provider can read: the messages before it are carried")
				out = slices.Delete(out, i, j+1)
				i--
			}
			break
		}
	}
	return out
}

// summarized reports whether an entry keeps codex's line of a compaction, and whether the
// summary in it is encrypted.
func summarized(e session.Entry) (sealed, compacted bool) {
	for l := range e.KeptLines("codex") {
		if l.Get("type").Str() != "compacted" {
			continue
		}
		compacted = true
		for item := range l.Get("payload", "replacement_history").Elements() {
			sealed = sealed || item.Get("encrypted_content") != "" && item.Get("type").Str() != "reasoning"
		}
	}
	return sealed, compacted
}

// Strangers returns how the names of calls begin that are not the target's own, such as "codex_…".
func (p *Session) Strangers() (begin []string) {
	for name := range p.Renamed {
		if agent, _, ok := strings.Cut(name, "_"); ok {
			begin = append(begin, agent+"_…")
		}
	}
	slices.Sort(begin)
	return slices.Compact(begin)
}

package codex

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// agent is the name of the format, which begins the types of its custom entries.
const agent = "codex"

// The types of the custom entries that lines travel in which became no entry, without the
// format's name.
const (
	customMeta     = "meta"     // the first line
	customLines    = "lines"    // others
	customRollback = "rollback" // {"leaf":ID}: the line that takes back the entries up to that one
)

// A conv is the conversion of one session, line by line.
type conv struct {
	b       *formats.Builder
	session string // its id
	at      int64  // time of the last entry

	src     *formats.Source // the file at hand
	rollout string          // its id: part of what ids are made of
	own     bool            // it is of this session, not one that this is based on
	begun   bool            // its first line was read

	state
	batch   []line   // that are not kept yet
	size    int      // of the batch in bytes
	added   []string // entries that were added since lines were kept
	held    int      // bytes of the lines that are kept with the entry added last
	x       *exchange
	now     int64
	err     error
	lost    formats.Tally
	copying bool             // entries are added that a compaction put back
	sealed  bool             // a turn is over: lines are kept with the next entry, not with one of that turn
	cut     bool             // so is what was taken when the source was quiet, and no turn since
	stopped bool             // no further line is read: one that is not there yet decides
	late    func() []decider // what decides about calls in this file, by their places
	ended   map[string]end   // how calls ended, by an event in front of their output
	called  map[string]bool  // the ids of the calls, and of what their programs did
	scripts scripts

	objective string // the goal that is known

	subagent bool            // another thread speaks in the user's name
	kin      map[string]bool // the thread, and those that it comes from
	requests map[string]bool // that were counted, by their threads and ids
}

// A state is what of the conversion depends on the place in the tree.
type state struct {
	jump     string // where the next entry hangs, if not behind the last one
	root     bool   // it hangs from nothing
	turns    *turn
	anchor   string // the last entry that is no context
	context  bool   // there is context behind it
	waiting  map[string]*call
	order    []*call
	users    []session.Message // what a compaction without a history keeps
	provider string
	model    string
	effort   string
	tokens   int64
	window   int64               // of the model, in tokens, as it was told last
	counters map[string]*counter // of what was used, by the lines that tell them and their threads
	unnamed  *spent              // the request of the newest event, which no record is of
	forked   bool                // the total may have in it what was used before this file, and none was told yet
	spoken   bool                // the model has said something
}

// begin is the state before anything was read.
func begin() state {
	return state{root: true, waiting: map[string]*call{}, counters: map[string]*counter{events: {}}, provider: "unknown", model: "unknown"}
}

// copied returns the state for a second use.
func (s state) copied() state {
	s.waiting = maps.Clone(s.waiting)
	s.order = slices.Clip(s.order)
	counters := map[string]*counter{}
	for name, k := range s.counters {
		counters[name] = k.copied()
	}
	s.counters, s.unnamed = counters, nil
	return s
}

// maxBatch is how many bytes of lines go into one entry, about.
const maxBatch = 1 << 20

// line converts one line.
func (c *conv) line(l line) {
	switch l.typ {
	case typeMeta:
		c.meta(l)
		return
	case typeItem:
		c.convert(l, itemOf(l.payload), strconv.FormatInt(l.offset, 10))
		c.keep(l)
		return
	case typeCompacted:
		c.compacted(l)
		return
	case typeEvent:
		if l.kind == "thread_rolled_back" {
			c.rolledBack(l)
			return
		}
		if c.event(l) {
			return
		}
		if l.kind == "task_complete" || l.kind == "turn_aborted" {
			c.keep(l)
			c.seal()
			return
		}
	case typeTurn:
		c.turnContext(l)
		return
	case typeUsage:
		c.counted(l, recordOf(l.payload))
	case typeState:
	default:
		c.strange(l, "a line of the unknown type", l.typ, cmp.Or(l.payload, js.Value(l.raw)))
	}
	c.keep(l)
}

// strange tells of words in what no version that was looked at writes: they are kept, and in no message.
func (c *conv) strange(l line, what, typ string, v js.Value) {
	says := false
	for _, name := range []string{"content", "text", "prompt", "message"} {
		v.Get(name).Strings(func(string, js.Value) bool { return false }, func(s js.Value) bool {
			says = says || strings.TrimSpace(s.Str()) != ""
			return !says
		})
	}
	if says {
		c.lose(l, formats.KindEntry, "words in %s %.60q, kept aside", what, typ)
	}
}

// meta keeps the first line of a file, and what a fork has copied of its parent's.
func (c *conv) meta(l line) {
	for _, id := range []string{l.payload.Get("id").Str(), parentIn(l.payload)} {
		c.kin[strings.ToLower(id)] = true
	}
	if !c.own || c.begun {
		c.keep(l)
		return
	}
	c.begun = true
	c.flush()
	c.put(len(c.batch))
	if p := l.payload.Get("model_provider").Str(); p != "" {
		c.provider = p
	}
	c.aside(customMeta, "", l, formats.KeptLine{Text: l.raw})
}

// event looks at what codex shows people, as far as it says more than items do. It reports
// whether the line became an entry, and was kept.
func (c *conv) event(l line) (kept bool) {
	switch l.kind {
	case "error":
		// What the user got for an answer is an error of the provider's, such as a limit that was reached.
		c.settle()
		c.put(len(c.batch))
		p := &pending{
			role: session.RoleAssistant, key: "error:" + api.Int(l.offset), time: c.now, failed: true,
			failure: cmp.Or(l.payload.Get("message").Str(), l.payload.Get("codex_error_info").Str(), "unknown"),
		}
		c.emit(p)
		c.anchor, c.context = c.b.Leaf(), false
		c.keep(l)
		return true
	case "token_count":
		c.windowed(l.payload.Get("info", "model_context_window"))
		c.counted(l, eventOf(l.payload))
	case "turn_aborted":
		c.cutShort()
		c.flush()
	case "task_complete":
		c.flush()
	case "task_started":
		c.settle()
		c.windowed(l.payload.Get("model_context_window"))
		c.seal()
	case "patch_apply_end", "exec_command_end", "mcp_tool_call_end", "dynamic_tool_call_response", "item_completed":
		if item := l.payload.Get("item"); item.Get("type").Str() == "EnteredReviewMode" {
			c.review(l, item)
			c.keep(l)
			return true
		}
		c.finished(l.payload)
	case "thread_goal_updated":
		if c.goal(l, l.payload.Get("goal", "objective").Str()) {
			c.keep(l)
			return true
		}
	case "entered_review_mode":
		c.review(l, l.payload)
		c.keep(l)
		return true
	case "thread_name_updated":
		if name := l.payload.Get("thread_name").Str(); name != "" {
			c.flush()
			c.put(len(c.batch))
			c.named(name, "name:"+api.Int(l.offset), l.time)
		}
	default:
		if !shown[l.kind] {
			c.strange(l, "an event of the unknown kind", l.kind, l.payload)
		}
	}
	return false
}

// shown are the kinds of events that show people what items say, or what goes on.
var shown = map[string]bool{
	"user_message": true, "agent_message": true, "agent_message_delta": true, "agent_message_content_delta": true,
	"agent_reasoning": true, "agent_reasoning_delta": true, "agent_reasoning_raw_content": true, "agent_reasoning_raw_content_delta": true,
	"agent_reasoning_section_break": true, "reasoning_content_delta": true, "reasoning_raw_content_delta": true,
	"item_started": true, "raw_response_item": true, "plan_delta": true, "plan_update": true, "turn_diff": true,
	"exec_command_begin": true, "exec_command_output_delta": true, "patch_apply_begin": true, "mcp_tool_call_begin": true,
	"exited_review_mode": true, "context_compacted": true, "warning": true, "stream_error": true, "background_event": true,
	"deprecation_notice": true, "session_configured": true, "exec_approval_request": true, "apply_patch_approval_request": true,
}

// windowed notes the size of the context window of the model.
func (c *conv) windowed(tokens js.Value) {
	if n := api.Tokens(tokens); n > 0 {
		c.window = n
	}
}

// named gives the session a name.
func (c *conv) named(name, key string, at int64) {
	c.taken(c.b.Add(c.place(key, at), session.TypeSessionInfo, js.StringField("name", session.OneLine(name))))
}

// place says where the next entry stands.
func (c *conv) place(key string, at int64) formats.Place {
	p := formats.Place{Key: c.rollout + ":" + key, Time: at, Parent: c.jump, Root: c.root}
	c.jump, c.root = "", false
	return p
}

// add adds an entry of a type, with its members as JSON text. It
// is [formats.Builder.Add] for what needs no checking, and is most of what there is.
func (c *conv) add(typ, key string, at int64, size int, members func(*strings.Builder)) {
	if c.err != nil {
		return
	}
	p := c.place(key, at)
	id := formats.EntryID(c.b.Known, c.session, "key", p.Key)
	parent := "null"
	switch {
	case p.Parent != "":
		parent = `"` + p.Parent + `"`
	case !p.Root && c.b.Leaf() != "":
		parent = `"` + c.b.Leaf() + `"`
	}
	if at == 0 {
		at = c.at
	}
	c.at = at
	var b strings.Builder
	b.Grow(size + 160)
	place := `"id":"` + id + `","parentId":` + parent + `,"timestamp":"` + js.FormatTime(at) + `"`
	b.WriteString(`{"type":"` + typ + `",`)
	if typ == session.TypeMessage {
		b.WriteString(place + ",")
		members(&b)
	} else { // as pi writes them
		members(&b)
		b.WriteString("," + place)
	}
	if c.copying && typ != session.TypeUsage {
		b.WriteString(`,"` + session.MemberCopy + `":true`)
	}
	b.WriteByte('}')
	e, err := session.ParseEntry(b.String())
	if err == nil {
		err = c.b.Entry(e)
	}
	c.taken(id, err)
}

// taken notes an entry that was added, or keeps the first error.
func (c *conv) taken(id string, err error) string {
	if c.err == nil {
		c.err = err
	}
	c.added, c.sealed = append(c.added, id), false
	return id
}

// put keeps the first n lines of the batch with the entries that were added since: or with
// the one before them, or, if there is none in their place, aside.
func (c *conv) put(n int) {
	if n == 0 || c.err != nil {
		return
	}
	first := c.batch[0]
	lines, size := make([]formats.KeptLine, n), 0
	for i, l := range c.batch[:n] {
		lines[i] = formats.KeptLine{Text: l.raw}
		size += len(l.raw)
	}
	if c.sealed && len(c.added) == 0 && size < maxBatch {
		return
	}
	c.batch, c.size = slices.Delete(c.batch, 0, n), c.size-size
	if len(c.added) > 0 {
		c.held = 0
	}
	if c.held += size; len(c.added) == 0 && (c.sealed || c.root || c.jump != "" || c.held > maxBatch) {
		c.sealed = false
		c.aside(customLines, "", first, lines...)
		return
	}
	c.err = c.b.Keep(c.added, lines...)
	c.added = nil
}

// seal says that a turn is over, so that a copy of it grows by appending.
func (c *conv) seal() {
	if c.put(len(c.batch)); c.cut {
		c.restLines()
	}
	if c.added, c.sealed, c.cut = nil, true, false; c.err == nil {
		c.err = c.b.Settle()
	}
}

// restLines keeps the lines at the end that wait for an entry.
func (c *conv) restLines() {
	if c.sealed && c.err == nil && len(c.batch) > 0 {
		c.aside(customLines, "", c.batch[0])
	}
}

// aside adds an entry for lines that become none, behind those that wait for one; l is the first.
func (c *conv) aside(name, data string, l line, lines ...formats.KeptLine) {
	if c.err != nil {
		return
	}
	if c.sealed {
		waited := make([]formats.KeptLine, len(c.batch))
		for i, l := range c.batch {
			waited[i] = formats.KeptLine{Text: l.raw}
		}
		c.batch, c.size, lines = nil, 0, append(waited, lines...)
	}
	c.taken(c.b.Aside(c.place(name+":"+api.Int(l.offset), l.time), name, data, lines...))
	c.added, c.held = nil, 0
	for _, l := range lines {
		c.held += len(l.Text)
	}
}

// keep adds a line to the batch.
func (c *conv) keep(l line) {
	c.batch = append(c.batch, l)
	if c.size += len(l.raw); c.size < maxBatch {
		return
	}
	if c.x != nil {
		c.put(c.x.mark)
		c.x.mark = 0
		return
	}
	c.put(len(c.batch))
}

// emit makes an entry of a message.
func (c *conv) emit(m *pending) {
	size := 400
	for _, block := range m.blocks {
		size += len(block) + 1
	}
	typ := session.TypeMessage
	switch {
	case m.custom == session.CustomCalls:
		typ = session.TypeCustom
	case m.custom != "":
		typ = session.TypeCustomMessage
	}
	c.add(typ, m.key, m.time, size, func(b *strings.Builder) {
		if typ == session.TypeCustom {
			b.WriteString(`"customType":"` + m.custom + `","data":` + js.Object(js.StringField("toolCallId", m.callID), js.RawField("nestedCalls", nestedCalls(m.nested))))
			return
		}
		if m.custom != "" {
			b.WriteString(`"customType":"` + m.custom + `","display":false,"content":`)
			writeArray(b, m.blocks)
			return
		}
		b.WriteString(`"message":{"role":"` + m.role + `",`)
		if c.subagent && m.role == session.RoleUser {
			b.WriteString(`"attribution":"agent",`)
		}
		if m.ran != "" {
			b.WriteString(m.ran + `"timestamp":` + api.Int(c.at) + "}")
			return
		}
		c.fields(b, m)
		b.WriteString(`"timestamp":` + api.Int(c.at) + `,"content":`)
		writeArray(b, m.blocks)
		b.WriteByte('}')
	})
}

// fields writes what a message of a role has besides its content.
func (c *conv) fields(b *strings.Builder, m *pending) {
	switch m.role {
	case session.RoleAssistant:
		stop := "stop"
		switch {
		case m.failed:
			stop = "error"
		case m.aborted:
			stop = "aborted"
		case len(m.calls) > 0:
			stop = "toolUse"
		}
		if m.usage == "" {
			m.usage = counts{}.text()
		}
		b.WriteString(`"api":"openai-responses","provider":` + js.Quote(cmp.Or(m.provider, c.provider)) + `,"model":` + js.Quote(cmp.Or(m.model, c.model)))
		if m.response != "" {
			b.WriteString(`,"responseId":` + js.Quote(m.response))
		}
		if m.thread != "" {
			b.WriteString(`,"` + session.MemberThread + `":` + js.Quote(m.thread))
		}
		if c.window > 0 && !m.failed {
			b.WriteString(`,"` + session.MemberWindow + `":` + api.Int(c.window))
		}
		b.WriteString(`,"usage":` + m.usage + `,"stopReason":"` + stop + `",`)
		if m.failed {
			b.WriteString(`"errorMessage":` + js.Quote(m.failure) + ",")
		}
	case session.RoleToolResult:
		b.WriteString(`"toolCallId":` + js.Quote(m.callID) + `,"toolName":` + js.Quote(m.tool) +
			`,"isError":` + strconv.FormatBool(m.failed) + ",")
		if m.made {
			b.WriteString(`"details":` + session.MadeUp + ",")
		} else if m.exit != "" {
			b.WriteString(`"details":{"exitCode":` + m.exit + "},")
		}
		if len(m.nested) > 0 {
			b.WriteString(`"nestedCalls":` + nestedCalls(m.nested) + ",")
		}
	}
}

// writeArray writes JSON texts as an array.
func writeArray(b *strings.Builder, elements []string) {
	b.WriteByte('[')
	for i, e := range elements {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(e)
	}
	b.WriteByte(']')
}

const textHead = `{"type":"text",`

// text returns a text block of a literal.
func text(literal string) string { return textHead + `"text":` + literal + "}" }

// literal returns a value if it is a string, else an empty one.
func literal(v js.Value) string {
	if !v.IsString() {
		return `""`
	}
	return string(v)
}

// lose notes a loss in a line.
func (c *conv) lose(l line, kind, format string, args ...any) {
	c.lost.Add(c.src.At(l.number), kind, format, args...)
}

package codex

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// write makes the lines.
func (x *exporter) write(ctx context.Context) error {
	switch {
	case x.original:
		x.copy(parseLine(x.meta))
	default:
		x.put(typeMeta, x.first(), x.at)
	}
	if x.s.Name != "" && session.OneLine(x.s.Name) != x.named { // not at the end: an ordinal there would be used again
		x.event("thread_name_updated", x.at, js.StringField("thread_id", x.id), js.StringField("thread_name", x.s.Name))
	}
	entries := x.entries
	fixes := pathRepairs(entries)
	x.fixes = fixes
	x.withCalls = map[string]bool{}
	for i, fix := range fixes {
		for _, j := range fix.results {
			if !x.covered[entries[i].ID()] {
				x.withCalls[entries[j].ID()] = true
			}
		}
	}
	dirty := false
	for _, st := range x.steps {
		if err := cmp.Or(ctx.Err(), x.affordable()); err != nil {
			return err
		}
		if st.lines == nil && (x.covered[st.entry.ID()] || isMadeUp(st.entry)) {
			continue
		}
		if st.lines == nil && changesContext(st.entry) {
			at, _ := st.entry.Timestamp()
			x.countAside(st.entry, at)
			dirty = true
			continue
		}
		if dirty && (st.lines != nil || len(convo.EntryMessages(st.entry)) > 0) {
			x.compacted(st.index, st.entry)
			dirty = false
		}
		if st.lines == nil {
			x.entry(st.entry, fixes[st.index])
		}
		for _, l := range st.lines {
			if l.typ != typeMeta || x.original || x.legacy { // else it speaks of another file
				x.copy(l)
			}
		}
	}
	if dirty {
		x.compacted(len(entries), entries[len(entries)-1])
	}
	x.end()
	return nil
}

// affordable is the error of contexts that repeat too much of the session.
func (x *exporter) affordable() error {
	err := x.t.Afford(x.given, x.size, "codex repeats the context behind each compaction")
	if e, ok := errors.AsType[*formats.GrowthError](err); ok {
		e.Unfinished = true
	}
	return err
}

// pathRepairs returns the repairs of the messages of a path, by the entries.
func pathRepairs(entries []session.Entry) []repair {
	var messages []session.Message
	var of []int
	for i, e := range entries {
		if changesContext(e) {
			continue
		}
		for _, m := range convo.ToLLM(convo.EntryMessages(e)) {
			messages, of = append(messages, m), append(of, i)
		}
	}
	out := make([]repair, len(entries))
	for j, r := range repairs(messages) {
		for k := range r.results {
			r.results[k] = of[r.results[k]]
		}
		out[of[j]] = r
	}
	return out
}

// changesContext reports whether an entry changes messages that are in the context already,
// instead of adding one.
func changesContext(e session.Entry) bool {
	switch e.Type() {
	case session.TypeCompaction, session.TypeContextEdit, session.TypeResetBoundary:
		return true
	}
	return false
}

// isMadeUp reports whether reading put the entry in without a line for it.
func isMadeUp(e session.Entry) bool {
	m, ok := e.Message()
	return ok && m.IsMadeUp()
}

// entry adds what codex would have written for an entry.
func (x *exporter) entry(e session.Entry, r repair) {
	at, _ := e.Timestamp()
	switch e.Type() {
	case session.TypeMessage:
		m, ok := e.Message()
		if !ok {
			x.lost.Add(formats.At(e), formats.KindDamage, "a message that is none, left out")
			return
		}
		x.message(e, m, r, at)
	case session.TypeCustomMessage, session.TypeBranchSummary:
		for _, m := range convo.ToLLM(convo.EntryMessages(e)) {
			x.begin(at)
			x.add(x.items(m), at)
		}
		if e.Type() == session.TypeBranchSummary {
			x.countAside(e, at)
		}
	case session.TypeSessionInfo, session.TypeTitleChange:
	default:
		switch {
		case formats.Silent(e):
		case x.countAside(e, at):
			x.lost.Add(formats.At(e), formats.KindUsage, "what a call beside the conversation was for, and its cost: codex has its tokens alone")
		default:
			x.lost.Add(formats.At(e), formats.KindEntry, "%s means nothing to codex", e.Type())
		}
	}
}

// add adds items.
func (x *exporter) add(items []string, at int64) {
	for _, item := range items {
		x.put(typeItem, item, at)
	}
}

// message adds a message: what the model is shown, and what people are.
func (x *exporter) message(e session.Entry, m session.Message, r repair, at int64) {
	switch m.Role() {
	case session.RoleUser:
		x.end()
		x.begin(at)
		items := x.items(m)
		x.add(items, at)
		if len(items) > 0 {
			x.showPrompt(e.ID(), m, at)
		}
	case session.RoleAssistant:
		x.begin(at)
		x.replied(e.ID(), m, r, at)
	case session.RoleToolResult:
		switch {
		case r.drop:
			x.lost.Add(formats.At(e), formats.KindTool, "a result without its call, or of a failed reply, which no model is shown, left out")
		case !x.withCalls[e.ID()]: // its call is codex's
			x.result(m, at)
		}
	case session.RoleSystem:
		x.lost.Add(formats.At(e), formats.KindSystem, "%s", ownPrompt)
	default:
		messages := convo.ToLLM([]session.Message{m})
		if len(messages) == 0 {
			x.lost.Add(formats.At(e), formats.KindRole, "a message of role %s, which no model is shown, left out", m.Role())
			return
		}
		x.begin(at)
		if m.IsPlainRun() {
			x.add([]string{x.ranItem(m)}, at)
			return
		}
		x.add(x.items(messages[0]), at)
	}
}

// result adds the result of a call.
func (x *exporter) result(m session.Message, at int64) {
	x.begin(at)
	x.ran(m, at)
	x.add(x.items(m), at)
}

// count adds the usage of a response, and of all so far.
func (x *exporter) count(u counts, at int64) {
	x.total = x.total.plus(u)
	x.event("token_count", at, js.RawField("info", js.Object(
		js.RawField("total_token_usage", x.total.usage()), js.RawField("last_token_usage", u.usage()),
		js.RawField("model_context_window", "null"))), js.RawField("rate_limits", "null"))
}

// countAside adds the usage of an entry that is no reply, and reports whether it has one.
func (x *exporter) countAside(e session.Entry, at int64) bool {
	v := js.Value(e.Get("usage"))
	if !v.IsObject() {
		return false
	}
	n := func(name string) int64 { return api.Tokens(v.Get(name)) }
	u := counts{n("input"), n("output"), n("cacheRead"), n("cacheWrite"), n("reasoning"), 0}
	u.total = u.input + u.output + u.read + u.write
	x.count(u, at)
	return true
}

// A writer is the lines of a rollout as they come.
type writer struct {
	lines   []string
	large   large
	next    int64  // ordinal
	turn    string // id of the turn that is open, "" if none is
	turns   int64
	started int64
	reply   string // the last thing said in it, a literal
	last    int64  // time of the last line
	total   counts // as it was told last
	windows int64  // contexts that were replaced so far
	size    int64  // of the lines, in bytes
}

// put adds a line.
func (x *exporter) put(typ, payload string, at int64) {
	if at == 0 {
		at = x.last
	}
	x.last = at
	fields := []js.Field{js.StringField("timestamp", js.FormatTime(at))}
	if !x.legacy {
		fields = append(fields, js.IntField("ordinal", x.next))
	}
	x.next++
	x.took(js.Object(append(fields, js.StringField("type", typ), js.RawField("payload", payload))...), typ)
}

// took takes up a line of a type.
func (x *exporter) took(text, typ string) {
	if typ == typeCompacted {
		x.windows++
	}
	x.size++
	x.large.pieces(text, func(piece string, _ bool) { x.size += int64(len(piece)) }) // without the escapes of large texts
	x.lines = append(x.lines, text)
}

// copy adds a line that codex wrote.
func (x *exporter) copy(l line) {
	if n, ok := api.Whole(l.ordinal); ok {
		x.next = max(x.next, n+1)
	}
	if l.time != 0 {
		x.last = l.time
	}
	switch total := l.payload.Get("info", "total_token_usage"); {
	case l.typ == typeEvent && l.kind == "task_started":
		x.turn = l.payload.Get("turn_id").Str()
	case l.typ == typeEvent && (l.kind == "task_complete" || l.kind == "turn_aborted"):
		x.turn = ""
	case total.IsObject():
		x.total = usageOf(total)
	}
	text := l.raw
	if x.was != "" && x.was != x.id && l.typ != typeItem && l.typ != typeCompacted && l.typ != typeUsage { // the thread has another id now; who made a request stays
		text = strings.ReplaceAll(text, js.Quote(x.was), js.Quote(x.id))
	}
	x.took(text, l.typ)
}

// event adds an event.
func (x *exporter) event(kind string, at int64, fields ...js.Field) {
	x.put(typeEvent, js.Object(append([]js.Field{js.StringField("type", kind)}, fields...)...), at)
}

// item adds a thing that codex shows people.
func (x *exporter) item(kind, id string, at int64, fields ...js.Field) {
	x.begin(at)
	item := js.Object(append([]js.Field{js.StringField("type", kind), js.StringField("id", id)}, fields...)...)
	x.event("item_completed", at, js.StringField("thread_id", x.id), js.StringField("turn_id", x.turn),
		js.RawField("item", item), js.IntField("started_at_ms", at),
		js.IntField("completed_at_ms", at))
}

// begin begins a turn, unless one is open. The legacy form has none.
func (x *exporter) begin(at int64) {
	if x.legacy || x.turn != "" {
		return
	}
	x.turns++
	x.turn, x.started, x.reply = formats.SessionID("codex turn", x.id, api.Int(x.next), api.Int(x.turns)), at, ""
	x.event("task_started", at, js.StringField("turn_id", x.turn), js.IntField("started_at", at/1000))
}

// end ends the turn that is open.
func (x *exporter) end() {
	if x.legacy || x.turn == "" {
		return
	}
	reply := x.reply
	if reply == "" {
		reply = "null"
	}
	x.event("task_complete", 0, js.StringField("turn_id", x.turn), js.RawField("last_agent_message", reply),
		js.IntField("started_at", x.started/1000), js.IntField("completed_at", x.last/1000))
	x.turn = ""
}

// A repair says what becomes of a message in a request, where each call has one
// result.
type repair struct {
	drop       bool // no model is shown it
	moved      bool // a result, which is told with its call
	results    []int
	unanswered []session.ToolCall
}

// repairs returns the repair of each message, by the pairing of [convo.Pair].
func repairs(messages []session.Message) []repair {
	out := make([]repair, len(messages))
	for i, p := range convo.Pair(messages) {
		switch messages[i].Role() {
		case session.RoleAssistant:
			out[i].drop = messages[i].Failed()
			for _, r := range p.Results {
				out[i].results = append(out[i].results, r.Message)
			}
			for _, n := range p.Unanswered() {
				out[i].unanswered = append(out[i].unanswered, p.Calls[n])
			}
		case session.RoleToolResult:
			out[i].moved = p.Reply >= 0
			out[i].drop = p.Reply < 0 || messages[p.Reply].Failed()
		}
	}
	return out
}

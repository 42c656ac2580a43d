package codex

import (
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
)

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
		fields = append(fields, js.RawField("ordinal", formats.Int(x.next)))
	}
	x.next++
	x.took(js.Object(append(fields, js.StringField("type", typ), js.RawField("payload", payload))...), typ)
}

// took takes up a line of a type.
func (x *exporter) took(text, typ string) {
	if typ == typeCompacted {
		x.windows++
	}
	x.size += x.large.size(text) + 1
	x.lines = append(x.lines, text)
}

// copy adds a line that codex wrote.
func (x *exporter) copy(l line) {
	if n, ok := l.ordinal.number(l.raw); ok {
		x.next = max(x.next, n+1)
	}
	if l.time != 0 {
		x.last = l.time
	}
	switch {
	case l.typ == typeEvent && l.kind == "task_started":
		x.turn = member(l.raw, l.payload, `"turn_id"`).str(l.raw)
	case l.typ == typeEvent && (l.kind == "task_complete" || l.kind == "turn_aborted"):
		x.turn = ""
	}
	x.took(x.renamed(l), l.typ)
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
		js.RawField("item", item), js.RawField("started_at_ms", formats.Int(at)),
		js.RawField("completed_at_ms", formats.Int(at)))
}

// begin begins a turn, unless one is open. The form of old has none.
func (x *exporter) begin(at int64) {
	if x.legacy || x.turn != "" {
		return
	}
	x.turns++
	x.turn, x.started, x.reply = formats.SessionID("codex turn", x.id, formats.Int(x.next), formats.Int(x.turns)), at, ""
	x.event("task_started", at, js.StringField("turn_id", x.turn), js.RawField("started_at", formats.Int(at/1000)))
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
		js.RawField("started_at", formats.Int(x.started/1000)), js.RawField("completed_at", formats.Int(x.last/1000)))
	x.turn = ""
}

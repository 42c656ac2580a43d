package stream

import (
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// isPi reports whether a value is the header that a stream of pi or oh-my-pi begins with.
func isPi(v js.Dict) bool {
	return v.Get("type").Str() == "session" && v.Get("version") != ""
}

// A piReader reads the output of pi and oh-my-pi: the messages they store, in the order they store
// them, each in one event. Copies of them in other events are passed over.
type piReader struct {
	rec     *recorder
	head    js.Value // the header, until it is recorded
	begun   bool     // it has come
	file    bool     // it is no stream, which has been told
	spoken  bool     // the assistant has begun a message, which has not ended
	pieces  pieces   // of it
	pending string   // the kind of the message that has begun, as JSON

	appendedIDs map[string]bool  // of entries that pi has announced
	targets     map[string]*Item // messages of which the ids in pi's file are known, by those
}

func readPi(rec *recorder) reader {
	return &piReader{rec: rec, appendedIDs: map[string]bool{}, targets: map[string]*Item{}}
}

func (p *piReader) value(v js.Dict, _ string) verdict {
	switch typ := v.Get("type").Str(); typ {
	case "session":
		if p.begun {
			return other
		}
		p.head, p.begun = v.Value, true
	case "message_start":
		if m := v.Get("message"); m.Get("role").Str() == session.RoleAssistant {
			p.spoken, p.pieces, p.pending = true, pieces{}, string(m.Without("content", "usage", "stopReason"))
		}
	case "message_update":
		p.update(v)
	case "message_end":
		p.whole(v.Get("message"))
	case "compaction_end", "auto_compaction_end":
		p.compaction(v)
	case "entry_appended":
		p.appended(v.Get("entry"))
	case "agent_start", "agent_end", "agent_settled", "turn_start", "turn_end", "tool_execution_start",
		"tool_execution_update", "tool_execution_end", "compaction_start", "auto_compaction_start",
		"auto_retry_start", "auto_retry_end", "queue_update", "notice", "advisor_cost_changed", "tool_stream_update",
		"session_info_changed", "thinking_level_changed":
	default:
		if v.Get("id") != "" && v.Get("parentId") != "" { // a line of a session file
			if !p.file {
				p.rec.problem("it is a session file, not a stream: sess-append --entries takes entries")
			}
			p.file = true
			return more
		}
		return other
	}
	return more
}

// begin records where the stream is from, as soon as it is known who prints it.
func (p *piReader) begin(m js.Value) {
	if p.head == "" {
		return
	}
	agent := "pi"
	if m.Get("attribution") != "" || m.Get("role").Str() == session.RoleDeveloper {
		agent = "omp"
	}
	p.rec.run(timeOf(p.head.Get("timestamp")), agent, "", p.head.Get("id").Str())
	p.head = ""
}

// update collects what the assistant says, for the case that its message never ends. Pi
// repeats the message in each update or has the new piece alone; the piece is there in
// both.
func (p *piReader) update(v js.Dict) {
	event := v.Get("assistantMessageEvent")
	at := int(event.Get("contentIndex").Int())
	switch event.Get("type").Str() {
	case "text_delta":
		p.pieces.at(at, pieceText).write(event.Get("delta").Str())
		p.rec.hear(event.Get("delta").Str())
	case "thinking_delta":
		p.pieces.at(at, pieceThinking).write(event.Get("delta").Str())
	case "toolcall_end":
		call := event.Get("toolCall")
		piece := p.pieces.at(at, pieceCall)
		piece.id, piece.name = call.Get("id").Str(), call.Get("name").Str()
		piece.set(string(call.Get("arguments")))
	}
}

// whole records a message as pi stores it.
func (p *piReader) whole(raw js.Value) {
	if !raw.IsObject() {
		p.rec.problem("a message_end without a message")
		return
	}
	p.begin(raw)
	m := session.NewMessage(string(raw))
	if m.Role() == session.RoleAssistant {
		p.spoken = false
	}
	if _, err := (&session.Batch{Force: true, Known: nothing}).AddMessage(m); err != nil {
		p.rec.problem("a message that cannot be recorded: %v", err)
		p.rec.keep("pi", raw)
		return
	}
	p.rec.message(m, js.Value(m.Get("timestamp")).Int())
}

// compaction records pi's facts about a compaction. pi names the messages that it keeps by an id in
// its file, which no message of the stream has: so the compaction cannot be in force here, and the
// whole conversation stays in sight.
func (p *piReader) compaction(v js.Dict) {
	result := v.Get("result")
	if !result.IsObject() {
		return // it failed, or there was no need
	}
	p.rec.warn("a compaction is recorded as a custom entry: its stream does not say which messages it keeps; sess-compact makes one")
	p.rec.entry(session.TypeCustom, 0, js.StringField("customType", "sess-record:compaction"), js.RawField("data", result))
	if usage := result.Get("usage"); usage.IsObject() {
		p.rec.spentOn("compaction", string(usage))
	}
}

// announced are the types of entries that pi announces and that name no other entry: they are recorded as they are.
var announced = map[string]bool{
	session.TypeCustomMessage: true, session.TypeCustom: true, session.TypeUsage: true, session.TypeSessionInfo: true,
	session.TypeModelChange: true, session.TypeThinkingLevel: true,
}

// appended records an entry that pi appends beside the messages. Messages have no ids in the stream, but the parent of
// an entry that pi appends first is the message written last.
func (p *piReader) appended(e js.Value) {
	if parent := e.Get("parentId").Str(); parent != "" && !p.appendedIDs[parent] && p.rec.last != nil {
		p.targets[strings.Clone(parent)] = p.rec.last
	}
	p.appendedIDs[strings.Clone(e.Get("id").Str())] = true
	typ := e.Get("type").Str()
	if typ == session.TypeContextEdit {
		p.edit(e)
		return
	}
	fields := make([]js.Field, 0, 8)
	for name, v := range e.Members() {
		switch name {
		case "type", "id", "parentId", "timestamp":
		default:
			fields = append(fields, js.RawField(name, v))
		}
	}
	if !announced[typ] || (&session.Batch{Force: true}).Check(typ, fields...) != nil {
		p.rec.unknown("pi", e)
		return
	}
	p.begin(e)
	p.rec.entry(typ, timeOf(e.Get("timestamp")), fields...)
}

// edit records an edit of a message. One of a message that is not known by its id would be done to another: that is kept
// beside the conversation.
func (p *piReader) edit(e js.Value) {
	of := p.targets[e.Get("targetId").Str()]
	replacement := js.Value(js.Member(string(e), "replacement")) // null is a replacement: the message goes
	if of == nil || replacement == "" {
		p.rec.warn("an edit of a message is recorded as a custom entry: its stream does not say which message it is")
		p.rec.entry(session.TypeCustom, 0, js.StringField("customType", "sess-record:context_edit"), js.RawField("data", e))
		return
	}
	p.rec.add(&Item{
		Type: session.TypeContextEdit, Time: timeOf(e.Get("timestamp")), Of: of, Fields: []js.Field{js.RawField("replacement", replacement)},
	})
}

// nothing knows no ids.
func nothing(string) bool { return false }

func (p *piReader) end() {
	if !p.spoken {
		return
	}
	blocks := p.pieces.blocks(p.rec)
	if len(blocks) == 0 {
		return
	}
	p.begin("")
	head := js.Value(p.pending)
	p.rec.message(api.Assistant(blocks, api.Str("api", head.Get("api").Str()), api.Str("provider", head.Get("provider").Str()),
		api.Str("model", head.Get("model").Str()), js.StringField("stopReason", "aborted")), head.Get("timestamp").Int())
}

// timeOf returns a time that is written as text in milliseconds since the epoch, 0 for a text that
// is no time.
func timeOf(stamp js.Value) int64 {
	ms, _ := js.ParseTime(stamp.Str())
	return ms
}

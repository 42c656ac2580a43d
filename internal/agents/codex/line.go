package codex

import (
	"github.com/sess-tools/sess/pkg/js"
)

// Types of lines that mean something here.
const (
	typeMeta      = "session_meta"
	typeItem      = "response_item"
	typeEvent     = "event_msg"
	typeTurn      = "turn_context"
	typeCompacted = "compacted"
	typeUsage     = "token_usage_record"
	typeState     = "world_state" // what the program knows of its surroundings
)

// A line is one line of a rollout.
type line struct {
	raw     string
	typ     string
	kind    string // the type of an item or an event
	time    int64  // milliseconds since the epoch, 0 if it has none
	ordinal js.Value
	payload js.Value

	number int   // in its file, from 1
	offset int64 // in its file
}

// parseLine takes apart a line, which is a JSON object. The form of 2025, whose lines are
// payloads without an envelope, is read as if it had one.
func parseLine(raw string) line {
	l := line{raw: raw}
	var typ, at js.Value
	record, id := false, false
	for key, v := range js.Value(raw).Members() {
		switch key {
		case "timestamp":
			at = v
		case "ordinal":
			l.ordinal = v
		case "type":
			typ = v
		case "payload":
			l.payload = v
		case "id":
			id = true
		case "record_type":
			record = true
		}
	}
	l.typ = typ.Str()
	if text := at.Str(); text != "" {
		l.time, _ = js.ParseTime(text)
	}
	if l.payload == "" {
		switch {
		case l.typ == "" && id && at != "" && !record:
			l.typ, l.payload = typeMeta, js.Value(raw)
		case isItem(l.typ):
			l.kind, l.typ, l.payload = l.typ, typeItem, js.Value(raw)
		}
		return l
	}
	switch l.typ {
	case typeItem, typeEvent:
		l.kind = l.payload.Get("type").Str()
	}
	return l
}

// isItem reports whether typ is that of an item of 2025.
func isItem(typ string) bool {
	switch typ {
	case "message", "reasoning", "function_call", "function_call_output", "local_shell_call", "custom_tool_call", "custom_tool_call_output":
		return true
	}
	return false
}

// An item is an item of the response API, as a line or the history of a compaction
// has it.
type item struct {
	js.Value
	kind, role, name, callID string

	content, output, arguments, input, action, summary js.Value
}

func itemOf(raw js.Value) item {
	it := item{Value: raw}
	for key, v := range raw.Members() {
		switch key {
		case "type":
			it.kind = v.Str()
		case "role":
			it.role = v.Str()
		case "name":
			it.name = v.Str()
		case "call_id":
			it.callID = v.Str()
		case "content":
			it.content = v
		case "output":
			it.output = v
		case "arguments":
			it.arguments = v
		case "input":
			it.input = v
		case "action":
			it.action = v
		case "summary":
			it.summary = v
		}
	}
	return it
}

// Kinds of items.
const (
	kindMessage      = "message"
	kindAgentMessage = "agent_message"
	kindReasoning    = "reasoning"
	kindCall         = "function_call"
	kindCustomCall   = "custom_tool_call"
	kindShellCall    = "local_shell_call"
	kindOutput       = "function_call_output"
	kindCustomOutput = "custom_tool_call_output"
)

// A part is one element of a content.
type part struct {
	kind        string
	text, image js.Value
}

func parts(content js.Value) []part {
	var out []part
	for raw := range content.Elements() {
		var p part
		for key, v := range raw.Members() {
			switch key {
			case "type":
				p.kind = v.Str()
			case "text":
				p.text = v
			case "image_url":
				p.image = v
			}
		}
		out = append(out, p)
	}
	return out
}

package codex

import (
	"github.com/sess-tools/sess/internal/agents/api"
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

// counts are tokens, each counted once: codex counts those from a cache as input, and
// those for reasoning as output.
type counts struct{ input, output, read, write, reasoning, total int64 }

// usageOf reads a usage of codex.
func usageOf(v js.Value) counts {
	n := func(name string) int64 { return api.Tokens(v.Get(name)) }
	read := n("cached_input_tokens")
	return counts{
		input:  max(n("input_tokens")-read-n("cache_write_input_tokens"), 0),
		output: n("output_tokens"), read: read, write: n("cache_write_input_tokens"),
		reasoning: n("reasoning_output_tokens"), total: n("total_tokens"),
	}
}

// plus returns the sum of two usages.
func (u counts) plus(v counts) counts {
	return counts{u.input + v.input, u.output + v.output, u.read + v.read, u.write + v.write, u.reasoning + v.reasoning, u.total + v.total}
}

// beyond returns how much each counter is above that of another usage.
func (u counts) beyond(v counts) counts {
	return counts{max(u.input-v.input, 0), max(u.output-v.output, 0), max(u.read-v.read, 0), max(u.write-v.write, 0), max(u.reasoning-v.reasoning, 0), max(u.total-v.total, 0)}
}

// within reports whether no counter is above that of v. The total is none: codex also puts estimates there.
func (u counts) within(v counts) bool {
	return u.input <= v.input && u.output <= v.output && u.read <= v.read && u.write <= v.write && u.reasoning <= v.reasoning
}

// all is the number of tokens: reasoning is a part of the output.
func (u counts) all() int64 { return u.input + u.output + u.read + u.write }

// none reports whether nothing was used.
func (u counts) none() bool { return u.within(counts{}) }

// usage returns the usage as codex writes it.
func (u counts) usage() string {
	return js.Object(js.IntField("input_tokens", u.input+u.read+u.write), js.IntField("cached_input_tokens", u.read),
		js.IntField("cache_write_input_tokens", u.write), js.IntField("output_tokens", u.output),
		js.IntField("reasoning_output_tokens", u.reasoning), js.IntField("total_tokens", u.total))
}

// text returns the usage as a message has it. Its cost is not known.
func (u counts) text() string {
	n, reasoning := api.Int, ""
	if u.reasoning > 0 {
		reasoning = `,"reasoning":` + n(u.reasoning)
	}
	return `{"input":` + n(u.input) + `,"output":` + n(u.output) + `,"cacheRead":` + n(u.read) + `,"cacheWrite":` + n(u.write) + reasoning +
		`,"totalTokens":` + n(u.total) + `,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
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

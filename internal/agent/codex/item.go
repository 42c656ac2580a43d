package codex

import "github.com/sess-tools/sess/pkg/js"

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

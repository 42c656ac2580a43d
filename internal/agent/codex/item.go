package codex

// An item is an item of the response API, as a line or the history of a compaction
// has it.
type item struct {
	span
	kind, role, name, callID string

	content, output, arguments, input, action, summary span
}

func itemAt(raw string, at span) item {
	it := item{span: at}
	members(raw, at, func(key string, v span) {
		switch key {
		case `"type"`:
			it.kind = v.str(raw)
		case `"role"`:
			it.role = v.str(raw)
		case `"name"`:
			it.name = v.str(raw)
		case `"call_id"`:
			it.callID = v.str(raw)
		case `"content"`:
			it.content = v
		case `"output"`:
			it.output = v
		case `"arguments"`:
			it.arguments = v
		case `"input"`:
			it.input = v
		case `"action"`:
			it.action = v
		case `"summary"`:
			it.summary = v
		}
	})
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
	text, image span
}

func parts(raw string, content span) []part {
	var out []part
	for at := range elements(raw, content) {
		var p part
		members(raw, at, func(key string, v span) {
			switch key {
			case `"type"`:
				p.kind = v.str(raw)
			case `"text"`:
				p.text = v
			case `"image_url"`:
				p.image = v
			}
		})
		out = append(out, p)
	}
	return out
}

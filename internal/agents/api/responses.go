package api

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// IsResponse reports whether a value is a response of OpenAI's Responses API.
func IsResponse(v js.Value) bool {
	return v.Get("object").Str() == "response" && v.Get("output").IsArray()
}

// IsReplyItem reports whether a value is an item that a model has said, as the output of a
// response has them, and the input of the next request.
func IsReplyItem(v js.Value) bool {
	switch typ := v.Get("type").Str(); typ {
	case "message":
		return v.Get("role").Str() == session.RoleAssistant
	case "reasoning", "compaction", "program", "image_generation_call", "mcp_list_tools", "mcp_approval_request":
		return v.Get("role") == ""
	default:
		return v.Get("role") == "" && strings.HasSuffix(typ, "_call")
	}
}

// Response returns the message of a response of OpenAI's Responses API.
func (m Mapping) Response(v js.Value) session.Message {
	a := answer{
		api: "openai-responses", provider: "openai", model: v.Get("model").Str(), id: v.Get("id").Str(),
		usage: tiered(v),
	}
	m.Known(v, "id", "object", "created_at", "status", "error", "incomplete_details", "model", "output", "usage")
	status, reason := v.Get("status").Str(), v.Get("incomplete_details", "reason").Str()
	if a.stop = StopReason(cmp.Or(reason, status)); a.stop == "" && status == "incomplete" {
		a.stop = "error"
	}
	if a.stop == "error" {
		a.failure = cmp.Or(v.Get("error", "message").Str(), v.Get("error", "code").Str(), reason, status)
	}
	return m.items(v.Get("output"), a)
}

// ReplyItems returns the message of items of a model, without a response around them.
func (m Mapping) ReplyItems(list js.Value) session.Message { return m.items(list, answer{}) }

func (m Mapping) items(list js.Value, a answer) session.Message {
	var blocks []string
	n := 0
	for item := range list.Elements() {
		switch typ := item.Get("type").Str(); typ {
		case "message", "":
			m.Known(item, "type", "id", "role", "status", "content")
			content := item.Get("content")
			for part := range content.Elements() {
				m.noted(part.Get("annotations"))
				part = part.Without("annotations", "logprobs")
				a.refused = a.refused || part.Get("type").Str() == "refusal"
				if made := m.chatPart(part); made != "" {
					blocks = append(blocks, made)
				}
			}
			if content.IsString() {
				blocks = append(blocks, m.ChatContent(content)...)
			}
		case "reasoning":
			blocks = append(blocks, Thinking(summaryOf(item), string(item)))
		case "function_call", "custom_tool_call":
			n++
			if made := m.itemCall(item, n, m.cut(a)); made != "" {
				blocks = append(blocks, made)
			}
		default:
			made := ItemProvided(item)
			if made == "" {
				m.Lose(KindTool, "an item of type %q, which no model will see", typ)
				continue
			}
			blocks = append(blocks, made)
		}
	}
	return m.message(blocks, a)
}

// ItemProvided returns a block for an item of the Responses API that says what OpenAI did by itself, or that is the
// result of that; "" for any other item, such as a call of a tool that the program runs. A search has no result but that
// it ended; what else came of a call stands in members of several names.
func ItemProvided(item js.Value) string {
	id, typ := cmp.Or(item.Get("call_id"), item.Get("id")).Str(), item.Get("type").Str()
	name := strings.TrimSuffix(typ, "_call")
	switch typ {
	case "tool_search_output":
		return session.ProvidedResult("", id, "tool_search", item.Get("tools"), false)
	case "mcp_call":
		name = "mcp__" + item.Get("server_label").Str() + "__" + item.Get("name").Str()
	case "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "tool_search_call":
	default:
		return ""
	}
	given := cmp.Or(item.Get("action"), item.Get("arguments"))
	if inner := js.ObjectIn(given.Str()); inner != "" {
		given = js.Value(Compact(string(inner)))
	}
	if !given.IsObject() {
		given = item.Without("type", "id", "call_id", "status", "name", "server_label", "output", "outputs", "results", "result", "error")
	}
	block := session.ProvidedCall(id, name, string(given))
	var came []js.Value
	for _, member := range []string{"error", "output", "outputs", "results"} {
		if v := item.Get(member); v != "" && v != "null" {
			came = append(came, v)
		}
	}
	failed := item.Get("status").Str() == "failed" || item.Get("error").Truthy()
	switch image := item.Get("result").Str(); {
	case image != "":
		return string(js.Value(block).Add(js.RawField("content", Array(Image("image/"+cmp.Or(item.Get("output_format").Str(), "png"), image))), js.RawField("isError", "false")))
	case len(came) > 0 || failed || item.Get("status").Str() == "completed" && typ != "tool_search_call": // whose output is another item
		return session.ProvidedResult(block, id, name, js.Value(Array(came...)), failed)
	}
	return block
}

// noted marks citations of a text.
func (m Mapping) noted(list js.Value) {
	for range list.Elements() {
		m.beside()
		return
	}
}

// itemCall returns the block of the n-th call of a response. What links it to its result is
// its call_id, not its id.
func (m Mapping) itemCall(item js.Value, n int, cut bool) string {
	id := item.Get("call_id").Str()
	if id == "" {
		id = m.CallID(n)
	}
	m.Known(item, "type", "id", "call_id", "status", "name", "arguments")
	name := item.Get("name").Str()
	if item.Get("type").Str() == "custom_tool_call" {
		return ToolCall(id, name, js.Object(js.StringField("input", item.Get("input").Str())))
	}
	return m.call(id, name, text(item.Get("arguments")), cut)
}

// summaryOf returns what of its thinking a model shows.
func summaryOf(item js.Value) string {
	var texts []string
	for _, name := range []string{"summary", "content"} {
		for part := range item.Get(name).Elements() {
			texts = append(texts, part.Get("text").Str())
		}
		if len(texts) > 0 {
			break
		}
	}
	return strings.Join(texts, "\n\n")
}

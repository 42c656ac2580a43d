package chat

import (
	"cmp"
	"slices"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

type openAI struct{}

// system adds the instructions of a request to the Responses API. Elsewhere the system
// prompt is a message.
func (openAI) system(t *talk, request js.Value) error {
	instructions := request.Get("instructions")
	if instructions == "" {
		return nil
	}
	return t.system(t.mapping().ChatContent(instructions))
}

func (o openAI) message(t *talk, raw js.Value) error {
	m, content := t.mapping(), raw.Get("content")
	switch role := raw.Get("role").Str(); role {
	case "system", "developer":
		m.Known(raw, "role", "content", "type")
		return t.say(systemMessage(role, m.ChatContent(content)))
	case "user":
		m.Known(raw, "role", "content", "type")
		return t.say(api.User(m.ChatContent(content)))
	case "assistant":
		return t.say(m.ChatMessage(raw))
	case "tool":
		m.Known(raw, "role", "content", "tool_call_id")
		return o.result(t, raw.Get("tool_call_id").Str(), content)
	case "function":
		m.Known(raw, "role", "content")
		return t.say(api.ToolResult(t.called, raw.Get("name").Str(), m.ChatContent(content), false))
	case "":
		return o.item(t, raw)
	default:
		t.lose(formats.KindRole, "no role %q is known", role)
		return nil
	}
}

func (openAI) result(t *talk, id string, content js.Value) error {
	return t.say(api.ToolResult(id, cmp.Or(t.tools[id], "unknown"), t.mapping().ChatContent(content), false))
}

// item adds the entry for an item of the Responses API that no model has said.
func (o openAI) item(t *talk, raw js.Value) error {
	switch typ := raw.Get("type").Str(); typ {
	case "function_call_output", "custom_tool_call_output":
		t.mapping().Known(raw, "type", "id", "call_id", "output", "status")
		return o.result(t, raw.Get("call_id").Str(), raw.Get("output"))
	default:
		t.lose(formats.KindContext, "an item of type %q, which no model will see", typ)
		return nil
	}
}

// systemMessage returns a message of the text of blocks.
func systemMessage(role string, blocks []string) session.Message {
	return session.NewMessage(js.Object(js.StringField("role", role), js.RawField("content", api.Array(blocks...))))
}

// group puts items of the Responses API that a model has said in one go together, in an
// array: here they are one message.
func (openAI) group(list js.Value) []js.Value {
	var out, run []js.Value
	end := func() {
		if slices.ContainsFunc(run, api.IsReplyItem) {
			run = []js.Value{js.Value(api.Array(run...))}
		}
		out = append(out, run...)
		run = nil
	}
	for v := range list.Elements() {
		if api.IsReplyItem(v) || v.Get("role").Str() == session.RoleAssistant && v.Get("tool_calls") == "" {
			run = append(run, v)
			continue
		}
		end()
		out = append(out, v)
	}
	end()
	return out
}

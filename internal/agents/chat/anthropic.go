package chat

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

type anthropic struct{}

// system adds the system prompt, which stands beside the messages.
func (anthropic) system(t *talk, request js.Value) error {
	content := request.Get("system")
	if content == "" {
		return nil
	}
	return t.system(t.mapping().AnthropicContent(content, false))
}

func (a anthropic) message(t *talk, raw js.Value) error {
	m, content := t.mapping(), raw.Get("content")
	switch role := raw.Get("role").Str(); role {
	case "user":
		m.Known(raw, "role", "content")
		return a.user(t, content)
	case "assistant":
		return t.say(m.AnthropicMessage(raw))
	case "system":
		m.Known(raw, "role", "content")
		return t.say(systemMessage(role, m.AnthropicContent(content, false)))
	default:
		t.lose(formats.KindRole, "no role %q is known", role)
		return nil
	}
}

// user adds the messages that a user's message is here: results of tools are
// messages of their own.
func (a anthropic) user(t *talk, content js.Value) error {
	m := t.mapping()
	if !strings.Contains(string(content), `"tool_result"`) || !content.IsArray() {
		return t.say(api.User(m.AnthropicContent(content, false)))
	}
	block := func(b js.Value) string {
		return strings.Join(m.AnthropicContent(js.Value(api.Array(b)), false), "")
	}
	messages := api.AnthropicUser(content, block, func(b js.Dict) session.Message {
		m.Known(b.Value, "type", "tool_use_id", "content", "is_error")
		id := b.Get("tool_use_id").Str()
		return api.ToolResult(id, cmp.Or(t.tools[id], "unknown"), m.AnthropicContent(b.Get("content"), false), b.Get("is_error") == "true")
	})
	for _, m := range messages {
		if err := t.say(m); err != nil {
			return err
		}
	}
	return nil
}

// group leaves messages as they are.
func (anthropic) group(list js.Value) []js.Value { return slices.Collect(list.Elements()) }

package chat

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

type anthropic struct{}

// system adds the system prompt, which stands beside the messages.
func (a anthropic) system(t *talk, request js.Value) error {
	content := request.Get("system")
	if content == "" {
		return nil
	}
	_, err := t.b.Message(formats.Place{Key: "system"}, systemMessage(session.RoleSystem, a.blocks(t, content)))
	return err
}

func (a anthropic) message(t *talk, raw js.Value) error {
	content := raw.Get("content")
	switch role := raw.Get("role").Str(); role {
	case "user":
		t.known(raw, "role", "content")
		return a.user(t, content)
	case "assistant":
		t.known(raw, "role", "content", "model", "id", "type", "usage", "stop_reason", "stop_sequence")
		return t.say(formats.Assistant(a.blocks(t, content), a.reply(t, raw)...))
	case "system":
		t.known(raw, "role", "content")
		return t.say(systemMessage(role, a.blocks(t, content)))
	default:
		t.lose(formats.KindRole, "no role %q is known", role)
		return nil
	}
}

// user adds the messages that a user's message is here: results of tools are
// messages of their own.
func (a anthropic) user(t *talk, content js.Value) error {
	if !strings.Contains(string(content), `"tool_result"`) || !content.IsArray() {
		return t.say(formats.User(a.blocks(t, content)))
	}
	messages := formats.AnthropicUser(content, func(b js.Value) string { return a.block(t, b) }, func(b js.Value) session.Message {
		t.known(b, "type", "tool_use_id", "content", "is_error")
		id := b.Get("tool_use_id").Str()
		return formats.ToolResult(id, cmp.Or(t.tools[id], "unknown"), a.blocks(t, b.Get("content")), b.Get("is_error") == "true")
	})
	for _, m := range messages {
		if err := t.say(m); err != nil {
			return err
		}
	}
	return nil
}

// blocks returns the blocks of a content.
func (a anthropic) blocks(t *talk, content js.Value) []string {
	if content.IsString() {
		return []string{js.Object(js.StringField("type", "text"), js.RawField("text", content))}
	}
	var blocks []string
	for b := range content.Elements() {
		if made := a.block(t, b); made != "" {
			blocks = append(blocks, made)
		}
	}
	return blocks
}

// members are those that blocks of a type have, and that a block of ours says.
var members = map[string][]string{
	"text": {"type", "text"}, "thinking": {"type", "thinking", "signature"}, "redacted_thinking": {"type", "data"},
	"tool_use": {"type", "id", "name", "input"}, "image": {"type", "source"},
}

// block returns what a block is here, "" for nothing.
func (a anthropic) block(t *talk, b js.Value) string {
	typ, name := b.Get("type").Str(), b.Get("name").Str()
	if known, ok := members[typ]; ok {
		t.known(b, known...)
	}
	if typ == "tool_use" {
		t.tools[b.Get("id").Str()] = name
	}
	return formats.AnthropicBlock(b, func(input js.Value) string { return t.arguments(name, string(input)) }, t.lose)
}

// stops are Anthropic's reasons to stop, in pi's words.
var stops = map[string]string{"end_turn": "stop", "stop_sequence": "stop", "tool_use": "toolUse", "max_tokens": "length"}

// reply returns what the API adds to a reply.
func (a anthropic) reply(t *talk, raw js.Value) []js.Field {
	fields := []js.Field{
		formats.Str("model", raw.Get("model").Str()),
		formats.Str("responseId", raw.Get("id").Str()),
	}
	if raw.Get("model").Str() != "" {
		fields = append(fields, js.StringField("api", "anthropic-messages"), js.StringField("provider", "anthropic"))
	}
	if reason := raw.Get("stop_reason").Str(); reason != "" {
		t.partial = t.partial || stops[reason] == ""
		fields = append(fields, formats.Str("stopReason", stops[reason]))
	}
	usage := raw.Get("usage")
	if usage == "" {
		return fields
	}
	t.known(usage, "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
	return append(fields, js.RawField("usage", formats.Usage(usage)))
}

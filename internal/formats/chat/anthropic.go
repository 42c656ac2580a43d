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
func (a anthropic) system(t *talk, request string) error {
	content := string(js.Value(request).Get("system"))
	if content == "" {
		return nil
	}
	_, err := t.b.Message(formats.Place{Key: "system"}, systemMessage(session.RoleSystem, a.blocks(t, content)))
	return err
}

func (a anthropic) message(t *talk, raw string) error {
	content := string(js.Value(raw).Get("content"))
	switch role := js.Value(raw).Get("role").Str(); role {
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
func (a anthropic) user(t *talk, content string) error {
	if !strings.Contains(content, `"tool_result"`) || !strings.HasPrefix(content, "[") {
		return t.say(formats.User(a.blocks(t, content)))
	}
	var said []string
	flush := func() error {
		if len(said) == 0 {
			return nil
		}
		m := formats.User(said)
		said = nil
		return t.say(m)
	}
	for block := range js.Elements(content) {
		if js.Value(block).Get("type").Str() != "tool_result" {
			said = append(said, a.block(t, block)...)
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		t.known(block, "type", "tool_use_id", "content", "is_error")
		id := js.Value(block).Get("tool_use_id").Str()
		result := formats.ToolResult(id, cmp.Or(t.tools[id], "unknown"), a.blocks(t, string(js.Value(block).Get("content"))),
			string(js.Value(block).Get("is_error")) == "true")
		if err := t.say(result); err != nil {
			return err
		}
	}
	return flush()
}

// blocks returns the blocks of a content.
func (a anthropic) blocks(t *talk, content string) []string {
	if strings.HasPrefix(content, `"`) {
		return []string{js.Object(js.StringField("type", "text"), js.RawField("text", content))}
	}
	if !strings.HasPrefix(content, "[") {
		return nil
	}
	var blocks []string
	for block := range js.Elements(content) {
		blocks = append(blocks, a.block(t, block)...)
	}
	return blocks
}

// block returns what a block is here: one block, or none.
func (a anthropic) block(t *talk, raw string) []string {
	str := func(name string) string { return js.Value(raw).Get(name).Str() }
	switch typ := str("type"); typ {
	case "text":
		t.known(raw, "type", "text")
		return []string{formats.Text(str("text"))}
	case "thinking":
		t.known(raw, "type", "thinking", "signature")
		return []string{formats.Thinking(str("thinking"), str("signature"))}
	case "redacted_thinking":
		t.known(raw, "type", "data")
		return []string{formats.RedactedThinking(str("data"))}
	case "tool_use":
		t.known(raw, "type", "id", "name", "input")
		t.tools[str("id")] = str("name")
		return []string{formats.ToolCall(str("id"), str("name"), t.arguments(str("name"), string(js.Value(raw).Get("input"))))}
	case "image":
		t.known(raw, "type", "source")
		source := string(js.Value(raw).Get("source"))
		if js.Value(source).Get("type").Str() == "base64" {
			return []string{formats.Image(js.Value(source).Get("media_type").Str(), js.Value(source).Get("data").Str())}
		}
		t.lose(formats.KindMedia, "an image that is but an address, which no model will be shown")
	default:
		t.lose(formats.KindMedia, "content of type %q, which no model will be shown", typ)
	}
	return nil
}

// stops are Anthropic's reasons to stop, in pi's words.
var stops = map[string]string{"end_turn": "stop", "stop_sequence": "stop", "tool_use": "toolUse", "max_tokens": "length"}

// reply returns what the API adds to a reply.
func (a anthropic) reply(t *talk, raw string) []js.Field {
	fields := []js.Field{
		formats.Str("model", js.Value(raw).Get("model").Str()),
		formats.Str("responseId", js.Value(raw).Get("id").Str()),
	}
	if js.Value(raw).Get("model").Str() != "" {
		fields = append(fields, js.StringField("api", "anthropic-messages"), js.StringField("provider", "anthropic"))
	}
	if reason := js.Value(raw).Get("stop_reason").Str(); reason != "" {
		t.partial = t.partial || stops[reason] == ""
		fields = append(fields, formats.Str("stopReason", stops[reason]))
	}
	usage := js.Value(raw).Get("usage")
	if usage == "" {
		return fields
	}
	t.known(string(usage), "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
	return append(fields, js.RawField("usage", formats.AnthropicUsage(usage)))
}

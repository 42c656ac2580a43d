package api

import (
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// AnthropicBlock turns a block of a message of Anthropic's API into one of a session, and returns "" for a block that has no
// counterpart. The input of a call has to be an object: arguments makes one of any other input, or returns "" to leave the call
// out. lose is told of each part that is left out.
func AnthropicBlock(b js.Value, arguments func(input js.Value) string, lose func(kind, format string, args ...any)) string {
	has := js.DictOf(b, nil)
	str := func(names ...string) string { return has.Get(names...).Str() }
	switch typ := str("type"); typ {
	case "text":
		return TextOf(has.Get("text"))
	case "thinking":
		return Thinking(str("thinking"), str("signature"))
	case "redacted_thinking":
		return RedactedThinking(str("data"))
	case "tool_use":
		input := has.Get("input")
		if !input.IsObject() {
			if input = js.Value(arguments(input)); input == "" {
				return ""
			}
		}
		return ToolCall(str("id"), str("name"), string(input))
	case "image":
		if str("source", "type") == "base64" {
			return Image(str("source", "media_type"), str("source", "data"))
		}
		lose(KindMedia, "an image given by its address only, which no model will see")
	case "document":
		lose(KindMedia, "a document, of which a note is left")
		data := ""
		if str("source", "type") == "base64" {
			data = str("source", "data")
		}
		return documentNote(data, str("title"), str("source", "media_type"), str("source", "url"))
	default:
		if made := session.AnthropicProvided(b); made != "" {
			return made
		}
		lose(KindMedia, "content of type %q, which no model will see", typ)
	}
	return ""
}

// AnthropicUser returns the messages here for the content of a user's message: one for each result
// of a tool, and one for the blocks before, between and behind them.
func AnthropicUser(content js.Value, block func(js.Value) string, result func(js.Dict) session.Message) []session.Message {
	var out []session.Message
	var blocks []string
	flush := func() {
		if len(blocks) > 0 {
			out = append(out, User(blocks))
		}
		blocks = nil
	}
	for b := range content.Elements() {
		if has := js.DictOf(b, nil); has.Get("type").Str() == "tool_result" {
			flush()
			out = append(out, result(has))
		} else if made := block(b); made != "" {
			blocks = append(blocks, made)
		}
	}
	flush()
	return out
}

// AnthropicMessage returns the message of a response of Anthropic's API, or of a message in
// a request, which has less to say.
func (m Mapping) AnthropicMessage(raw js.Value) session.Message {
	m.Known(raw, "role", "content", "model", "id", "type", "usage", "stop_reason", "stop_sequence")
	m.Known(raw.Get("usage"), "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
	reason := raw.Get("stop_reason").Str()
	a := answer{
		model: raw.Get("model").Str(), id: raw.Get("id").Str(), stop: StopReason(reason), usage: raw.Get("usage"),
	}
	if a.model != "" {
		a.api, a.provider = "anthropic-messages", AnthropicProvider(a.model)
	}
	if reason != "" && a.stop == "" {
		m.beside()
	}
	if a.stop == "error" {
		a.failure = reason
	}
	return m.message(m.AnthropicContent(raw.Get("content"), m.cut(a)), a)
}

// AnthropicContent returns the blocks of a content of Anthropic's API. Of one that is cut,
// calls are left out that are not whole.
func (m Mapping) AnthropicContent(content js.Value, cut bool) []string {
	if content.IsString() {
		return []string{js.Object(js.StringField("type", "text"), js.RawField("text", content))}
	}
	var blocks []string
	for b := range content.Elements() {
		typ := b.Get("type").Str()
		if members, ok := anthropicMembers[typ]; ok {
			m.Known(b, members...)
		}
		made := AnthropicBlock(b, func(input js.Value) string {
			object, _ := m.arguments(b.Get("name").Str(), text(input), cut)
			return object
		}, m.Lose)
		if made != "" {
			blocks = append(blocks, made)
		}
	}
	return blocks
}

// anthropicMembers are those that blocks of a type have, and that a block of ours says.
var anthropicMembers = map[string][]string{
	"text": {"type", "text"}, "thinking": {"type", "thinking", "signature"}, "redacted_thinking": {"type", "data"},
	"tool_use": {"type", "id", "name", "input"}, "image": {"type", "source"},
}

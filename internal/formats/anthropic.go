package formats

import (
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// AnthropicBlock returns what a block of Anthropic's API is here, "" for nothing. Arguments
// makes an object of the input of a call that is none; lose is told of what is left out.
func AnthropicBlock(b js.Value, arguments func(input js.Value) string, lose func(kind, format string, args ...any)) string {
	str := func(names ...string) string { return b.Get(names...).Str() }
	switch typ := str("type"); typ {
	case "text":
		return Text(str("text"))
	case "thinking":
		return Thinking(str("thinking"), str("signature"))
	case "redacted_thinking":
		return RedactedThinking(str("data"))
	case "tool_use":
		input := string(b.Get("input"))
		if !b.Get("input").IsObject() {
			input = arguments(b.Get("input"))
		}
		return ToolCall(str("id"), str("name"), input)
	case "image":
		if str("source", "type") == "base64" {
			return Image(str("source", "media_type"), str("source", "data"))
		}
		lose(KindMedia, "an image that is but an address, which no model will be shown")
	default:
		lose(KindMedia, "content of type %q, which no model will be shown", typ)
	}
	return ""
}

// AnthropicUser returns the messages that the content of a user's message is here: each
// result of a tool is one of its own, and so is what stands before, between and behind them.
func AnthropicUser(content js.Value, block func(js.Value) string, result func(js.Value) session.Message) []session.Message {
	var out []session.Message
	var blocks []string
	flush := func() {
		if len(blocks) > 0 {
			out = append(out, User(blocks))
		}
		blocks = nil
	}
	for b := range content.Elements() {
		if b.Get("type").Str() == "tool_result" {
			flush()
			out = append(out, result(b))
		} else if made := block(b); made != "" {
			blocks = append(blocks, made)
		}
	}
	flush()
	return out
}

// AnthropicStop returns why a reply ended in pi's words, "" for a reason that is not known.
func AnthropicStop(reason string) string { return anthropicStops[reason] }

var anthropicStops = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "tool_use": "toolUse", "max_tokens": "length",
	"model_context_window_exceeded": "length", "refusal": "error", "pause_turn": "stop", "compaction": "stop",
}

package claude

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// lost is told of what of a content cannot be carried over.
type lost func(kind, format string, args ...any)

// blocks returns the blocks of a content, without the results of tools.
func blocks(content string, lose lost) []string {
	if strings.HasPrefix(content, `"`) {
		return []string{formats.Text(js.Value(content).Str())}
	}
	if !strings.HasPrefix(content, "[") {
		return nil
	}
	var out []string
	for raw := range js.Elements(content) {
		if b := block(raw, lose); b != "" {
			out = append(out, b)
		}
	}
	return out
}

// block returns what a block is here, "" for nothing.
func block(raw string, lose lost) string {
	str := func(name string) string { return js.Value(raw).Get(name).Str() }
	switch typ := str("type"); typ {
	case "text":
		return formats.Text(str("text"))
	case "thinking":
		return formats.Thinking(str("thinking"), str("signature"))
	case "redacted_thinking":
		return formats.RedactedThinking(str("data"))
	case "tool_use":
		input := string(js.Value(raw).Get("input"))
		if !strings.HasPrefix(input, "{") {
			lose(formats.KindTool, "a call whose input is no object")
			input = js.Object(js.RawField("input", input))
		}
		return formats.ToolCall(str("id"), str("name"), input)
	case "image":
		source := string(js.Value(raw).Get("source"))
		if js.Value(source).Get("type").Str() == "base64" {
			return formats.Image(js.Value(source).Get("media_type").Str(), js.Value(source).Get("data").Str())
		}
		lose(formats.KindMedia, "an image that is but an address, which no model will be shown")
	case "tool_result": // a message of its own
	default:
		lose(formats.KindMedia, "content of type %q, which no model will be shown", typ)
	}
	return ""
}

// stops are the API's reasons to stop, in pi's words.
var stops = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "tool_use": "toolUse", "max_tokens": "length",
	"model_context_window_exceeded": "length", "refusal": "stop", "pause_turn": "stop",
}

// synthetic is the model of replies that the program made itself; those that tell of
// an error are shown to no model.
const synthetic = "<synthetic>"

// reply returns what else than its content a reply says, by its last line.
func reply(l *line) []js.Field {
	str := func(name string) string { return js.Value(l.message).Get(name).Str() }
	fields := []js.Field{
		formats.Str("model", str("model")), js.StringField("api", "anthropic-messages"), js.StringField("provider", "anthropic"),
		formats.Str("responseId", str("id")),
	}
	switch {
	case l.apiError && str("model") == synthetic:
		text := session.NewMessage(js.Object(js.RawField("role", `"assistant"`), js.RawField("content", cmp.Or(string(js.Value(l.message).Get("content")), "[]")))).Text("\n")
		fields = append(fields, js.StringField("stopReason", "error"), formats.Str("errorMessage", text))
	case stops[str("stop_reason")] != "":
		fields = append(fields, js.StringField("stopReason", stops[str("stop_reason")]))
	}
	usage := string(js.Value(l.message).Get("usage"))
	if usage == "" {
		return fields
	}
	return append(fields, js.RawField("usage", formats.AnthropicUsage(usage)))
}

// said returns the messages that the line of a user is: its results of tools, a
// message each, and what stands before, between and behind them.
func said(l *line, tools map[string]string, lose lost) []session.Message {
	content := string(js.Value(l.message).Get("content"))
	if !l.hasResults() {
		return []session.Message{formats.User(blocks(content, lose))}
	}
	var out []session.Message
	var words []string
	flush := func() {
		if len(words) > 0 {
			out = append(out, formats.User(words))
		}
		words = nil
	}
	results := 0
	for raw := range js.Elements(content) {
		if js.Value(raw).Get("type").Str() == "tool_result" {
			results++
		}
	}
	for raw := range js.Elements(content) {
		if js.Value(raw).Get("type").Str() != "tool_result" {
			if b := block(raw, lose); b != "" {
				words = append(words, b)
			}
			continue
		}
		flush()
		var details []js.Field
		if results == 1 && l.toolUseResult != "" {
			details = []js.Field{{Name: "details", Raw: l.toolUseResult}}
		}
		id := js.Value(raw).Get("tool_use_id").Str()
		out = append(out, formats.ToolResult(id, cmp.Or(tools[id], "unknown"), blocks(string(js.Value(raw).Get("content")), lose),
			string(js.Value(raw).Get("is_error")) == "true", details...))
	}
	flush()
	return out
}

// resultIDs returns the ids of the calls that messages bring the results of.
func resultIDs(messages []session.Message) []string {
	var out []string
	for _, m := range messages {
		if m.Role() == session.RoleToolResult {
			out = append(out, m.Str("toolCallId"))
		}
	}
	return out
}

package formats

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Array returns the JSON text of an array of JSON texts.
func Array[Raw ~string](elements ...Raw) string {
	var b strings.Builder
	for _, e := range elements {
		b.WriteByte(',')
		b.WriteString(string(e))
	}
	return "[" + strings.TrimPrefix(b.String(), ",") + "]"
}

// Str is a field with a string value, none for "".
func Str(name, value string) js.Field {
	if value == "" {
		return js.Field{Name: name}
	}
	return js.StringField(name, value)
}

// Int returns the JSON text of a number.
func Int(n int64) string { return strconv.FormatInt(n, 10) }

// Compact returns a JSON text on one line, its tokens as they were. A text that
// is on one line already stays as it is.
func Compact(raw string) string {
	if strings.IndexByte(raw, '\n') < 0 && strings.IndexByte(raw, '\r') < 0 { // faster than ContainsAny
		return raw
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(raw)) != nil {
		return raw // whoever takes it will refuse it
	}
	return b.String()
}

// Text returns a text block.
func Text(text string) string {
	return js.Object(js.StringField("type", "text"), js.StringField("text", text))
}

// Thinking returns a thinking block; the signature may be "".
func Thinking(text, signature string) string {
	return js.Object(js.StringField("type", "thinking"), js.StringField("thinking", text), Str("thinkingSignature", signature))
}

// RedactedThinking returns a block of thinking that only its provider can read.
func RedactedThinking(data string) string {
	return js.Object(js.StringField("type", "thinking"), js.StringField("thinking", ""),
		js.StringField("thinkingSignature", data), js.RawField("redacted", "true"))
}

// Image returns an image block of base64 data.
func Image(mediaType, data string) string {
	return js.Object(js.StringField("type", "image"), js.StringField("data", data), js.StringField("mimeType", mediaType))
}

// ToolCall returns a tool call block; arguments is the JSON text of an object.
func ToolCall(id, name, arguments string) string {
	return js.Object(js.StringField("type", "toolCall"), js.StringField("id", id), js.StringField("name", name),
		js.RawField("arguments", arguments))
}

// User returns a user message of blocks.
func User(blocks []string, more ...js.Field) session.Message {
	return message(session.RoleUser, append([]js.Field{{Name: "content", Raw: Array(blocks...)}}, more...)...)
}

// Assistant returns an assistant message of blocks. A [Builder] fills in what is
// not among the further fields.
func Assistant(blocks []string, more ...js.Field) session.Message {
	return message(session.RoleAssistant, append([]js.Field{{Name: "content", Raw: Array(blocks...)}}, more...)...)
}

// ToolResult returns the result of a tool call.
func ToolResult(callID, tool string, blocks []string, failed bool, more ...js.Field) session.Message {
	return message(session.RoleToolResult, append([]js.Field{
		js.StringField("toolCallId", callID), js.StringField("toolName", tool),
		{Name: "content", Raw: Array(blocks...)},
		{Name: "isError", Raw: strconv.FormatBool(failed)},
	}, more...)...)
}

func message(role string, fields ...js.Field) session.Message {
	return session.NewMessage(js.Object(append([]js.Field{js.StringField("role", role)}, fields...)...))
}

// DataURL takes a base64 data URL apart; ok is false for any other text.
func DataURL(url string) (mediaType, data string, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return "", "", false
	}
	head, data, ok := strings.Cut(rest, ",")
	if !ok {
		return "", "", false
	}
	mediaType, ok = strings.CutSuffix(head, ";base64")
	mediaType, _, _ = strings.Cut(mediaType, ";")
	return mediaType, data, ok
}

// Fields returns the members of an object.
func Fields(raw string) []js.Field {
	if !strings.HasPrefix(raw, "{") {
		return nil
	}
	var out []js.Field
	for key, value := range js.Members(raw) {
		out = append(out, js.RawField(js.Unquote(key), value))
	}
	return out
}

// With returns an object with the member called name set to a JSON text, in its
// place if it has one, else at its end; without it for "".
func With(raw, name, value string) string {
	list := Fields(raw)
	found := false
	for i := range list {
		if list[i].Name == name {
			list[i].Raw, found = value, true
		}
	}
	if !found {
		list = append(list, js.RawField(name, value))
	}
	return js.Object(list...)
}

// AnthropicUsage returns the usage of a message for what Anthropic's API says of it.
func AnthropicUsage(usage string) string {
	count := func(name, theirs string) js.Field {
		n := string(js.Value(usage).Get(theirs))
		if _, err := strconv.ParseUint(n, 10, 53); err != nil {
			n = "0"
		}
		return js.RawField(name, n)
	}
	return js.Object(
		count("input", "input_tokens"), count("output", "output_tokens"),
		count("cacheRead", "cache_read_input_tokens"), count("cacheWrite", "cache_creation_input_tokens"))
}

// OpenAIUsage returns the usage of a message for what the chat completions API says of it:
// there what was read from a cache is a part of the input.
func OpenAIUsage(usage string) string {
	count := func(raw string) int64 {
		n, _ := strconv.ParseInt(raw, 10, 53)
		return max(n, 0)
	}
	cached := count(string(js.Value(usage).Get("prompt_tokens_details", "cached_tokens")))
	input, output := count(string(js.Value(usage).Get("prompt_tokens"))), count(string(js.Value(usage).Get("completion_tokens")))
	cached = min(cached, input)
	full, _ := session.CompleteUsage(js.Object( // of whole numbers it is always one
		js.RawField("input", Int(input-cached)), js.RawField("output", Int(output)),
		js.RawField("cacheRead", Int(cached)), js.RawField("cacheWrite", "0"),
		js.RawField("totalTokens", Int(input+output))))
	return full
}

package chat

import (
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
)

// isCompletion reports whether a JSON text is a response of the chat completions API: an
// object with choices, of which each has a message.
func isCompletion(text string) bool {
	return strings.HasPrefix(text, "{") && string(js.Value(text).Get("role")) == "" && strings.HasPrefix(string(js.Value(text).Get("choices")), "[") &&
		strings.HasPrefix(string(js.Value(firstOf(string(js.Value(text).Get("choices")))).Get("message")), "{")
}

// firstOf returns the first element of an array, "" if it has none.
func firstOf(array string) string {
	for element := range js.Elements(array) {
		return element
	}
	return ""
}

// A completion is a response, whose first choice is a message.
type completion struct{ whole, choice string }

// unwrap returns the message of a response, and the response; of anything else itself.
func unwrap(raw string) (message string, of *completion) {
	if !isCompletion(raw) {
		return raw, nil
	}
	c := &completion{raw, firstOf(string(js.Value(raw).Get("choices")))}
	return string(js.Value(c.choice).Get("message")), c
}

// finishes are the API's reasons to stop, in pi's words.
var finishes = map[string]string{
	"stop": "stop", "length": "length", "tool_calls": "toolUse", "function_call": "toolUse", "content_filter": "stop",
}

// reply returns what the response says of its message.
func (c *completion) reply(t *talk) []js.Field {
	t.known(c.whole, "id", "object", "created", "model", "choices", "usage")
	t.known(c.choice, "index", "message", "finish_reason")
	choices := 0
	for range js.Elements(string(js.Value(c.whole).Get("choices"))) {
		choices++
	}
	if choices > 1 {
		t.lose(formats.KindContext, "all choices but the first")
	}
	str := func(name string) string { return js.Value(c.whole).Get(name).Str() }
	fields := []js.Field{
		formats.Str("model", str("model")), formats.Str("responseId", str("id")),
		formats.Str("stopReason", finishes[js.Value(c.choice).Get("finish_reason").Str()]),
	}
	if usage := string(js.Value(c.whole).Get("usage")); strings.HasPrefix(usage, "{") {
		t.known(usage, "prompt_tokens", "completion_tokens", "total_tokens")
		fields = append(fields, js.RawField("usage", formats.OpenAIUsage(usage)))
	}
	return fields
}

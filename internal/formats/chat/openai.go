package chat

import (
	"cmp"
	"fmt"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

type openAI struct{}

// system has nothing to add: the system prompt is a message.
func (openAI) system(*talk, js.Value) error { return nil }

func (o openAI) message(t *talk, raw js.Value) error {
	content := raw.Get("content")
	switch role := raw.Get("role").Str(); role {
	case "system", "developer":
		t.known(raw, "role", "content")
		return t.say(systemMessage(role, o.parts(t, content)))
	case "user":
		t.known(raw, "role", "content")
		return t.say(formats.User(o.parts(t, content)))
	case "assistant":
		return o.assistant(t, raw)
	case "tool":
		t.known(raw, "role", "content", "tool_call_id")
		id := raw.Get("tool_call_id").Str()
		return t.say(formats.ToolResult(id, cmp.Or(t.tools[id], "unknown"), o.parts(t, content), false))
	case "function":
		t.known(raw, "role", "content")
		return t.say(formats.ToolResult(t.called, raw.Get("name").Str(), o.parts(t, content), false))
	default:
		t.lose(formats.KindRole, "no role %q is known", role)
		return nil
	}
}

// systemMessage returns a message of the text of blocks.
func systemMessage(role string, blocks []string) session.Message {
	return session.NewMessage(js.Object(js.StringField("role", role), js.RawField("content", formats.Array(blocks...))))
}

func (o openAI) assistant(t *talk, raw js.Value) error {
	t.known(raw, "role", "content", "tool_calls", "function_call", "reasoning_content", "refusal")
	var blocks []string
	if text := raw.Get("reasoning_content").Str(); text != "" {
		blocks = append(blocks, formats.Thinking(text, ""))
	}
	blocks = append(blocks, o.parts(t, raw.Get("content"))...)
	if text := raw.Get("refusal").Str(); text != "" {
		t.partial = true
		blocks = append(blocks, formats.Text(text))
	}
	n := 0
	for call := range raw.Get("tool_calls").Elements() {
		n++
		blocks = append(blocks, o.call(t, call, n))
	}
	if call := raw.Get("function_call"); call != "" {
		blocks = append(blocks, o.call(t, js.Value(js.Object(js.RawField("function", call))), 0))
	}
	if t.of != nil {
		return t.say(formats.Assistant(blocks, t.of.reply(t)...))
	}
	return t.say(formats.Assistant(blocks))
}

// call returns the block of the n-th tool call of a message.
func (o openAI) call(t *talk, raw js.Value, n int) string {
	id := raw.Get("id").Str()
	if id == "" {
		id = fmt.Sprintf("call_%d_%d", t.number, n)
		t.called = id
	}
	t.known(raw, "id", "type", "function", "custom", "index")
	function := raw.Get("function")
	name := function.Get("name").Str()
	arguments := ""
	if custom := raw.Get("custom"); custom != "" {
		t.partial = true // nothing says that the arguments were a text
		name = custom.Get("name").Str()
		arguments = js.Object(js.StringField("input", custom.Get("input").Str()))
	} else if given := function.Get("arguments"); given.IsObject() {
		arguments = string(given)
	} else {
		arguments = t.arguments(name, given.Str())
	}
	t.tools[id] = name
	return formats.ToolCall(id, name, arguments)
}

// parts returns the blocks of a content.
func (o openAI) parts(t *talk, content js.Value) []string {
	if content.IsString() {
		return []string{js.Object(js.StringField("type", "text"), js.RawField("text", content))}
	}
	var blocks []string
	for part := range content.Elements() {
		switch typ := part.Get("type").Str(); typ {
		case "text", "input_text", "output_text", "refusal":
			t.known(part, "type", "text", "refusal")
			blocks = append(blocks, formats.Text(cmp.Or(part.Get("text").Str(), part.Get("refusal").Str())))
		case "image_url":
			t.known(part, "type", "image_url")
			given := part.Get("image_url")
			t.known(given, "url")
			url := cmp.Or(given.Get("url").Str(), given.Str(), string(given))
			if media, data, ok := formats.DataURL(url); ok {
				blocks = append(blocks, formats.Image(media, data))
				continue
			}
			t.lose(formats.KindMedia, "an image that is but an address, which no model will be shown: %.80s", url)
		default:
			t.lose(formats.KindMedia, "content of type %q, which no model will be shown", typ)
		}
	}
	return blocks
}

// isCompletion reports whether a JSON text is a response of the chat completions API: an
// object with choices, of which each has a message.
func isCompletion(v js.Value) bool {
	return v.Get("role") == "" && firstOf(v.Get("choices")).Get("message").IsObject()
}

// firstOf returns the first element of an array, "" if it has none.
func firstOf(array js.Value) js.Value {
	for element := range array.Elements() {
		return element
	}
	return ""
}

// A completion is a response, whose first choice is a message.
type completion struct{ whole, choice js.Value }

// unwrap returns the message of a response, and the response; of anything else itself.
func unwrap(raw js.Value) (message js.Value, of *completion) {
	if !isCompletion(raw) {
		return raw, nil
	}
	c := &completion{raw, firstOf(raw.Get("choices"))}
	return c.choice.Get("message"), c
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
	for range c.whole.Get("choices").Elements() {
		choices++
	}
	if choices > 1 {
		t.lose(formats.KindContext, "all choices but the first")
	}
	str := func(name string) string { return c.whole.Get(name).Str() }
	fields := []js.Field{
		formats.Str("model", str("model")), formats.Str("responseId", str("id")),
		formats.Str("stopReason", finishes[c.choice.Get("finish_reason").Str()]),
	}
	if usage := c.whole.Get("usage"); usage.IsObject() {
		t.known(usage, "prompt_tokens", "completion_tokens", "total_tokens")
		fields = append(fields, js.RawField("usage", formats.Usage(usage)))
	}
	return fields
}

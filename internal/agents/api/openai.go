package api

import (
	"cmp"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// IsCompletion reports whether a value is a response of the chat completions API: an object
// with choices, of which each has a message.
func IsCompletion(v js.Value) bool {
	return v.Get("role") == "" && choice(v).Get("message").IsObject()
}

// choice returns the choice of a completion that is taken: the first one there is.
func choice(v js.Value) (first js.Value) {
	for c := range v.Get("choices").Elements() {
		if first == "" || c.Get("index").Int() < first.Get("index").Int() {
			first = c
		}
	}
	return first
}

// Completion returns the message of a response of the chat completions API.
func (m Mapping) Completion(v js.Value) session.Message {
	c := choice(v)
	m.Known(v, "id", "object", "created", "model", "choices", "usage")
	m.Known(c, "index", "message", "finish_reason")
	m.Known(v.Get("usage"), "prompt_tokens", "completion_tokens", "total_tokens")
	n := 0
	for range v.Get("choices").Elements() {
		n++
	}
	if n > 1 {
		m.Lose(KindContext, "all choices but the first")
	}
	reason := c.Get("finish_reason").Str()
	a := answer{
		api: "openai-completions", provider: "openai", model: v.Get("model").Str(), id: v.Get("id").Str(),
		stop: StopReason(reason), usage: tiered(v),
	}
	if reason != "" && a.stop == "" {
		m.beside()
	}
	if a.stop == "error" {
		a.failure = cmp.Or(c.Get("error", "message").Str(), reason)
	}
	return m.chat(c.Get("message"), a)
}

// ChatMessage returns the message that an assistant's message of the chat completions API
// is, without a response around it.
func (m Mapping) ChatMessage(raw js.Value) session.Message { return m.chat(raw, answer{}) }

func (m Mapping) chat(raw js.Value, a answer) session.Message {
	m.Known(raw, "role", "content", "tool_calls", "function_call", "reasoning_content", "reasoning", "reasoning_details", "refusal")
	var blocks []string
	if text := Reasoning(raw); text != "" {
		blocks = append(blocks, Thinking(text, ""))
	}
	if content := raw.Get("content"); content != `""` {
		blocks = append(blocks, m.ChatContent(content)...)
	}
	if text := raw.Get("refusal").Str(); text != "" {
		a.refused = true
		blocks = append(blocks, Text(text))
	}
	n := 0
	for call := range raw.Get("tool_calls").Elements() {
		n++
		if made := m.chatCall(call, n, m.cut(a)); made != "" {
			blocks = append(blocks, made)
		}
	}
	if call := raw.Get("function_call"); call != "" {
		if made := m.chatCall(js.Value(js.Object(js.RawField("function", call))), 0, m.cut(a)); made != "" {
			blocks = append(blocks, made)
		}
	}
	return m.message(blocks, a)
}

// Reasoning returns the thinking in a message, or in a piece of one, by whichever of the
// names that servers have for it. Where several are there they say the same.
func Reasoning(raw js.Value) string {
	if text := cmp.Or(raw.Get("reasoning_content").Str(), raw.Get("reasoning").Str()); text != "" {
		return text
	}
	text := ""
	for detail := range raw.Get("reasoning_details").Elements() {
		text += cmp.Or(detail.Get("text").Str(), detail.Get("summary").Str())
	}
	return text
}

// chatCall returns the block of the n-th call of a message.
func (m Mapping) chatCall(raw js.Value, n int, cut bool) string {
	id := raw.Get("id").Str()
	if id == "" {
		id = m.CallID(n)
	}
	m.Known(raw, "id", "type", "function", "custom", "index")
	if custom := raw.Get("custom"); custom != "" {
		m.beside() // nothing says that the arguments were a text
		return ToolCall(id, custom.Get("name").Str(), js.Object(js.StringField("input", custom.Get("input").Str())))
	}
	function := raw.Get("function")
	return m.call(id, function.Get("name").Str(), text(function.Get("arguments")), cut)
}

// ChatContent returns the blocks of a content of OpenAI's APIs, of chat completions as of
// responses.
func (m Mapping) ChatContent(content js.Value) []string {
	if content.IsString() {
		return []string{js.Object(js.StringField("type", "text"), js.RawField("text", content))}
	}
	var blocks []string
	for part := range content.Elements() {
		if made := m.chatPart(part); made != "" {
			blocks = append(blocks, made)
		}
	}
	return blocks
}

func (m Mapping) chatPart(part js.Value) string {
	switch typ := part.Get("type").Str(); typ {
	case "text", "input_text", "output_text", "refusal":
		m.Known(part, "type", "text", "refusal")
		return Text(cmp.Or(part.Get("text").Str(), part.Get("refusal").Str()))
	case "image_url", "input_image":
		m.Known(part, "type", "image_url")
		given := part.Get("image_url")
		m.Known(given, "url")
		url := cmp.Or(given.Get("url").Str(), given.Str(), string(given))
		if media, data, ok := DataURL(url); ok {
			return Image(media, data)
		}
		m.Lose(KindMedia, "an image given by its address only, which no model will see: %.80s", url)
	case "file", "input_file":
		m.Lose(KindMedia, "a document, of which a note is left")
		file := part
		if inner := part.Get("file"); inner.IsObject() {
			file = inner
		}
		media, data, _ := DataURL(file.Get("file_data").Str())
		return documentNote(data, file.Get("filename").Str(), media, cmp.Or(file.Get("file_url").Str(), file.Get("file_id").Str()))
	default:
		m.Lose(KindMedia, "content of type %q, which no model will see", typ)
	}
	return ""
}

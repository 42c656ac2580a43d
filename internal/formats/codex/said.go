package codex

import (
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// items returns the items for a message that a model is shown.
func (x *exporter) items(m session.Message) []string {
	switch m.Role() {
	case session.RoleUser, session.RoleDeveloper:
		if content := x.content(m, "input_text"); len(content) > 0 {
			return []string{messageItem(m.Role(), content)}
		}
	case session.RoleAssistant:
		return x.replyItems(m)
	case session.RoleToolResult:
		return []string{x.outputItem(m)}
	}
	return nil
}

func messageItem(role string, content []string) string {
	return js.Object(js.StringField("type", kindMessage), js.StringField("role", role),
		js.RawField("content", formats.Array(content...)))
}

// content returns the parts of a content: texts of a type, and images.
func (x *exporter) content(m session.Message, typ string) []string {
	var out []string
	for b := range m.Blocks() {
		switch b.Type {
		case "text":
			if text := js.ValidText(b.Str("text")); text != "" {
				out = append(out, x.textPart(typ, text))
			}
		case "image":
			out = append(out, js.Object(js.StringField("type", "input_image"),
				js.RawField("image_url", x.large.quote(js.ValidText(addressOf(b.Str("mimeType"), b.Str("data")))))))
		default:
			x.lost.add("", formats.KindMedia, "content of type %q, which codex does not know", b.Type)
		}
	}
	return out
}

func (x *exporter) textPart(typ, text string) string {
	return js.Object(js.StringField("type", typ), js.RawField("text", x.large.quote(text)))
}

// replyItems returns the items for what the model has said.
func (x *exporter) replyItems(m session.Message) []string {
	var out, texts []string
	say := func() {
		if len(texts) > 0 {
			out = append(out, messageItem("assistant", texts))
		}
		texts = nil
	}
	for b := range m.Blocks() {
		switch b.Type {
		case "text":
			if text := js.ValidText(b.Str("text")); text != "" {
				texts = append(texts, x.textPart("output_text", text))
			}
		case "thinking":
			if item, ok := reasoningItem(m, b); ok {
				say()
				out = append(out, item)
			} else {
				x.lost.add("", formats.KindThinking, "thinking that codex cannot hand to a model: people are shown it")
			}
		case "toolCall":
			say()
			out = append(out, callItem(b))
		default:
			x.lost.add("", formats.KindMedia, "content of type %q, which codex does not know", b.Type)
		}
	}
	say()
	return out
}

// madeUpItem returns a result for a call that has none.
func madeUpItem(c session.ToolCall) string {
	return js.Object(js.StringField("type", kindOutput), js.StringField("call_id", js.ValidText(c.ID)),
		js.StringField("output", convo.NoResult))
}

// reasoningItem returns the item that is the signature of thinking, if the response API
// has made it.
func reasoningItem(m session.Message, b session.Block) (string, bool) {
	raw := b.Str("thinkingSignature")
	if !strings.HasPrefix(m.Str("api"), "openai") || !strings.HasPrefix(raw, "{") || !js.Valid([]byte(raw)) {
		return "", false
	}
	return formats.Compact(raw), kindOf(raw, span{0, len(raw)}) == kindReasoning
}

func callItem(b session.Block) string {
	return js.Object(js.StringField("type", kindCall), js.StringField("name", js.ValidText(b.Str("name"))),
		js.StringField("arguments", argumentsOf(b.Get("arguments"))), js.StringField("call_id", js.ValidText(b.Str("id"))))
}

// argumentsOf returns arguments as the text that the API wants.
func argumentsOf(raw string) string {
	switch {
	case raw == "" || raw == "null":
		return "{}"
	case raw[0] == '"':
		return js.ValidText(js.Unquote(raw))
	}
	return js.ValidText(js.Stringify(raw))
}

// outputItem returns the item for a result: a text, or parts if there are images.
func (x *exporter) outputItem(m session.Message) string {
	raw, texts, images := "", []string{}, false
	for b := range m.Blocks() {
		images = images || b.Type == "image"
		if text := js.ValidText(b.Str("text")); b.Type == "text" && text != "" {
			texts = append(texts, text)
		}
	}
	if raw = x.large.quote(strings.Join(texts, "\n")); images {
		raw = formats.Array(x.content(m, "input_text")...)
	}
	return js.Object(js.StringField("type", kindOutput), js.StringField("call_id", js.ValidText(m.Str("toolCallId"))),
		js.RawField("output", raw))
}

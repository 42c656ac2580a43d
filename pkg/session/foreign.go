package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// ErrForeign is returned for a message in the shape of another program's API. If it
// were stored, every reader would ignore a part of it. It matches [ErrRefused].
var ErrForeign = fmt.Errorf("%w: not of this format", ErrRefused)

// Foreign names the first part of a message that readers of the format ignore: a
// content block of an unknown type or in the shape of another API, tool calls beside
// the content, a usage without a known counter. It is "" if readers understand all
// of the message.
func (m Message) Foreign() string {
	if strings.HasPrefix(m.content, "[") {
		if what := foreignContent(m.content); what != "" {
			return what
		}
	}
	if m.role != RoleAssistant {
		return ""
	}
	for _, name := range foreignMembers {
		if m.Get(name) != "" {
			return "the member " + name + " beside the content"
		}
	}
	if strings.HasPrefix(m.usage, "{") && !countsTokens(m.usage) {
		return "a usage without one counter that is known: " + strings.Join(counters, ", ")
	}
	return ""
}

// foreignMembers are where OpenAI's API has the calls of an assistant message.
var foreignMembers = []string{"tool_calls", "function_call"}

func foreignContent(content string) string {
	for raw := range js.Elements(content) {
		var shape blockShape
		if isObject(raw) {
			for key, value := range js.Members(raw) {
				shape.has(key, value)
			}
		}
		if what := shape.foreign(); what != "" {
			return what
		}
	}
	return ""
}

// A blockShape is what tells whether a content block is of the format.
type blockShape struct {
	typ       string // JSON text, "" if it has none
	data      bool
	signature bool
}

// has takes a member of the block.
func (b *blockShape) has(key, value string) {
	switch js.PlainKey(key) {
	case `"type"`:
		b.typ = value
	case `"data"`:
		b.data = true
	case `"signature"`:
		b.signature = true
	}
}

// outline returns the least block of the same shape.
func (b *blockShape) outline() string {
	fields := []js.Field{js.RawField("type", b.typ)}
	if b.signature {
		fields = append(fields, js.StringField("signature", ""))
	}
	return js.Object(fields...)
}

// foreign names what is not of the format.
func (b *blockShape) foreign() string {
	switch typ, ok := js.Value(b.typ).Text(); {
	case !ok:
		return "a content element that is no block with a type"
	case typ == BlockImage && !b.data:
		return "an image block without data"
	case typ == BlockThinking && b.signature:
		return "a thinking block whose signature is not called thinkingSignature"
	case !slices.Contains(blockTypes, typ):
		return "a content block of type " + quoteID(typ)
	}
	return ""
}

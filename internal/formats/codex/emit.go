package codex

import (
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// emit makes an entry of a message.
func (c *conv) emit(m *pending) {
	size := 400
	for _, block := range m.blocks {
		size += len(block) + 1
	}
	typ := session.TypeMessage
	if m.custom != "" {
		typ = session.TypeCustomMessage
	}
	m.id = c.add(typ, m.key, m.time, size, func(b *strings.Builder) {
		if m.custom != "" {
			b.WriteString(`"customType":"` + m.custom + `","display":false,"content":`)
			array(b, m.blocks)
			return
		}
		b.WriteString(`"message":{"role":"` + m.role + `",`)
		c.fields(b, m)
		b.WriteString(`"timestamp":` + formats.Int(c.at) + `,"content":`)
		array(b, m.blocks)
		b.WriteByte('}')
	})
}

// fields writes what a message of a role has besides its content.
func (c *conv) fields(b *strings.Builder, m *pending) {
	switch m.role {
	case session.RoleAssistant:
		stop := "stop"
		if len(m.calls) > 0 {
			stop = "toolUse"
		}
		if m.usage == "" {
			m.usage = counts{}.text()
		}
		b.WriteString(`"api":"openai-responses","provider":` + js.Quote(c.provider) + `,"model":` + js.Quote(c.model) +
			`,"usage":` + m.usage + `,"stopReason":"` + stop + `",`)
	case session.RoleToolResult:
		b.WriteString(`"toolCallId":` + js.Quote(m.callID) + `,"toolName":` + js.Quote(m.tool) +
			`,"isError":` + strconv.FormatBool(m.failed) + ",")
		if m.made {
			b.WriteString(`"details":` + madeUp + ",")
		}
	}
}

func array(b *strings.Builder, elements []string) {
	b.WriteByte('[')
	for i, e := range elements {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(e)
	}
	b.WriteByte(']')
}

// madeUp marks a result that no line stands for.
const madeUp = `{"codex":"no output"}`

const textHead = `{"type":"text",`

// text returns a text block of a literal.
func text(literal string) string { return textHead + `"text":` + literal + "}" }

// literal returns what the span is if that is a string, else an empty one.
func literal(raw string, s span) string {
	if s.first(raw) != '"' {
		return js.Quote("")
	}
	return s.in(raw)
}

package session

import (
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// glanceLimit is the length in bytes of lines that are worth a closer look: of
// those above it a copy is made with care.
const glanceLimit = 1 << 20

// A glance finds, in the pass over a line that finds out whether it is valid, what a
// listing wants to know of it. The texts are parts of the line, which is borrowed.
type glance struct {
	line                 string
	typ, timestamp, name string // JSON texts, "" where there is none
	message              glimpse
	inner                glimpse // of the member that has begun, whatever it is
	member               func(level int, key, value js.Span)
}

// A glimpse is what a listing wants to know of a message, JSON texts.
type glimpse struct{ role, content, sent, usage string }

// at looks at a line. It reports false if the line is not one object, or is too
// long: then it has to be read.
func (g *glance) at(l jsonl.Line) bool {
	line := unsafe.String(unsafe.SliceData(l.Data), len(l.Data))
	if len(line) > glanceLimit || !isObject(line) {
		return false
	}
	if g.member == nil {
		g.member = g.take // once, as it costs memory
	}
	*g = glance{line: line, member: g.member}
	return js.ValidMembers(l.Data, 2, g.member)
}

// take takes a member; of several with one key the last counts.
func (g *glance) take(level int, key, value js.Span) {
	name, text := js.PlainKey(g.line[key.From:key.To]), g.line[value.From:value.To]
	if level == 2 {
		g.inner.take(name, text)
		return
	}
	switch name {
	case `"type"`:
		g.typ = text
	case `"timestamp"`:
		g.timestamp = text
	case `"name"`:
		g.name = text
	case `"message"`:
		g.message = g.inner // empty if it is no object
	}
	g.inner = glimpse{}
}

func (g *glimpse) take(name, text string) {
	switch name {
	case `"role"`:
		g.role = text
	case `"content"`:
		g.content = text
	case `"timestamp"`:
		g.sent = text
	case `"usage"`:
		g.usage = text
	}
}

// time is that of the message, as messageTime has it.
func (g *glance) time() int64 {
	if js.Value(g.message.sent).IsNumber() {
		return js.Value(g.message.sent).Int()
	}
	text, _ := js.Value(g.timestamp).Text()
	ms, _ := js.ParseTime(text)
	return ms
}

// hasText reports whether textOf a content, with a separator, is not empty.
func hasText(content string) bool {
	n := 0
	for b := range Blocks(content) {
		if b.Type != "text" {
			continue
		}
		if n++; n > 1 || len(b.text) > len(`""`) && b.text[0] == '"' {
			return true
		}
	}
	return false
}

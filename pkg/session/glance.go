package session

import (
	"strings"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// glanceLimit is the length in bytes of lines that are worth a closer look: of
// those above it a copy is made with care.
const glanceLimit = 1 << 20

// A glance finds, in one pass over a line, what a listing wants to know of it. The
// texts are parts of the line, which is borrowed.
type glance struct {
	line                       string
	typ, timestamp, name       string // JSON texts, "" where there is none
	role, content, sent, usage string // of the message
	member, inMessage          func(key string, at int) int
}

// at looks at a line. It reports false if the line does not look like one
// object, or is too long: then it has to be read.
func (g *glance) at(l jsonl.Line) bool {
	if len(l.Data) > glanceLimit {
		return false
	}
	if g.member == nil {
		g.member, g.inMessage = g.top, g.inner // once, as they cost memory
	}
	g.line = unsafe.String(unsafe.SliceData(l.Data), len(l.Data))
	g.typ, g.timestamp, g.name, g.role, g.content, g.sent, g.usage = "", "", "", "", "", "", ""
	start := strings.IndexByte(g.line, '{')
	end := js.WalkObject(g.line, start, g.member)
	return end > 0 && blank(g.line[:start]) && blank(g.line[end:])
}

// blank reports whether there is nothing but white space in a part of a line.
func blank(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

func (g *glance) top(key string, at int) int {
	key = plainKey(key)
	if key == `"message"` {
		g.role, g.content, g.sent, g.usage = "", "", "", "" // of several the last counts
		if at < len(g.line) && g.line[at] == '{' {
			return js.WalkObject(g.line, at, g.inMessage)
		}
	}
	end := js.ValueEnd(g.line, at)
	switch key {
	case `"type"`:
		g.typ = g.line[at:end]
	case `"timestamp"`:
		g.timestamp = g.line[at:end]
	case `"name"`:
		g.name = g.line[at:end]
	}
	return end
}

func (g *glance) inner(key string, at int) int {
	end := js.ValueEnd(g.line, at)
	switch plainKey(key) {
	case `"role"`:
		g.role = g.line[at:end]
	case `"content"`:
		g.content = g.line[at:end]
	case `"timestamp"`:
		g.sent = g.line[at:end]
	case `"usage"`:
		g.usage = g.line[at:end]
	}
	return end
}

// time is that of the message, as messageTime has it.
func (g *glance) time() int64 {
	if isNumber(g.sent) {
		return number(g.sent)
	}
	text, _ := stringValue(g.timestamp)
	ms, _ := js.ParseTime(text)
	return ms
}

// hasText reports whether textOf a content, with a separator, is not empty.
func hasText(content string) bool {
	n := 0
	for b := range blocks(content) {
		if b.Type != "text" {
			continue
		}
		if n++; n > 1 || len(b.text) > len(`""`) && b.text[0] == '"' {
			return true
		}
	}
	return false
}

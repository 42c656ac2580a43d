package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Text writes messages for people and for grep, with a blank line between
// them. A message is its role, a colon and its text, whose further lines stand
// as they are. Thinking, calls and images begin lines of their own, and text
// behind them has the role again:
//
//	user: What is in a.txt?
//
//	assistant: I will look.
//	call read: {"path":"a.txt"}
//
//	result read: hello
//
// The result of a call that failed is an "error". Nothing is clipped; line
// feeds at the end of a text go, and control characters are made visible. The
// error is that of w.
func Text(w io.Writer, messages []session.Message) error {
	out := bufio.NewWriter(w)
	for i, m := range convo.ToLLM(messages) {
		if i > 0 {
			out.WriteByte('\n')
		}
		writeText(out, m)
	}
	return out.Flush()
}

func writeText(out *bufio.Writer, m session.Message) {
	if m.Role() == session.RoleSystem {
		writeLine(out, textLabel(m), systemText([]session.Message{m}))
		return
	}
	role := textLabel(m)
	label := role // "" right behind a text of the message
	begun := false
	for b := range m.Blocks() {
		if b.Type == "text" {
			writeLine(out, label, b.Str("text"))
			label, begun = "", true
			continue
		}
		if !begun {
			writeLine(out, role, "")
		}
		label, begun = role, true
		switch b.Type {
		case "thinking":
			writeLine(out, "thinking:", b.Str("thinking"))
		case "toolCall":
			writeLine(out, "call "+name(b.Str("name"))+":", compact(b.Get("arguments")))
		case "image":
			writeLine(out, "image:", name(imageNote(b)))
		default:
			writeLine(out, "block:", name(b.Type))
		}
	}
	if !begun {
		writeLine(out, role, "")
	}
}

// writeLine writes a text behind its label. Either may be empty.
func writeLine(out *bufio.Writer, label, text string) {
	text = strings.TrimRight(text, "\n")
	if label != "" && text != "" {
		label += " "
	}
	out.WriteString(label)
	show(out, text)
	out.WriteByte('\n')
}

func textLabel(m session.Message) string {
	if m.Role() != session.RoleToolResult {
		return m.Role() + ":"
	}
	label := "result"
	if m.Get("isError") == "true" {
		label = "error"
	}
	if tool := m.Str("toolName"); tool != "" {
		label += " " + name(tool)
	}
	return label + ":"
}

// name returns a name as it may be shown to people, on one line.
func name(s string) string { return tty.Clean(js.ValidText(s)) }

// show writes a text as it may be shown to people, on lines of its own.
func show(out *bufio.Writer, text string) { tty.WriteLines(out, js.ValidText(text)) }

// compact returns the arguments of a call on one line.
func compact(arguments string) string {
	if arguments == "" || arguments == "null" {
		return "{}"
	}
	return js.Stringify(arguments)
}

// imageNote tells the media type of an image and its size in bytes, or where
// its data is kept.
func imageNote(b session.Block) string {
	media, data := b.Str("mimeType"), b.Str("data")
	if media == "" {
		media = "of unknown type"
	}
	if strings.HasPrefix(data, "blob:") {
		return media + ", " + data
	}
	return fmt.Sprintf("%s, %d bytes", media, len(strings.TrimRight(data, "="))*3/4)
}

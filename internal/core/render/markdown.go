package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Markdown writes messages as a Markdown document: a heading for each, text of users and assistants
// as it is, calls as fenced JSON, thinking, system messages and results as fenced text, images as a
// note of type and size. The fence is longer than any in the text that it encloses, and a code
// block that a text leaves open is closed, so that no message reaches into the next. Nothing is
// clipped; control characters are made visible. The error is that of w.
func Markdown(w io.Writer, messages []session.Message) error {
	return each(w, messages, writeMarkdown)
}

func writeMarkdown(out *bufio.Writer, m session.Message) {
	heading(out, "##", title(m))
	if m.Role() == session.RoleSystem {
		fenced(out, "text", systemText([]session.Message{m}), show)
		return
	}
	writeBody(out, m)
	if m.Failed() {
		out.WriteString("\n[" + strings.TrimSuffix(name(m.Str("stopReason")+": "+m.Str("errorMessage")), ": ") + "]\n")
	}
}

// writeBody writes the blocks of a message.
func writeBody(out *bufio.Writer, m session.Message) {
	for b := range m.Blocks() {
		switch b.Type {
		case session.BlockText:
			if text := b.Str("text"); m.Role() == session.RoleToolResult {
				fenced(out, "text", text, show)
			} else if text = strings.TrimRight(text, "\n"); text != "" {
				out.WriteByte('\n')
				showClosed(out, text)
				out.WriteByte('\n')
			}
		case session.BlockThinking:
			if isBlank(b.Str("thinking")) {
				continue
			}
			heading(out, "\n###", "Thinking")
			fenced(out, "text", b.Str("thinking"), show)
		case session.BlockToolCall:
			heading(out, "\n###", "Call "+code(b.Str("name")))
			fenced(out, "json", compact(b.Get("arguments")), indent)
		case session.BlockImage:
			out.WriteString("\n[image " + name(imageNote(b)) + "]\n")
		default:
			p, ok := b.Provided()
			if !ok {
				out.WriteString("\n[block of type " + code(b.Type) + "]\n")
				continue
			}
			if p.Arguments != "" {
				heading(out, "\n###", "Call "+code(p.Name)+" by the provider")
				fenced(out, "json", compact(p.Arguments), indent)
			}
			if p.Ended() {
				heading(out, "\n###", title(p.Result))
				writeBody(out, p.Result)
			}
		}
	}
	nested, more := m.NestedCalls()
	for _, c := range nested {
		heading(out, "\n###", "Call "+code(c.Name))
		fenced(out, "json", nestedArguments(c), indent)
		if c.Error != "" {
			heading(out, "\n###", "Error "+code(c.Name))
			fenced(out, "text", c.Error, show)
		}
	}
	if more {
		out.WriteString("\n[" + notRecorded + "]\n")
	}
}

func heading(out *bufio.Writer, level, text string) { out.WriteString(level + " " + text + "\n") }

func title(m session.Message) string {
	role := m.Role()
	if role != session.RoleToolResult {
		return strings.ToUpper(role[:1]) + role[1:]
	}
	label := "Result"
	if m.IsError() {
		label = "Error"
	}
	if tool := m.Str("toolName"); tool != "" {
		label += " " + code(tool)
	}
	return label
}

// notRecorded stands for calls of a tool that it did not record.
const notRecorded = "more calls, which are not recorded"

// nestedArguments returns the arguments of a call that a tool made, or why there are none.
func nestedArguments(c session.NestedCall) string {
	if c.Arguments == "" {
		return js.Quote("arguments that are not recorded")
	}
	return compact(c.Arguments)
}

// code returns a name as a code span, which it cannot leave.
func code(s string) string {
	s = name(s)
	if s == "" {
		return "(nameless)" // an empty code span is none
	}
	ticks := strings.Repeat("`", longestRun(s, '`')+1)
	if len(ticks) > 1 {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// fenced writes text as write does it, in a fence.
func fenced(out *bufio.Writer, language, text string, write func(*bufio.Writer, string)) {
	text = strings.TrimRight(text, "\n")
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	out.WriteString("\n" + fence + language + "\n")
	if text != "" {
		write(out, text)
		out.WriteByte('\n')
	}
	out.WriteString(fence + "\n")
}

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// showClosed writes text with an end for the fenced code block it leaves open.
func showClosed(out *bufio.Writer, text string) {
	open := ""
	for line := range strings.Lines(js.ValidText(text)) {
		show(out, line)
		fence, rest := fenceOf(line)
		if fence != "" {
			rest = tty.CleanLines(rest) // as it is shown
		}
		switch {
		case fence == "":
		case open == "":
			if fence[0] == '~' || !strings.Contains(rest, "`") {
				open = fence
			}
		case fence[0] == open[0] && len(fence) >= len(open) && strings.TrimSpace(rest) == "":
			open = ""
		}
	}
	if open != "" {
		out.WriteString("\n" + open)
	}
}

// fenceOf returns the fence a line begins with, "" if it has none, and the rest of the line.
func fenceOf(line string) (fence, rest string) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || s == "" || s[0] != '`' && s[0] != '~' {
		return "", ""
	}
	rest = strings.TrimLeft(s, s[:1])
	if len(s)-len(rest) < 3 {
		return "", ""
	}
	return s[:len(s)-len(rest)], rest
}

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
// A reply that failed or was stopped has a line that says so and why. Words of an agent in the
// user's name have the role "context". The result of a call that failed is an "error". Nothing is
// clipped; line feeds at the end of a text go, and control characters are made visible. The error
// is that of w.
func Text(w io.Writer, messages []session.Message) error {
	return each(w, messages, writeText)
}

// each writes what a model reads of messages, with a blank line between them.
func each(w io.Writer, messages []session.Message, write func(*bufio.Writer, session.Message)) error {
	out := bufio.NewWriter(w)
	begun := false
	for _, m := range messages {
		for _, part := range byHarness(m) {
			llm, ok := convo.MessageToLLM(part)
			if !ok || isSilent(llm) {
				continue
			}
			if part.Harness() != "" {
				llm = llm.WithRole(roleContext)
			}
			if begun {
				out.WriteByte('\n')
			}
			begun = true
			write(out, llm)
		}
	}
	return out.Flush()
}

// roleContext is what the words of an agent are called that stand in the user's name.
const roleContext = "context"

// byHarness parts a message into rows of blocks that are words of an agent, and rows that
// are not.
func byHarness(m session.Message) []session.Message {
	if _, agent, _ := m.Said(); agent == "" || m.Harness() != "" {
		return []session.Message{m}
	}
	var out []session.Message
	var row []string
	for b := range m.Blocks() {
		if n := len(row); n > 0 && (session.BlockHarness(row[n-1]) == "") != (b.Harness() == "") {
			out, row = append(out, m.WithContent("["+strings.Join(row, ",")+"]")), nil
		}
		row = append(row, b.Raw())
	}
	return append(out, m.WithContent("["+strings.Join(row, ",")+"]"))
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
		if b.Type == session.BlockThinking && isBlank(b.Str("thinking")) {
			continue
		}
		if b.Type == session.BlockText {
			writeLine(out, label, b.Str("text"))
			label, begun = "", true
			continue
		}
		if !begun {
			writeLine(out, role, "")
		}
		label, begun = role, true
		switch b.Type {
		case session.BlockThinking:
			writeLine(out, "thinking:", b.Str("thinking"))
		case session.BlockToolCall:
			writeLine(out, "call "+name(b.Str("name"))+":", compact(b.Get("arguments")))
		case session.BlockImage:
			writeLine(out, "image:", name(imageNote(b)))
		default:
			p, ok := b.Provided()
			if !ok {
				writeLine(out, "block:", name(b.Type))
				continue
			}
			if p.Arguments != "" {
				writeLine(out, "call "+name(p.Name)+":", compact(p.Arguments))
			}
			if p.Ended() {
				writeText(out, p.Result)
			}
		}
	}
	if !begun {
		writeLine(out, role, "")
	}
	nested, more := m.NestedCalls()
	for _, c := range nested {
		writeLine(out, "call "+name(c.Name)+":", nestedArguments(c))
		if c.Error != "" {
			writeLine(out, "error "+name(c.Name)+":", c.Error)
		}
	}
	if more {
		writeLine(out, "call:", notRecorded)
	}
	if m.Failed() {
		writeLine(out, m.Str("stopReason")+":", m.Str("errorMessage"))
	}
}

// isSilent reports whether a message is nothing but thoughts without a text.
func isSilent(m session.Message) bool {
	silent := false
	for b := range m.Blocks() {
		if b.Type != session.BlockThinking || !isBlank(b.Str("thinking")) {
			return false
		}
		silent = true
	}
	return silent && !m.Failed()
}

// isBlank reports whether a thought has no text: some agents keep its signature alone.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

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
	if m.IsError() {
		label = "error"
	}
	if tool := m.Str("toolName"); tool != "" {
		label += " " + name(tool)
	}
	return label + ":"
}

// name returns a name as it may be shown to people, on one line.
func name(s string) string { return tty.Clean(js.ValidText(s)) }

// show writes a text as it may be shown to people, on separate lines.
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

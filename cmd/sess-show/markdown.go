package main

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/show/page"
	"github.com/sess-tools/sess/internal/show/view"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// writeMarkdown writes the messages of a path as Markdown, a heading of the second level for
// each. No message can make such a heading itself, or reach into the next: one that might is
// written as a quotation.
func writeMarkdown(w io.Writer, s *session.Session, path []session.Entry, title string, harness operand.Harness) error {
	return buffered(w, func(b *bufio.Writer) error {
		if title == "" {
			title = session.NameOf(s.Header, s.Entries)
		}
		b.WriteString("# " + page.InlineText(nameOr(title, "Session "+s.Header.ID)) + "\n")
		note := func(notes convo.Notes) error {
			_, err := b.WriteString("\n_" + notes.String() + "_\n")
			return err
		}
		return eachSaid(path, harness, note, func(e session.Entry, m session.Message) error { return markdownMessage(b, e, m) })
	})
}

func nameOr(name, other string) string {
	if name = session.OneLine(name); name != "" {
		return name
	}
	return tty.Clean(js.ValidText(other))
}

// markdownMessage writes a message. The text below its heading is that of sess-path
// --as markdown.
func markdownMessage(b *bufio.Writer, e session.Entry, m session.Message) error {
	var text bytes.Buffer
	if err := view.Markdown(&text, []session.Message{m}); err != nil || text.Len() == 0 {
		return err
	}
	heading, body, _ := strings.Cut(text.String(), "\n")
	b.WriteString("\n" + heading)
	if ms, ok := e.Timestamp(); ok {
		b.WriteString(" · " + time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05"))
	}
	b.WriteString("\n\n")
	body = strings.Trim(body, "\n")
	if !page.Harmless(body) {
		body = "> " + strings.ReplaceAll(body, "\n", "\n> ")
	}
	b.WriteString(body + "\n")
	return nil
}

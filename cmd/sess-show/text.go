package main

import (
	"bufio"
	"bytes"
	"io"

	"github.com/sess-tools/sess/internal/view"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// colours of roles: what people said, results, and what failed.
var colours = map[string]string{
	session.RoleUser: "\x1b[1;32m", session.RoleAssistant: "\x1b[1;34m", session.RoleToolResult: "\x1b[33m",
}

// writeText writes the messages of a path as sess-path --as text does, in colours if wanted:
// only what stands in front of a message has one, and no message can make itself look like
// another.
func writeText(w io.Writer, path []session.Entry, colored bool) error {
	return buffered(w, func(b *bufio.Writer) error {
		first := true
		for _, e := range path {
			for _, m := range convo.EntryMessages(e) {
				var text bytes.Buffer
				if err := view.Text(&text, []session.Message{m}); err != nil {
					return err
				}
				if text.Len() == 0 {
					continue
				}
				if !first {
					b.WriteByte('\n')
				}
				first = false
				writeMessage(b, m, text.Bytes(), colored)
			}
		}
		return nil
	})
}

func writeMessage(b *bufio.Writer, m session.Message, text []byte, colored bool) {
	colour, ok := colours[m.Role()]
	if !colored || !ok {
		b.Write(text)
		return
	}
	if m.Get("isError") == "true" {
		colour = "\x1b[1;31m"
	}
	end := bytes.IndexByte(text, ':') + 1
	b.WriteString(colour)
	b.Write(text[:end])
	b.WriteString("\x1b[0m")
	b.Write(text[end:])
}

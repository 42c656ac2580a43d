package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/show/view"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// colours of roles: what people said, results, and what failed.
var colours = map[string]tty.Style{
	session.RoleUser: tty.BoldGreen, session.RoleAssistant: tty.BoldBlue, session.RoleToolResult: tty.Yellow,
}

// writeText writes the messages of a path as sess-path --as text does, in colours if wanted:
// only what stands in front of a message has one, and no message can make itself look like
// another.
//
// Words of an agent in the user's name are one line for a row of them, unless they are kept.
func writeText(w io.Writer, path []session.Entry, colored bool, harness operand.Harness) error {
	var out tty.Text
	first := true
	apart := func() {
		if !first {
			out.Add(tty.Plain, "\n")
		}
		first = false
	}
	flush := func(least int) error {
		if out.Len() < least {
			return nil
		}
		_, err := out.WriteTo(w)
		out = tty.Text{}
		return err
	}
	note := func(notes convo.Notes) error {
		apart()
		out.Add(tty.Plain, "context: "+notes.String()+"\n")
		return nil
	}
	err := eachSaid(path, harness, note, func(_ session.Entry, m session.Message) error {
		var text bytes.Buffer
		if err := view.Text(&text, []session.Message{m}); err != nil || text.Len() == 0 {
			return err
		}
		apart()
		addMessage(&out, m, text.String(), colored)
		return flush(64 << 10)
	})
	if err != nil {
		return err
	}
	return flush(0)
}

// eachSaid calls say for the messages of a path, and note in the place of each row of words
// that agents put in between, unless they are kept.
func eachSaid(path []session.Entry, harness operand.Harness, note func(convo.Notes) error, say func(session.Entry, session.Message) error) error {
	var notes convo.Notes
	tell := func() error {
		if notes.Count == 0 {
			return nil
		}
		told := notes
		notes = convo.Notes{}
		return note(told)
	}
	for _, e := range path {
		for _, m := range convo.EntryMessages(e) {
			said := []session.Message{m}
			if harness != operand.KeepHarness {
				var own convo.Notes
				said, own = convo.Spoken(said)
				notes.Plus(own)
			}
			for _, one := range said {
				if err := tell(); err != nil {
					return err
				}
				if err := say(e, one); err != nil {
					return err
				}
			}
		}
	}
	return tell()
}

func addMessage(out *tty.Text, m session.Message, text string, colored bool) {
	style := tty.Plain
	if colored {
		style = colours[m.Role()]
	}
	if style != tty.Plain && m.IsError() {
		style = tty.BoldRed
	}
	end := strings.IndexByte(text, ':') + 1
	out.Add(style, text[:end])
	out.Add(tty.Plain, text[end:])
}

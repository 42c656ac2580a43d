package main

import (
	"fmt"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
)

// print prints a finding; on a terminal it is broken at words.
func (c *config) print(s *cli.Streams, f finding) error {
	if c.json {
		_, err := fmt.Fprintln(s.Out, row.JSON(checkRow{Check: f.Check, Status: string(f.Status), Text: f.Text, Hint: f.Hint}))
		return err
	}
	text := tty.Clean(f.Text)
	if f.Hint != "" {
		text += "; " + tty.Clean(f.Hint)
	}
	head := fmt.Sprintf("%-4s  %-11s  ", f.Status, f.Check)
	if sc := screen.On(s.Out, s.OutFile(), ""); sc != nil && sc.Width > 2*len(head) {
		text = strings.Join(screen.Wrap(text, sc.Width-len(head)), "\n"+strings.Repeat(" ", len(head)))
	}
	_, err := fmt.Fprintf(s.Out, "%s%s\n", head, text)
	return err
}

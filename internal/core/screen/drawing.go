package screen

import (
	"fmt"
	"io"
	"slices"

	"github.com/sess-tools/sess/internal/core/tty"
)

// A Drawing is a picture of a few lines that is drawn over itself when it changes. What else is printed stands above it.
type Drawing struct {
	Out   io.Writer
	lines []tty.Text // that stand on the terminal
}

// Draw prints what paint writes to the screen it is given, in place of what was drawn before; nothing if that is the same.
// A picture is one line shorter than a terminal of height lines at most; its last line then says how many are left out.
func (d *Drawing) Draw(sc Screen, height int, paint func(*Screen) error) error {
	var lines []tty.Text
	sc.held, sc.begun = &lines, false
	if err := paint(&sc); err != nil {
		return err
	}
	if most := max(height-1, 2); len(lines) > most {
		left := len(lines) - most + 1
		lines = lines[:most-1]
		if err := sc.Write(Cell{Text: fmt.Sprintf("%s and %d more", sc.Marks.More, left), Style: tty.Dim}); err != nil {
			return err
		}
	}
	if slices.EqualFunc(lines, d.lines, func(a, b tty.Text) bool { return a.Equal(b) }) {
		return nil
	}
	text := d.erased(sc.Width)
	for _, line := range lines {
		text.Append(line)
	}
	d.lines = lines
	_, err := text.WriteTo(d.Out)
	return err
}

// Erase takes the picture away from a terminal of width columns, before something else is printed.
func (d *Drawing) Erase(width int) error {
	text := d.erased(width)
	_, err := text.WriteTo(d.Out)
	return err
}

// erased returns what takes the picture away. A line that is wider than the terminal is now takes several of it.
func (d *Drawing) erased(width int) (text tty.Text) {
	up := 0
	for _, line := range d.lines {
		up += max(1, (Columns(line.String())-1+width-1)/width) // it ends with a line feed
	}
	if d.lines = nil; up > 0 {
		text.Erase(up)
	}
	return text
}

package tree

import (
	"io"
	"strings"
)

// A list prints rows of cells: with tabs between them, or on a terminal in
// columns with headings.
type list struct {
	w    io.Writer
	o    Options
	pen  pen
	flex int // that many cells at the end share what room the others leave
	rows [][]string
}

func newList(w io.Writer, o Options, flex int, headings ...string) *list {
	return &list{w: w, o: o, pen: o.pen(), flex: flex, rows: [][]string{headings}}
}

// row prints clean cells, or keeps them until the widths of the columns are
// known.
func (l *list) row(cells ...string) error {
	if l.o.Width > 0 {
		l.rows = append(l.rows, cells)
		return nil
	}
	_, err := io.WriteString(l.w, strings.Join(cells, "\t")+"\n")
	return err
}

// flush prints the rows that were kept.
func (l *list) flush() error {
	if l.o.Width <= 0 {
		return nil
	}
	widths := l.widths()
	out := line{color: l.o.Color, more: l.pen.more, width: l.o.Width}
	for i, cells := range l.rows {
		st := plainStyle
		if i == 0 {
			st = boldStyle
		}
		for k, cell := range cells {
			if fits := prefix(cell, widths[k]); fits < len(cell) {
				cell = cell[:prefix(cell, widths[k]-columns(l.pen.more))] + l.pen.more
			}
			out.add(st, cell)
			if k < len(cells)-1 {
				out.add(plainStyle, strings.Repeat(" ", widths[k]-columns(cell)+2))
			}
		}
		if _, err := io.WriteString(l.w, out.end()); err != nil {
			return err
		}
	}
	return nil
}

// widths returns the widths of the columns.
func (l *list) widths() []int {
	widths := make([]int, len(l.rows[0]))
	for _, cells := range l.rows {
		for k, cell := range cells {
			widths[k] = max(widths[k], columns(cell))
		}
	}
	const least = 8 // what a cell of text gets even if the others fill the line
	fixed := len(widths) - l.flex
	room := l.o.Width
	for _, width := range widths[:fixed] {
		room -= width + 2
	}
	for k := fixed; k < len(widths); k++ {
		share := (room - 2*(len(widths)-1-k)) / (len(widths) - k)
		widths[k] = min(widths[k], max(share, least))
		room -= widths[k] + 2
	}
	return widths
}

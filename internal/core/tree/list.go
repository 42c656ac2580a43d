package tree

import (
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
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
		st := tty.Plain
		if i == 0 {
			st = tty.Bold
		}
		for k, cell := range cells {
			if screen.Columns(cell) > widths[k] {
				cell = screen.Truncate(cell, widths[k]-screen.Columns(l.pen.more), "") + l.pen.more
			}
			out.add(st, cell)
			if k < len(cells)-1 {
				out.add(tty.Plain, strings.Repeat(" ", widths[k]-screen.Columns(cell)+2))
			}
		}
		if err := out.end(l.w); err != nil {
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
			widths[k] = max(widths[k], screen.Columns(cell))
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

// JSON prints every entry of the tree as one object a line, in the order of the
// drawing. Nothing is folded or cut. The error is that of w.
func JSON(w io.Writer, t *Tree, from row.Place) error {
	for r := range t.Rows(true) {
		e := t.Session.Entries[r.Pos]
		err := object(w, EntryRow{
			Place: from, Entry: e.ID(), Parent: e.ParentID(), Timestamp: row.At(e.Timestamp()), Type: e.Type(), Role: e.Role(), Line: e.Line(),
			Depth: r.Depth, Children: len(t.Children(r.Pos)), Active: t.Active(r.Pos), Head: t.Head(r.Pos), Label: t.Label(r.Pos),
			Estimate: r.Tokens, Text: convo.Say(e), Note: t.Note(r.Pos),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// HeadsJSON prints heads as one object a line. The error is that of w.
func HeadsJSON(w io.Writer, t *Tree, heads []Head, from row.Place) error {
	for _, h := range heads {
		e := t.Session.Entries[h.Pos]
		out := HeadRow{
			Place: from, Entry: e.ID(), Timestamp: row.At(e.Timestamp()), Line: e.Line(), Entries: h.Entries, Active: t.Active(h.Pos),
			Label: t.Label(h.Pos), First: t.textOrNil(h.First), Last: t.textOrNil(h.Last),
		}
		if h.Fork >= 0 {
			out.Fork = t.Session.Entries[h.Fork].ID()
		}
		if err := object(w, out); err != nil {
			return err
		}
	}
	return nil
}

// LabelsJSON prints labels as one object a line. The error is that of w.
func LabelsJSON(w io.Writer, t *Tree, labels []session.Label, from row.Place) error {
	for _, l := range labels {
		out := LabelRow{Place: from, Entry: l.Target, Timestamp: row.TimeOf(l.Timestamp), Label: l.Name}
		if at, ok := t.Session.Index(l.Target); ok {
			e := t.Session.Entries[at]
			out.Type, out.Role, out.Line, out.Active, out.Text = e.Type(), e.Role(), e.Line(), t.Active(at), new(convo.Say(e))
		}
		if err := object(w, out); err != nil {
			return err
		}
	}
	return nil
}

// textOrNil returns the text of the entry at position i, nil for -1.
func (t *Tree) textOrNil(i int) *string {
	if i < 0 {
		return nil
	}
	return new(t.textAt(i))
}

// object prints a row as one line.
func object(w io.Writer, r any) error {
	_, err := io.WriteString(w, row.JSON(r)+"\n")
	return err
}

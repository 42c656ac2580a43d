package tree

import (
	"io"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
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
			if fits := prefix(cell, widths[k]); fits < len(cell) {
				cell = cell[:prefix(cell, widths[k]-columns(l.pen.more))] + l.pen.more
			}
			out.add(st, cell)
			if k < len(cells)-1 {
				out.add(tty.Plain, strings.Repeat(" ", widths[k]-columns(cell)+2))
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

// JSON prints every entry of the tree as one object a line, in the order of the
// drawing. Nothing is folded or cut. The error is that of w.
func JSON(w io.Writer, t *Tree, from row.Place) error {
	place := from.Fields()
	for r := range t.Rows(true) {
		e := t.Session.Entries[r.Pos]
		err := object(w, "entry", place, row.Entry(e.ID()), row.Parent(e.ParentID()), timestamp(e),
			row.Text("type", e.Type()), row.Text("role", e.Role()), js.IntField("line", int64(e.Line())),
			js.IntField("depth", int64(r.Depth)), js.IntField("children", int64(len(t.Children(r.Pos)))),
			row.Bool("active", t.Active(r.Pos)), row.Bool("head", t.Head(r.Pos)), row.Text("label", t.Label(r.Pos)),
			js.IntField("estimate", r.Tokens), text("text", convo.Say(e)), row.Text("note", t.Note(r.Pos)))
		if err != nil {
			return err
		}
	}
	return nil
}

// HeadsJSON prints heads as one object a line. The error is that of w.
func HeadsJSON(w io.Writer, t *Tree, heads []Head, from row.Place) error {
	place := from.Fields()
	for _, h := range heads {
		e := t.Session.Entries[h.Pos]
		fork := ""
		if h.Fork >= 0 {
			fork = t.Session.Entries[h.Fork].ID()
		}
		err := object(w, "head", place, row.Entry(e.ID()), timestamp(e), js.IntField("line", int64(e.Line())),
			js.IntField("entries", int64(h.Entries)), row.Bool("active", t.Active(h.Pos)), row.Text("label", t.Label(h.Pos)),
			row.Text("fork", fork), t.textOrNull("first", h.First), t.textOrNull("last", h.Last))
		if err != nil {
			return err
		}
	}
	return nil
}

// LabelsJSON prints labels as one object a line. The error is that of w.
func LabelsJSON(w io.Writer, t *Tree, labels []session.Label, from row.Place) error {
	place := from.Fields()
	for _, l := range labels {
		at, ok := t.Session.Index(l.Target)
		typ, role, line, said := row.Null("type"), row.Null("role"), row.Null("line"), row.Null("text")
		if ok {
			e := t.Session.Entries[at]
			typ, role, line, said = row.Text("type", e.Type()), row.Text("role", e.Role()), js.IntField("line", int64(e.Line())), text("text", convo.Say(e))
		}
		err := object(w, "label", place, row.Entry(l.Target), row.TimeOf(l.Timestamp), row.Text("label", l.Name),
			typ, role, line, row.Bool("active", ok && t.Active(at)), said)
		if err != nil {
			return err
		}
	}
	return nil
}

// timestamp returns the member with the time of an entry.
func timestamp(e session.Entry) js.Field { return row.Timestamp(e.Timestamp()) }

// text returns a member with a text that may be empty.
func text(name, value string) js.Field { return js.StringField(name, js.ValidText(value)) }

// textOrNull returns a member with the text of the entry at position i, null for -1.
func (t *Tree) textOrNull(name string, i int) js.Field {
	if i < 0 {
		return row.Null(name)
	}
	return text(name, t.textAt(i))
}

// object prints a row as one line.
func object(w io.Writer, kind string, place []js.Field, fields ...js.Field) error {
	_, err := io.WriteString(w, row.Object(kind, slices.Concat(place, fields)...)+"\n")
	return err
}

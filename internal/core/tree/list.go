package tree

import (
	"io"
	"iter"
	"strings"

	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// writeList prints rows of clean cells: with tabs between them, or on a terminal as a table with heads.
func writeList(w io.Writer, o Options, cols []screen.Col, rows iter.Seq[[]string]) error {
	if o.Width > 0 {
		sc := screen.New(screen.Screen{Out: w, Width: o.Width, Color: o.Color}, o.ASCII)
		return sc.Table(cols, func(yield func([]screen.Cell) bool) {
			for texts := range rows {
				cells := make([]screen.Cell, len(texts))
				for i, text := range texts {
					cells[i].Text = text
				}
				if !yield(cells) {
					return
				}
			}
		})
	}
	for texts := range rows {
		if _, err := io.WriteString(w, strings.Join(texts, "\t")+"\n"); err != nil {
			return err
		}
	}
	return nil
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

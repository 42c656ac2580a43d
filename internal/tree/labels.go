package tree

import (
	"io"

	"github.com/sess-tools/sess/internal/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// WriteLabels prints labels as a list: the label, the id of the entry, its role
// or type, and its first words. For an entry that is missing the third cell is
// a dash. The error is that of w.
func WriteLabels(w io.Writer, t *Tree, labels []session.Label, o Options) error {
	l := newList(w, o, 1, "LABEL", "ID", "ENTRY", "TEXT")
	for _, label := range labels {
		kind, text := "-", ""
		if i, ok := t.Session.Index(label.Target); ok {
			e := t.Session.Entries[i]
			kind, text = words(Kind(e), l.pen.more), words(Text(e), l.pen.more)
		}
		if err := l.row(tty.Clean(label.Name), tty.Clean(label.Target), kind, text); err != nil {
			return err
		}
	}
	return l.flush()
}

// LabelsJSON prints labels as one object a line. The error is that of w.
func LabelsJSON(w io.Writer, t *Tree, labels []session.Label) error {
	for _, label := range labels {
		out := labelJSON{
			Label: js.ValidText(label.Name), ID: js.ValidText(label.Target), Timestamp: js.ValidText(label.Timestamp),
		}
		if i, ok := t.Session.Index(label.Target); ok {
			e := t.Session.Entries[i]
			out.Type, out.Role, out.Line = js.ValidText(e.Type()), js.ValidText(e.Role()), e.Line()
			out.Active, out.Text = t.Active(i), js.ValidText(Text(e))
		}
		if err := object(w, out); err != nil {
			return err
		}
	}
	return nil
}

package tree

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/tty"
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

// entryJSON is what JSON prints of an entry. Fields are only ever added.
type entryJSON struct {
	ID        string  `json:"id"`
	ParentID  *string `json:"parentId"` // null for a root
	Type      string  `json:"type"`
	Role      string  `json:"role"` // "" for an entry that is no message
	Timestamp string  `json:"timestamp"`
	Line      int     `json:"line"`
	Depth     int     `json:"depth"` // number of entries it is drawn below
	Children  int     `json:"children"`
	Active    bool    `json:"active"`
	Head      bool    `json:"head"`
	Label     string  `json:"label"` // "" for none
	Tokens    int64   `json:"tokens"`
	Text      string  `json:"text"` // whole
	Note      string  `json:"note"` // what is wrong with its place, "" for nothing
}

// JSON prints every entry of the tree as one object a line, in the order of the
// drawing. Nothing is folded or cut. The error is that of w.
func JSON(w io.Writer, t *Tree) error {
	for r := range t.Rows(true) {
		e := t.Session.Entries[r.Pos]
		err := object(w, entryJSON{
			ID: js.ValidText(e.ID()), ParentID: idOrNull(e.ParentID()), Type: js.ValidText(e.Type()),
			Role: js.ValidText(e.Role()), Timestamp: js.ValidText(e.Str("timestamp")), Line: e.Line(),
			Depth: r.Depth, Children: len(t.Children(r.Pos)), Active: t.Active(r.Pos), Head: t.Head(r.Pos),
			Label: js.ValidText(t.Label(r.Pos)), Tokens: r.Tokens, Text: js.ValidText(Text(e)),
			Note: js.ValidText(t.Note(r.Pos)),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// headJSON is what Heads prints of a head with JSON. Fields are only ever added.
type headJSON struct {
	ID        string  `json:"id"`
	Entries   int     `json:"entries"` // on its path
	Timestamp string  `json:"timestamp"`
	Active    bool    `json:"active"`
	Label     string  `json:"label"`
	Fork      *string `json:"fork"` // the nearest entry above it with several children
	First     string  `json:"first"`
	Last      string  `json:"last"`
	Line      int     `json:"line"`
}

// labelJSON is what Labels prints of a label with JSON. Fields are only ever
// added.
type labelJSON struct {
	Label     string `json:"label"`
	ID        string `json:"id"`
	Type      string `json:"type"` // "" if no entry has the id
	Role      string `json:"role"`
	Timestamp string `json:"timestamp"` // of the label
	Line      int    `json:"line"`      // of the entry; 0 if there is none
	Active    bool   `json:"active"`
	Text      string `json:"text"`
}

// idOrNull returns an id as a member that is null without one.
func idOrNull(id string) *string {
	if id == "" {
		return nil
	}
	id = js.ValidText(id)
	return &id
}

// object prints v as one line of JSON.
func object(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // this is read by programs, not by browsers
	if err := enc.Encode(v); err != nil {
		panic(err) // strings and numbers marshal
	}
	_, err := w.Write(b.Bytes())
	return err
}

// parentName returns the id of the entry at position i, null for -1.
func parentName(s *session.Session, i int) *string {
	if i < 0 {
		return nil
	}
	return idOrNull(s.Entries[i].ID())
}

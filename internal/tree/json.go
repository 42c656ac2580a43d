package tree

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

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

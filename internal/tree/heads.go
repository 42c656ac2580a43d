package tree

import (
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A Head is the end of a branch.
type Head struct {
	Pos     int // position of the entry
	Entries int // number of entries on the path that ends here
	Fork    int // position of the nearest entry above with several children, -1 for none
	First   int // position of the first user message on the path with text, -1 for none
	Last    int // position of the last user or assistant message with text, -1 for none
}

// Heads returns the ends of all branches, in file order.
func (t *Tree) Heads() []Head {
	known := make([]Head, len(t.parent))
	unmeasured := func(session.Entry) int64 { return 0 }
	for r := range t.rows(true, unmeasured) {
		h := Head{Entries: 1, Fork: -1, First: -1, Last: -1}
		if r.Above >= 0 {
			h = known[r.Above]
			h.Entries++
			if len(t.Children(r.Above)) > 1 {
				h.Fork = r.Above
			}
		}
		if length := t.cycle[r.Pos]; length > 0 {
			h.Entries = length // wherever the path leaves a cycle, it has been all around
		}
		role := spoken(t.Session.Entries[r.Pos])
		if role == session.RoleUser && h.First < 0 {
			h.First = r.Pos
		}
		if role != "" {
			h.Last = r.Pos
		}
		h.Pos = r.Pos
		known[r.Pos] = h
	}
	var heads []Head
	for i, p := range t.parent {
		if p != outside && t.Head(i) {
			heads = append(heads, known[i])
		}
	}
	return heads
}

// spoken returns the role of a user or assistant message that has text, "" for
// all other entries.
func spoken(e session.Entry) string {
	m, ok := e.Message()
	if !ok || m.Role() != session.RoleUser && m.Role() != session.RoleAssistant {
		return ""
	}
	if strings.TrimSpace(m.Text("")) == "" {
		return ""
	}
	return m.Role()
}

// WriteHeads prints heads as a list: id, number of entries on its path, time,
// an asterisk for the end of the active path, the first text of the path and
// the last one. The error is that of w.
func WriteHeads(w io.Writer, t *Tree, heads []Head, o Options) error {
	l := newList(w, o, 2, "ID", "ENTRIES", "TIME", "", "FIRST", "LAST")
	for _, h := range heads {
		e := t.Session.Entries[h.Pos]
		mark := "-"
		if t.Active(h.Pos) {
			mark = "*"
		}
		err := l.row(tty.Clean(e.ID()), strconv.Itoa(h.Entries), stamp(e), mark,
			words(t.textAt(h.First), l.pen.more), words(t.textAt(h.Last), l.pen.more))
		if err != nil {
			return err
		}
	}
	return l.flush()
}

// HeadsJSON prints heads as one object a line. The error is that of w.
func HeadsJSON(w io.Writer, t *Tree, heads []Head) error {
	for _, h := range heads {
		e := t.Session.Entries[h.Pos]
		err := object(w, headJSON{
			ID: js.ValidText(e.ID()), Entries: h.Entries, Timestamp: js.ValidText(e.Str("timestamp")),
			Active: t.Active(h.Pos), Label: js.ValidText(t.Label(h.Pos)), Fork: parentName(t.Session, h.Fork),
			First: js.ValidText(t.textAt(h.First)), Last: js.ValidText(t.textAt(h.Last)), Line: e.Line(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// textAt returns the text of the entry at position i, "" for -1.
func (t *Tree) textAt(i int) string {
	if i < 0 {
		return ""
	}
	return Text(t.Session.Entries[i])
}

// stamp returns the time of an entry to the second, "-" if it has none.
func stamp(e session.Entry) string {
	ms, ok := e.Timestamp()
	if !ok {
		return "-"
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05Z")
}

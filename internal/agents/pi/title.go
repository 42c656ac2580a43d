package pi

import (
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// slotSize is the length of a title slot in bytes, its line feed included.
const slotSize = 256

// lead returns the lines before the entries, the name where the version looks for
// it.
func (x *exporter) lead() ([]string, error) {
	slot, header := lead(x.s)
	name := x.s.Name
	switch {
	case x.version.slot:
		return x.slotted(slot, header, name), nil
	case x.version.omp && name != x.s.Header.Title:
		h, err := session.ParseEntry(header)
		if err != nil {
			return nil, err
		}
		header = h.WithRaw("title", js.Quote(name)).Raw()
	case !x.version.omp && name != "" && name != lastName(x.s):
		return []string{header}, x.nameIt(name)
	}
	return []string{header}, nil
}

// lastName is the name that entries give a session: all that pi looks at.
func lastName(s *session.Session) string {
	name := ""
	for _, e := range s.Entries {
		if e.Type() == session.TypeSessionInfo {
			name = js.Trim(e.Str("name"))
		}
	}
	return name
}

// nameIt adds an entry that names the session.
func (x *exporter) nameIt(name string) error {
	last := session.Entry{}
	known := map[string]bool{}
	for _, e := range x.s.Entries {
		if known[e.ID()] = true; e.ID() != "" {
			last = e
		}
	}
	at, ok := last.Timestamp()
	if !ok {
		at, _ = js.ParseTime(x.s.Header.Timestamp)
	}
	b := session.Batch{
		Leaf: last.ID(), Now: at, Known: func(id string) bool { return known[id] },
		NewID: func(known func(string) bool) (string, error) {
			return formats.EntryID(known, x.s.Header.ID, "pi", "name", name), nil
		},
	}
	e, err := b.Add(session.TypeSessionInfo, js.StringField("name", session.OneLine(name)))
	x.named = e.Raw()
	return err
}

// slotted returns a title slot and the header: the slot the session has, or those
// that an import kept, as long as they say its name.
func (x *exporter) slotted(slot, header, name string) []string {
	if holds(slot, name) {
		return []string{slot, header}
	}
	for i := len(x.s.Entries) - 1; i >= 0; i-- {
		e := x.s.Entries[i]
		if e.Type() != session.TypeCustom || e.Str("customType") != customTitle {
			continue
		}
		slot, before := string(js.Value(e.Get("data")).Get("slot")), string(js.Value(e.Get("data")).Get("header"))
		if _, err := session.HeaderOf([]byte(before)); err == nil && holds(slot, name) && titled(slot, before) == header {
			x.kept = e
			return []string{slot, before}
		}
		break
	}
	return []string{x.newSlot(name), header}
}

// holds reports whether a title slot is one and says the name.
func holds(slot, name string) bool {
	if len(slot) != slotSize-1 {
		return false
	}
	e, err := session.ParseEntry(slot)
	return err == nil && isSlot(e) && strings.TrimSpace(e.Str("title")) == name
}

// newSlot makes a title slot. A title that is too long for it is cut, between
// characters.
func (x *exporter) newSlot(title string) string {
	at := x.s.Header.Timestamp
	for _, e := range x.s.Entries {
		if e.Type() == session.TypeSessionInfo {
			at = e.Str("timestamp")
		}
	}
	if ms, ok := js.ParseTime(at); ok {
		at = js.FormatTime(ms)
	} else {
		at = js.FormatTime(0)
	}
	slot := func(title, pad string) string {
		return js.Object(
			js.StringField("type", session.TypeTitle), js.RawField("v", "1"),
			js.StringField("title", title), js.StringField("updatedAt", at), js.StringField("pad", pad))
	}
	cut := []rune(title)
	for len(slot(string(cut), "")) >= slotSize {
		cut = cut[:len(cut)-1]
	}
	if len(cut) < len([]rune(title)) {
		x.t.Lose("", formats.KindTitle, "the name is too long for %s, which gets %q", x.version.title, string(cut))
	}
	return slot(string(cut), strings.Repeat(" ", slotSize-1-len(slot(string(cut), ""))))
}

// untitled returns the entries without the one that keeps a title slot, if that
// was put back: its children hang from its parent.
func (x *exporter) untitled(entries []session.Entry) []session.Entry {
	gone := x.kept.ID()
	if gone == "" {
		return entries
	}
	up, next := x.kept.ParentID(), x.kept.ParentID()
	var out []session.Entry
	for _, e := range entries {
		switch {
		case e.ID() == gone:
			continue
		case e.ParentID() == gone:
			if next == up {
				next = e.ID()
			}
			e = e.WithParent(up)
		}
		for _, name := range []string{"firstKeptEntryId", "targetId"} {
			if e.Str(name) == gone {
				e = e.WithRaw(name, js.Quote(next))
			}
		}
		out = append(out, e)
	}
	return out
}

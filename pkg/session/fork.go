package session

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// Branch returns the entries of a new session that holds the path to the entry
// at position leaf, as pi 1.5 forks (docs/formats/pi.md, forks): without the
// path's label entries, parents re-chained, a firstKeptEntryId that named a
// label moved on to the next kept entry, and the labels in force on kept entries
// set anew behind them. Ids and times of kept entries stay.
func (s *Session) Branch(leaf int, newID func(known func(string) bool) (string, error)) ([]Entry, error) {
	path, _ := s.Path(leaf)
	var kept []Entry
	next := map[string]string{} // removed label to the kept entry after it
	var pending []string
	parent, onPath := "", map[string]bool{}
	for _, e := range path {
		if e.typ == TypeLabel {
			pending = append(pending, e.id)
			continue
		}
		for _, label := range pending {
			next[label] = e.id
		}
		pending = pending[:0]
		kept = append(kept, rechained(e, parent, next))
		parent, onPath[e.id] = e.id, true
	}
	b := Batch{Leaf: parent, NewID: newID, Known: func(id string) bool { return onPath[id] }}
	for _, l := range s.Labels() {
		if !onPath[l.Target] {
			continue
		}
		if ms, ok := js.ParseTime(l.Timestamp); ok {
			b.Now = ms
		}
		if _, err := b.Add(TypeLabel, js.StringField("targetId", l.Target), js.StringField("label", l.Name)); err != nil {
			return nil, err
		}
	}
	return append(kept, b.Entries...), nil
}

// rechained returns e as the child of parent, its bytes unchanged if it is that
// already.
func rechained(e Entry, parent string, next map[string]string) Entry {
	if e.parent != parent || e.Get("parentId") == "" {
		e = e.WithParent(parent)
	}
	if e.typ == TypeCompaction {
		if to, removed := next[e.Str("firstKeptEntryId")]; removed {
			e = e.WithRaw("firstKeptEntryId", js.Quote(to))
		}
	}
	return e
}

// ForkTitle returns the title of a fork of a session called name: name with
// " (fork #1)" behind it, or with the number of an earlier fork counted up. It
// is "" for a session without a name.
func ForkTitle(name string) string {
	if name == "" {
		return ""
	}
	const mark = " (fork #"
	if i := strings.LastIndex(name, mark); i > 0 {
		digits, ok := strings.CutSuffix(name[i+len(mark):], ")")
		n, err := strconv.ParseUint(digits, 10, 32)
		if ok && err == nil {
			return fmt.Sprintf("%s%s%d)", name[:i], mark, n+1)
		}
	}
	return name + mark + "1)"
}

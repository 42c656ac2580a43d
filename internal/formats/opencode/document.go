package opencode

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
)

// A document is one session where it is stored.
type document interface {
	// info returns what is known of the session itself.
	info() string

	// refs returns its messages in opencode's order.
	refs() []ref

	// message reads one of them.
	message(ctx context.Context, r ref) (message, error)

	// damage tells of what had to be skipped to get here.
	damage(lose func(where, kind, format string, args ...any))
}

// A ref is a message that is still where it is stored, and what has to be known of
// all messages before the first is read.
type ref struct {
	id      string
	created int64
	parent  string // id of the user message it answers
	where   span   // in a file

	summary   bool // it sums up what was before the message it answers
	compacted bool // it is such a message
	tail      string
}

// note fills in what the message itself says.
func (r *ref) note(info string) {
	r.id = strings.Clone(str(info, "id"))
	r.parent = strings.Clone(str(info, "parentID"))
	r.summary = str(info, "role") == "assistant" && get(info, "summary") == "true" &&
		str(info, "finish") != "" && get(info, "error") == ""
}

// notePart fills in what a part says.
func (r *ref) notePart(part string) {
	if str(part, "type") == "compaction" {
		r.compacted = true
		r.tail = strings.Clone(str(part, "tail_start_id"))
	}
}

// order puts messages in opencode's order.
func order(refs []ref) {
	slices.SortStableFunc(refs, func(a, b ref) int {
		return cmp.Or(cmp.Compare(a.created, b.created), strings.Compare(a.id, b.id))
	})
}

// summaries returns the ids of the messages that are in force as compactions, each with that of its
// summary (opencode's filterCompacted): there is a summary behind it, and its tail, if
// it has one, begins in front of it.
func summaries(refs []ref) map[string]string {
	at := make(map[string]int, len(refs))
	out := map[string]string{}
	for i, r := range refs {
		at[r.id] = i
		if !r.summary {
			continue
		}
		c, ok := at[r.parent]
		if !ok || !refs[c].compacted || out[r.parent] != "" {
			continue
		}
		if tail := refs[c].tail; tail != "" {
			if t, ok := at[tail]; !ok || t > c {
				continue
			}
		}
		out[r.parent] = r.id
	}
	return out
}

// sorted returns parts in opencode's order, which is that of their ids, each once.
func sorted(parts []string) []string {
	type keyed struct{ id, raw string }
	list := make([]keyed, len(parts))
	for i, p := range parts {
		list[i] = keyed{str(p, "id"), p}
	}
	slices.SortStableFunc(list, func(a, b keyed) int { return strings.Compare(a.id, b.id) })
	var out []string
	for i, k := range list {
		if i == 0 || k.id == "" || k.id != list[i-1].id {
			out = append(out, k.raw)
		}
	}
	return out
}

// compact returns a JSON text on one line, as valid UTF-8.
func compact(raw string) string { return strings.ToValidUTF8(formats.Compact(raw), "\ufffd") }

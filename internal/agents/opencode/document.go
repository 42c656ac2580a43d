package opencode

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A document is one session where it is stored.
type document interface {
	// info returns the facts about the session itself.
	info() js.Value

	// refs returns its messages in opencode's order.
	refs() []ref

	// message reads one of them.
	message(ctx context.Context, r ref) (message, error)

	// damage tells of what had to be skipped to get here.
	damage(lose func(where, kind, format string, args ...any))
}

// A damaged is what had to be skipped.
type damaged []formats.Loss

func (d *damaged) lose(where, format string, args ...any) {
	*d = append(*d, formats.Loss{Where: where, Kind: formats.KindDamage, What: fmt.Sprintf(format, args...)})
}

func (d *damaged) damage(lose func(where, kind, format string, args ...any)) {
	for _, l := range *d {
		lose(l.Where, l.Kind, "%s", l.What)
	}
}

// A ref is a message that is still where it is stored, and what has to be known of
// all messages before the first is read.
type ref struct {
	id      string
	key     string // what its parts know it by, in a file
	created int64
	parent  string // id of the user message it answers
	where   span   // in a file

	row    string // of a message of release 2: the id of its row
	second second // and what the rows before it say

	summary   bool // it sums up what was before the message it answers
	compacted bool // it is such a message
	tail      string
}

// note fills in what the message itself says.
func (r *ref) note(info js.Value) {
	r.id = strings.Clone(info.Get("id").Str())
	r.parent = strings.Clone(info.Get("parentID").Str())
	r.summary = info.Get("role").Str() == "assistant" && info.Get("summary") == "true" &&
		info.Get("finish").Str() != "" && info.Get("error") == ""
}

// notePart fills in what a part says.
func (r *ref) notePart(part js.Value) {
	if part.Get("type").Str() == "compaction" {
		r.compacted = true
		r.tail = strings.Clone(part.Get("tail_start_id").Str())
	}
}

// order puts messages in opencode's order.
func order(refs []ref) {
	slices.SortStableFunc(refs, func(a, b ref) int {
		if a.row != "" && b.row != "" {
			return cmp.Compare(a.created, b.created) // they are in order
		}
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

// sorted returns parts in opencode's order, which is that of their ids, each once. Ids that
// opencode has not made, as a redactor leaves them behind, say nothing of an order: then it
// is that of the source.
func sorted(parts []js.Value) []js.Value {
	type keyed struct {
		id  string
		raw js.Value
	}
	list := make([]keyed, 0, len(parts))
	seen := make(map[keyed]bool, len(parts))
	ids := make(map[string]bool, len(parts))
	made := true // by opencode
	for _, p := range parts {
		k := keyed{p.Get("id").Str(), p}
		if k.id != "" && seen[k] {
			continue
		}
		made = made && !ids[k.id] && strings.HasPrefix(k.id, "prt")
		seen[k], ids[k.id] = true, true
		list = append(list, k)
	}
	if made {
		slices.SortStableFunc(list, func(a, b keyed) int { return strings.Compare(a.id, b.id) })
	}
	out := make([]js.Value, len(list))
	for i, k := range list {
		out[i] = k.raw
	}
	return out
}

// compact returns a JSON text on one line, as valid UTF-8.
func compact(raw string) js.Value {
	return js.Value(strings.ToValidUTF8(api.Compact(raw), "\ufffd"))
}

// A message is one message of a session, with its parts in the order of their ids.
// Both are JSON texts on one line.
type message struct {
	info  js.Value
	parts []js.Value
}

func (m message) id() string   { return m.info.Get("id").Str() }
func (m message) role() string { return m.info.Get("role").Str() }

// The texts that opencode shows a model in place of parts.
const (
	textCompaction = "What did we do so far?"
	textSubtask    = "The following tool was executed by the user"
	textPruned     = "[Old tool result content cleared]"
)

// A block is a block of an entry that a part becomes.
type block struct {
	part  int
	kind  string
	fixed string // the text, where the part's type says it all
}

// A step is an entry that is made of a message or of a step of one: what opencode sends
// between two answers of tools.
type step struct {
	blocks   []block
	finished int // the part that ends the step, -1 without one
}

// layout says which entries a message becomes, and which parts their blocks are of. It says the
// same of a message that has null in place of texts: the parts that it looks at stay. Nothing of a
// compaction's message becomes a message.
func (m message) layout() []step {
	switch m.role() {
	case "user":
		return m.userLayout()
	case "assistant":
		return m.assistantLayout()
	}
	return nil
}

func (m message) userLayout() []step {
	var blocks []block
	for i, p := range m.parts {
		switch p.Get("type").Str() {
		case "text":
			if p.Get("ignored") != "true" && speaks(p) {
				blocks = append(blocks, block{part: i, kind: session.BlockText})
			}
		case "file":
			if parts.IsImage(p) {
				blocks = append(blocks, block{part: i, kind: session.BlockImage})
			}
		case "compaction":
			blocks = append(blocks, block{part: i, kind: session.BlockText, fixed: textCompaction})
		case "subtask":
			blocks = append(blocks, block{part: i, kind: session.BlockText, fixed: textSubtask})
		}
	}
	if len(blocks) == 0 {
		return nil
	}
	return []step{{blocks: blocks, finished: -1}}
}

func (m message) assistantLayout() []step {
	var steps []step
	current := step{finished: -1}
	end := func() {
		if len(current.blocks) > 0 {
			steps = append(steps, current)
		}
		current = step{finished: -1}
	}
	for i, p := range m.parts {
		switch p.Get("type").Str() {
		case "step-start":
			end()
		case "step-finish":
			current.finished = i
		case "text":
			if speaks(p) {
				current.blocks = append(current.blocks, block{part: i, kind: session.BlockText})
			}
		case "reasoning":
			if speaks(p) || p.Get("metadata") != "" {
				current.blocks = append(current.blocks, block{part: i, kind: session.BlockThinking})
			}
		case "tool":
			current.blocks = append(current.blocks, block{part: i, kind: session.BlockToolCall})
		}
	}
	end()
	if len(steps) == 0 {
		steps = []step{{finished: -1}} // it failed before it said anything, but it cost something
	}
	return steps
}

// speaks reports whether a part has a text, or null, which stands for one.
func speaks(part js.Value) bool { return js.Value(js.Member(string(part), "text")) != `""` }

// isSent reports whether opencode would show a file to a model that takes it. The text of other
// files is in another part.
func isSent(file js.Value) bool {
	mime := file.Get("mime").Str()
	return mime != "text/plain" && mime != "application/x-directory"
}

// silenced reports whether opencode leaves an assistant's message out because it
// failed.
func (m message) silenced() bool {
	if m.info.Get("error") == "" {
		return false
	}
	if m.info.Get("error", "name").Str() != "MessageAbortedError" {
		return true
	}
	for _, p := range m.parts {
		if t := p.Get("type").Str(); t != "step-start" && t != "reasoning" {
			return false
		}
	}
	return true
}

// number returns a number, 0 for any other value and for one that is out of range.
func number(v js.Value) float64 {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return 0
	}
	return f
}

// object returns an object of the fields.
func object(fields ...js.Field) js.Value { return js.Value(js.Object(fields...)) }

// list returns an array.
func list(elements []js.Value) js.Value { return js.Value(api.Array(elements...)) }

// quote returns a string.
func quote(s string) js.Value { return js.Value(js.Quote(s)) }

// intValue returns a whole number.
func intValue(n int64) js.Value { return js.Value(api.Int(n)) }

// withDefaults returns an object with those members of defaults that it does not have, or
// has as null.
func withDefaults(v, defaults js.Value) js.Value {
	for name, value := range defaults.Members() {
		if v.Get(name) == "" {
			v = v.With(name, value)
		}
	}
	return v
}

// objectOr returns v if it is an object, else other.
func objectOr(v, other js.Value) js.Value {
	if v.IsObject() {
		return v
	}
	return other
}

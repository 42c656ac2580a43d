package opencode

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
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

// A message is one message of a session, with its parts in the order of their ids.
// Both are JSON texts on one line.
type message struct {
	info  string
	parts []string
}

func (m message) id() string   { return str(m.info, "id") }
func (m message) role() string { return str(m.info, "role") }

// The texts that opencode shows a model in place of parts.
const (
	textCompaction  = "What did we do so far?"
	textSubtask     = "The following tool was executed by the user"
	textInterrupted = "[Tool execution was interrupted]"
	textPruned      = "[Old tool result content cleared]"
)

// Kinds of blocks, as messages of ours have them.
const (
	blockText     = "text"
	blockThinking = "thinking"
	blockImage    = "image"
	blockCall     = "toolCall"
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

// layout says which entries a message becomes, and which parts their blocks are of. It
// says the same of a message that has null in place of texts: what it looks at stays.
// Of a message that is a compaction's, nothing becomes a message.
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
		switch str(p, "type") {
		case "text":
			if string(js.Value(p).Get("ignored")) != "true" && speaks(p) {
				blocks = append(blocks, block{part: i, kind: blockText})
			}
		case "file":
			if isImage(p) {
				blocks = append(blocks, block{part: i, kind: blockImage})
			}
		case "compaction":
			blocks = append(blocks, block{part: i, kind: blockText, fixed: textCompaction})
		case "subtask":
			blocks = append(blocks, block{part: i, kind: blockText, fixed: textSubtask})
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
		switch str(p, "type") {
		case "step-start":
			end()
		case "step-finish":
			current.finished = i
		case "text":
			if speaks(p) {
				current.blocks = append(current.blocks, block{part: i, kind: blockText})
			}
		case "reasoning":
			if speaks(p) || get(p, "metadata") != "" {
				current.blocks = append(current.blocks, block{part: i, kind: blockThinking})
			}
		case "tool":
			current.blocks = append(current.blocks, block{part: i, kind: blockCall})
		}
	}
	end()
	if len(steps) == 0 {
		steps = []step{{finished: -1}} // it failed before it said anything, but it cost something
	}
	return steps
}

// speaks reports whether a part has a text, or null, which stands for one.
func speaks(part string) bool { return rawMember(part, "text") != `""` }

// rawMember is get that tells null from nothing.
func rawMember(raw, name string) string {
	found := ""
	for _, f := range formats.Fields(raw) {
		if f.Name == name {
			found = f.Raw
		}
	}
	return found
}

// isImage reports whether a file can be an image block: whether it is here, and not at
// an address.
func isImage(file string) bool {
	if !strings.HasPrefix(str(file, "mime"), "image/") {
		return false
	}
	if rawMember(file, "url") == "null" {
		return true
	}
	_, _, ok := formats.DataURL(str(file, "url"))
	return ok
}

// shown reports whether opencode would show a file to a model that takes it. The text
// of others is in a part of its own.
func shown(file string) bool {
	mime := str(file, "mime")
	return mime != "text/plain" && mime != "application/x-directory"
}

// unnamed is what a tool or a call is called that has no name.
const unnamed = "unknown"

func callOf(tool string) string  { return cmp.Or(str(tool, "callID"), unnamed) }
func nameOfTool(p string) string { return cmp.Or(str(p, "tool"), unnamed) }

// attached returns the files that came with the result of a tool.
func attached(tool string) []string { return elements(get(tool, "state", "attachments")) }

// interrupted returns what a tool had said when it was interrupted, which counts as
// its result.
func interrupted(tool string) (output string, ok bool) {
	if get(tool, "state", "metadata", "interrupted") != "true" {
		return "", false
	}
	raw := get(tool, "state", "metadata", "output")
	return raw, strings.HasPrefix(raw, `"`)
}

// silenced reports whether opencode leaves an assistant's message out because it
// failed.
func (m message) silenced() bool {
	if get(m.info, "error") == "" {
		return false
	}
	if str(m.info, "error", "name") != "MessageAbortedError" {
		return true
	}
	for _, p := range m.parts {
		if t := str(p, "type"); t != "step-start" && t != "reasoning" {
			return false
		}
	}
	return true
}

package opencode

import (
	"slices"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/opencode/parts"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A skeleton is a message as it came in, without what its entries have.
type skeleton struct {
	message
	steps       []step
	compaction  bool // it is in force as a compaction, or is the summary of one
	next        int  // of the steps
	first, last int  // of the entries on the path
}

// skeleton returns the message that a custom entry holds, nil if it is none.
func (x *exporter) skeleton(at int, data js.Value) *skeleton {
	k := &skeleton{message: message{info: data.Get("info"), parts: slices.Collect(data.Get("parts").Elements())}, first: at, last: at}
	switch role := k.role(); {
	case role != "user" && role != "assistant":
		return nil
	case data.Get("compaction") == "true":
		k.compaction = true
	default:
		k.steps = k.layout()
	}
	return k
}

// take fills in what a message of the path has, if that is the next one that was made
// of this one.
func (k *skeleton) take(x *exporter, index int, m session.Message) bool {
	if k.next >= len(k.steps) || m.Role() != k.role() {
		return false
	}
	s := k.steps[k.next]
	filled := make(map[int]js.Value, len(s.blocks))
	n, calls := 0, 0
	for b := range m.Blocks() {
		if n >= len(s.blocks) || !fits(s.blocks[n], b) {
			return false
		}
		p := k.parts[s.blocks[n].part]
		if b.Type == blockCall {
			if parts.CallID(p) != b.Str("id") || parts.ToolName(p) != b.Str("name") {
				return false
			}
			p = fillTool(p, b, x.results[callAt{index, calls}])
			calls++
		} else {
			p = fill(p, b)
		}
		filled[s.blocks[n].part] = p
		n++
	}
	if n != len(s.blocks) {
		return false
	}
	for i, p := range filled {
		k.parts[i] = p
	}
	if k.next++; k.next == 1 {
		k.first = index
	}
	k.last = index
	return true
}

// fits reports whether a block is of the kind that was made of a part.
func fits(want block, b session.Block) bool {
	return want.kind == b.Type && (want.fixed == "" || want.fixed == b.Str("text"))
}

// fill puts what a block has into a part, where that has null.
func fill(p js.Value, b session.Block) js.Value {
	switch {
	case b.Type == blockImage && member(p, "url") == "null":
		return p.With("url", quote(formats.FormatDataURL(b.Str("mimeType"), b.Str("data"))))
	case b.Type == blockText && member(p, "text") == "null":
		return p.With("text", parts.Literal(b.Get("text")))
	case b.Type == blockThinking && member(p, "text") == "null":
		return p.With("text", parts.Literal(b.Get("thinking")))
	}
	return p
}

// flush writes the message whose entries have been read: all of it, or without the parts
// whose entries were not there.
func (x *exporter) flush() {
	k := x.open
	if k == nil {
		return
	}
	x.open = nil
	switch {
	case k.compaction && k.role() == "user":
		x.held = k
		return
	case k.compaction:
		return // it has not been followed by its compaction
	case len(k.steps) > 0 && k.next == 0:
		x.changed = true
		return
	}
	x.held = nil
	if k.next < len(k.steps) {
		x.changed = true
		k.cut()
	}
	x.put(k.message, k.first, k.last)
}

// cut takes away what comes with the next step.
func (k *skeleton) cut() {
	from := len(k.parts)
	for _, b := range k.steps[k.next].blocks {
		from = min(from, b.part)
	}
	for from > 0 && k.parts[from-1].Get("type").Str() == "step-start" {
		from--
	}
	k.parts = k.parts[:from]
}

// sum writes a compaction that came in as one, with the summary it has now. It reports
// whether it was.
func (x *exporter) sum(i int, e session.Entry) bool {
	k, c := x.open, x.held
	if k == nil || c == nil || !k.compaction || k.role() != "assistant" || k.info.Get("parentID").Str() != c.id() {
		return false
	}
	x.open, x.held = nil, nil
	if n, ok := k.onlyText(); ok {
		if member(k.parts[n], "text") == "null" {
			k.parts[n] = k.parts[n].With("text", parts.Literal(e.Get("summary")))
		}
	}
	tail := x.tail(i, x.kept(i))
	for n, p := range c.parts {
		if p.Get("type").Str() == "compaction" && p.Get("tail_start_id").Str() != "" && x.renamed(p.Get("tail_start_id").Str()) != tail {
			c.parts[n] = p.With("tail_start_id", quoted(tail))
		}
	}
	x.put(c.message, c.first, c.last)
	x.put(k.message, k.first, i)
	return true
}

// quoted returns the JSON text of a string, none for "".
func quoted(s string) js.Value {
	if s == "" {
		return ""
	}
	return quote(s)
}

// fillTool puts the arguments of a call and its result into a part.
func fillTool(p js.Value, call session.Block, a *answer) js.Value {
	state := p.Get("state")
	if member(state, "input") == "null" {
		state = state.With("input", objectOr(js.Value(call.Get("arguments")), "{}"))
	}
	status := state.Get("status").Str()
	switch {
	case a == nil:
		return p.With("state", failedState(state, quote(convo.NoResult)))
	case status == "completed" && !a.failed():
		state = fillOutput(state, a)
	case status == "error" && a.failed():
		if member(state, "error") == "null" {
			state = state.With("error", a.text())
		} else if output, ok := parts.Interrupted(state); ok && output.Str() != a.text().Str() {
			state = failedState(state, a.text())
		}
	case status != "completed" && status != "error" && a.failed() && a.text().Str() == parts.Interruption:
	case a.failed():
		state = failedState(state, a.text())
	default:
		state = fillOutput(object(
			js.RawField("status", `"completed"`), js.RawField("input", state.Get("input")),
			js.RawField("output", "null"), js.RawField("time", state.Get("time"))), a)
	}
	if member(state, "metadata") == "null" {
		state = state.With("metadata", objectOr(details(a), "{}"))
	}
	return p.With("state", state)
}

// failedState returns the state of a call that failed, with an error that is JSON.
func failedState(state, text js.Value) js.Value {
	return object(
		js.RawField("status", `"error"`), js.RawField("input", objectOr(state.Get("input"), "{}")),
		js.RawField("error", text), js.RawField("time", state.Get("time")))
}

// fillOutput puts a result into the state of a call that was answered, and whether it was taken
// out of the context.
func fillOutput(state js.Value, a *answer) js.Value {
	if raw := state.Get("output"); !raw.IsString() || raw.Str() != a.text().Str() {
		state = state.With("output", a.text())
	}
	state = fillFiles(state, a.images())
	switch pruned := a.pruned(); {
	case pruned && state.Get("time", "compacted") == "":
		at, _ := a.entry.Timestamp()
		state = state.With("time", state.Get("time").With("compacted", intValue(at)))
	case !pruned && state.Get("time", "compacted") != "":
		state = state.With("time", state.Get("time").Without("compacted"))
	}
	return state
}

// fillFiles puts the images of a result into the files that came with it.
func fillFiles(state js.Value, images []session.Block) js.Value {
	files := slices.Collect(state.Get("attachments").Elements())
	n := 0
	for i, f := range files {
		if !parts.IsImage(f) {
			continue
		}
		if n < len(images) && member(f, "url") == "null" {
			files[i] = fill(f, images[n])
		}
		n++
	}
	if n != len(images) {
		files = nil
		for _, b := range images {
			files = append(files, file(b))
		}
	}
	switch {
	case len(files) > 0:
		return state.With("attachments", list(files))
	case state.Get("attachments") != "":
		return state.With("attachments", "")
	}
	return state
}

// file returns the file part of an image, which has no id yet.
func file(b session.Block) js.Value {
	return object(js.StringField("type", "file"), js.StringField("mime", b.Str("mimeType")),
		js.StringField("url", formats.FormatDataURL(b.Str("mimeType"), b.Str("data"))))
}

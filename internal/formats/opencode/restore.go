package opencode

import (
	"strings"

	"github.com/sess-tools/sess/internal/formats"
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
func (x *exporter) skeleton(at int, data string) *skeleton {
	k := &skeleton{message: message{info: get(data, "info"), parts: elements(get(data, "parts"))}, first: at, last: at}
	switch role := k.role(); {
	case role != "user" && role != "assistant":
		return nil
	case get(data, "compaction") == "true":
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
	filled := make(map[int]string, len(s.blocks))
	n, calls := 0, 0
	for b := range m.Blocks() {
		if n >= len(s.blocks) || !fits(s.blocks[n], b) {
			return false
		}
		p := k.parts[s.blocks[n].part]
		if b.Type == blockCall {
			if callOf(p) != b.Str("id") || nameOfTool(p) != b.Str("name") {
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
func fill(p string, b session.Block) string {
	switch {
	case b.Type == blockImage && rawMember(p, "url") == "null":
		return formats.With(p, "url", js.Quote(dataURL(b.Str("mimeType"), b.Str("data"))))
	case b.Type == blockText && rawMember(p, "text") == "null":
		return formats.With(p, "text", literal(b.Get("text")))
	case b.Type == blockThinking && rawMember(p, "text") == "null":
		return formats.With(p, "text", literal(b.Get("thinking")))
	}
	return p
}

// literal returns a JSON text if it is a string, else that of the empty one.
func literal(raw string) string {
	if !strings.HasPrefix(raw, `"`) {
		return `""`
	}
	return raw
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
	for from > 0 && str(k.parts[from-1], "type") == "step-start" {
		from--
	}
	k.parts = k.parts[:from]
}

// sum writes a compaction that came in as one, with the summary it has now. It reports
// whether it was.
func (x *exporter) sum(i int, e session.Entry) bool {
	k, c := x.open, x.held
	if k == nil || c == nil || !k.compaction || k.role() != "assistant" || str(k.info, "parentID") != c.id() {
		return false
	}
	x.open, x.held = nil, nil
	if n, ok := k.onlyText(); ok {
		if rawMember(k.parts[n], "text") == "null" {
			k.parts[n] = formats.With(k.parts[n], "text", literal(e.Get("summary")))
		}
	}
	tail := x.tail(i, x.kept(i))
	for n, p := range c.parts {
		if str(p, "type") == "compaction" && str(p, "tail_start_id") != "" && x.renamed(str(p, "tail_start_id")) != tail {
			c.parts[n] = formats.With(p, "tail_start_id", quoted(tail))
		}
	}
	x.put(c.message, c.first, c.last)
	x.put(k.message, k.first, i)
	return true
}

// quoted returns the JSON text of a string, none for "".
func quoted(s string) string {
	if s == "" {
		return ""
	}
	return js.Quote(s)
}

// fillTool puts the arguments of a call and its result into a part.
func fillTool(p string, call session.Block, a *answer) string {
	if rawMember(get(p, "state"), "input") == "null" {
		p = within(p, "state", "input", objectOr(call.Get("arguments"), "{}"))
	}
	state := get(p, "state")
	status := str(state, "status")
	switch {
	case a == nil:
		return formats.With(p, "state", failedState(state, js.Quote(convo.NoResult)))
	case status == "completed" && !a.failed():
		state = fillOutput(state, a)
	case status == "error" && a.failed():
		if rawMember(state, "error") == "null" {
			state = formats.With(state, "error", a.text())
		} else if output, ok := interrupted(p); ok && js.Unquote(output) != js.Unquote(a.text()) {
			state = failedState(state, a.text())
		}
	case status != "completed" && status != "error" && a.failed() && js.Unquote(a.text()) == textInterrupted:
	case a.failed():
		state = failedState(state, a.text())
	default:
		state = fillOutput(formats.With(js.Object(
			js.RawField("status", `"completed"`), js.RawField("input", get(state, "input")),
			js.RawField("output", "null")), "time", get(state, "time")), a)
	}
	if rawMember(state, "metadata") == "null" {
		state = formats.With(state, "metadata", objectOr(a.message().Get("details"), "{}"))
	}
	return formats.With(p, "state", state)
}

// objectOr returns a JSON text if it is an object, else another.
func objectOr(raw, other string) string {
	if isObject(raw) {
		return raw
	}
	return other
}

// failedState returns the state of a call that failed, with an error that is JSON.
func failedState(state, text string) string {
	return js.Object(
		js.RawField("status", `"error"`), js.Field{Name: "input", Raw: objectOr(get(state, "input"), "{}")},
		js.RawField("error", text), js.RawField("time", get(state, "time")))
}

// fillOutput puts a result into the state of a call that was answered, and whether it was taken
// out of the context.
func fillOutput(state string, a *answer) string {
	if raw := rawMember(state, "output"); raw == "null" || raw == "" || js.Unquote(raw) != js.Unquote(a.text()) {
		state = formats.With(state, "output", a.text())
	}
	state = fillFiles(state, a.images())
	switch pruned := a.pruned(); {
	case pruned && get(state, "time", "compacted") == "":
		at, _ := a.entry.Timestamp()
		state = within(state, "time", "compacted", formats.Int(at))
	case !pruned && get(state, "time", "compacted") != "":
		state = within(state, "time", "compacted", "")
	}
	return state
}

// fillFiles puts the images of a result into the files that came with it.
func fillFiles(state string, images []session.Block) string {
	files := elements(get(state, "attachments"))
	n := 0
	for i, f := range files {
		if !isImage(f) {
			continue
		}
		if n < len(images) && rawMember(f, "url") == "null" {
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
		return formats.With(state, "attachments", formats.Array(files...))
	case get(state, "attachments") != "":
		return formats.With(state, "attachments", "")
	}
	return state
}

// file returns the file part of an image, which has no id yet.
func file(b session.Block) string {
	return js.Object(js.StringField("type", "file"), js.StringField("mime", b.Str("mimeType")),
		js.StringField("url", dataURL(b.Str("mimeType"), b.Str("data"))))
}

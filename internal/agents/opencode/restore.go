package opencode

import (
	"slices"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// keptBy returns the messages that an entry keeps and still is.
func (x *exporter) keptBy(e session.Entry) (out []message) {
	i, ok := x.s.Index(e.ID())
	if !ok {
		return nil
	}
	lines, _ := x.keeper.Lines(i)
	for _, l := range lines {
		v := js.Value(l.Text)
		out = append(out, message{info: v.Get("info"), parts: slices.Collect(v.Get("parts").Elements())})
	}
	return out
}

// An intact message came in, and all of its entries are on the path as they were.
type intact struct {
	message
	first, last int // of the entries
}

// findIntact finds the messages that are written as they came in, by their first entries.
func (x *exporter) findIntact() {
	x.intact, x.within = map[int]intact{}, map[int]bool{}
	for i, e := range x.path {
		messages := x.keptBy(e)
		if len(messages) != 1 || e.Type() != session.TypeMessage && e.Type() != session.TypeUsage {
			continue
		}
		at, _ := x.s.Index(e.ID())
		_, of := x.keeper.Lines(at)
		w := intact{message: messages[0], first: i, last: i}
		places := []int{i}
		for _, id := range of {
			if n, ok := x.firsts[id]; ok {
				places = append(places, n)
				w.first = min(w.first, n)
			}
		}
		if len(places) != len(of)+1 || w.first < x.begin || x.prunedAt(places) != w.compacted() {
			continue
		}
		for _, n := range places {
			x.within[n] = true
		}
		x.intact[w.first] = w
	}
}

// prunedAt returns how many of the entries at places are results that were taken out of the
// context as opencode does that, -1 if an entry was edited in another way.
func (x *exporter) prunedAt(places []int) (n int) {
	for _, i := range places {
		e := x.path[i]
		edit := x.edits[e.ID()]
		switch a := (&answer{entry: e, edit: edit}); {
		case edit == "":
		case e.Role() == session.RoleToolResult && a.pruned():
			n++
		default:
			return -1
		}
	}
	return n
}

// compacted returns how many results of the message were taken out of the context.
func (m message) compacted() (n int) {
	for _, p := range m.parts {
		if p.Get("type").Str() == "tool" && parts.Int(p.Get("state"), "time", "compacted") > 0 {
			n++
		}
	}
	return n
}

// sum writes a compaction that came in as one, with the summary it has now.
func (x *exporter) sum(i int, c, summary message) {
	tail := x.tail(i, x.kept(i))
	for n, p := range c.parts {
		if p.Get("type").Str() == "compaction" && p.Get("tail_start_id").Str() != "" && x.renamed(p.Get("tail_start_id").Str()) != tail {
			c.parts[n] = p.With("tail_start_id", quoted(tail))
		}
	}
	x.put(c, i, i)
	x.put(summary, i, i)
}

// quoted returns the JSON text of a string, none for "".
func quoted(s string) js.Value {
	if s == "" {
		return ""
	}
	return quote(s)
}

// fillOutput puts the images of a result into the state of a call that was answered, and
// whether it was taken out of the context.
func fillOutput(state js.Value, a *answer) js.Value {
	var images []js.Value
	for b := range a.message().Blocks() {
		if b.Type == session.BlockImage {
			images = append(images, file(b))
		}
	}
	attachments := js.Value("") // which takes those away that the state has
	if images != nil {
		attachments = list(images)
	}
	state = state.With("attachments", attachments)
	if at, _ := a.entry.Timestamp(); a.pruned() {
		state = state.With("time", state.Get("time").With("compacted", intValue(at)))
	}
	return state
}

// file returns the file part of an image, which has no id yet.
func file(b session.Block) js.Value {
	return object(js.StringField("type", "file"), js.StringField("mime", b.Str("mimeType")),
		js.StringField("url", api.FormatDataURL(b.Str("mimeType"), b.Str("data"))))
}

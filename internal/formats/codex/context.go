package codex

import (
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// compacted adds a line with the context of the first n entries of the path, since it is
// no longer the sum of what is before.
func (x *exporter) compacted(n int, at session.Entry) {
	x.end()
	var messages []session.Message
	var of []string // ids of their entries
	summary := ""
	for _, p := range convo.Project(x.entries[x.contextFrom(n):n]) {
		for _, m := range convo.ToLLM(p.Messages) {
			messages, of = append(messages, m), append(of, p.Entry.ID())
		}
		if p.Entry.Type() == session.TypeCompaction && summary == "" {
			summary = p.Entry.Str("summary")
		}
	}
	var items []string
	for i, r := range repairs(messages) {
		if r.drop || r.moved {
			continue
		}
		items = append(items, x.items(messages[i])...)
		for _, j := range r.results {
			items = append(items, x.items(messages[j])...)
		}
		for _, c := range r.unanswered {
			items = append(items, x.later(of[i], c, n))
		}
	}
	ms, _ := at.Timestamp()
	x.put(typeCompacted, js.Object(js.StringField("message", summary),
		js.RawField("replacement_history", formats.Array(items...)), js.RawField("window_number", formats.Int(x.windows+1))), ms)
	x.count(counts{}, ms)
	if x.legacy {
		x.event("context_compacted", ms)
		return
	}
	x.item("ContextCompaction", at.ID(), ms)
	x.end()
}

// later returns the result of a call in a context that ends before the n-th entry of the
// path: one from behind it, since results are told with their calls, or one that is made
// up.
func (x *exporter) later(reply string, c session.ToolCall, n int) string {
	i, ok := x.placeOf[reply]
	if !ok || i >= n {
		return madeUpItem(c)
	}
	for _, j := range x.fixes[i].results {
		if m, ok := x.entries[j].Message(); ok && j >= n && m.Str("toolCallId") == c.ID && !x.covered[x.entries[j].ID()] {
			return x.outputItem(m)
		}
	}
	return madeUpItem(c)
}

// contextFrom returns the first place of the path that matters for the context of its first
// n entries: the first one that the newest compaction keeps, or that compaction itself.
func (x *exporter) contextFrom(n int) int {
	i := n - 1
	for i >= 0 && x.entries[i].Type() != session.TypeCompaction {
		i--
	}
	if i < 0 {
		return 0
	}
	if kept, ok := x.placeOf[x.entries[i].Str("firstKeptEntryId")]; ok {
		return min(i, kept)
	}
	return i
}

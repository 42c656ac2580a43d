package codex

import (
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/session"
)

// compacted adds a line with the context of the first n entries of the path, since it is
// no longer the sum of what is before.
func (x *exporter) compacted(n int, at session.Entry) {
	x.end()
	var messages []session.Message
	var of []string // ids of their entries
	summary := ""
	for _, p := range session.Project(x.entries[:n]) {
		for _, m := range session.ToLLM(p.Messages) {
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
	x.put(typeCompacted, formats.Object(session.StringField("message", summary),
		session.Field{Name: "replacement_history", Raw: formats.Array(items...)}, session.Field{Name: "window_number", Raw: formats.Int(x.window())}), ms)
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
	for i, e := range x.entries[:n] {
		if e.ID() != reply {
			continue
		}
		for _, j := range x.fixes[i].results {
			if m, ok := x.entries[j].Message(); ok && j >= n && m.Str("toolCallId") == c.ID && !x.covered[x.entries[j].ID()] {
				return x.outputItem(m)
			}
		}
	}
	return madeUpItem(c)
}

// window returns the number of the context that now begins.
func (x *exporter) window() int64 {
	n := int64(0)
	for _, l := range x.lines {
		if strings.Contains(l, `"type":"compacted"`) && parseLine(l).typ == typeCompacted {
			n++
		}
	}
	return n + 1
}

package claude

import (
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// pair finds the results on the path to the leaf that Claude Code would refuse to
// send: each that stands in front of its call goes behind it, and one that answers
// no call, or a call that has a result, is left out. What was imported stays as it
// was.
func (x *exporter) pair() {
	leaf, ok := x.s.Leaf()
	if !ok {
		return
	}
	path, _ := x.s.Path(leaf)
	var messages []session.Message
	var of []session.Entry
	for _, e := range path {
		if m, ok := e.Message(); ok {
			messages, of = append(messages, m), append(of, e)
		}
	}
	for i, p := range convo.Pair(messages) {
		id := of[i].ID()
		if x.kept[id] {
			continue
		}
		if messages[i].Role() == session.RoleToolResult && p.Reply < 0 {
			x.unsaid[id] = true
			x.losses.Add(of[i], formats.KindTool)
		}
		for _, r := range p.Results {
			if early := of[r.Message].ID(); r.Message < i && !x.kept[early] {
				x.early[id] = append(x.early[id], of[r.Message])
				x.unsaid[early] = true
			}
		}
	}
}

// adopt writes the results of a reply's calls that stand in front of it.
func (x *exporter) adopt(reply string) {
	for _, e := range x.early[reply] {
		id := e.ID()
		e = x.t.Inline(e)
		m, _ := e.Message()
		x.uuids[id] = x.uuids[reply]
		x.message(e, m)
		x.uuids[reply] = x.uuids[id] // what comes behind the reply comes behind its results
		delete(x.firsts, id)         // a compaction that keeps the result begins with what stands behind it
	}
}

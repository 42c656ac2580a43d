package opencode

import (
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// compaction writes a compaction as opencode has them: what the user says to bring it
// about, and the summary as an answer.
func (x *exporter) compaction(i int, e session.Entry) {
	if e.Get("systemMessage") != "" {
		x.t.Lose(formats.At(e), formats.KindSystem, "opencode does not know the system message that a compaction keeps")
	}
	removed := i == x.hiddenTo && len(x.shown[i]) == 0 // which has been told
	if !removed && x.open != nil && x.open.compaction && x.sum(i, e) {
		return
	}
	x.flush()
	x.held, x.changed = nil, true
	if removed {
		return
	}
	if i >= x.hiddenFrom && i < x.hiddenTo {
		x.t.Lose(formats.At(e), formats.KindContext, "a compaction in what a later one keeps left out, for opencode would show it")
		return
	}
	part := js.Object(js.RawField("type", `"compaction"`), js.RawField("auto", "false"),
		formats.Str("tail_start_id", x.tail(i, x.kept(i))))
	user := x.user
	x.put(message{x.userInfo(e, x.modelFor(i)), []string{part}}, i, i)
	info := x.assistantInfo(e, "compaction", "", "stop", "")
	info = formats.With(info, "parentID", js.Quote(x.out[len(x.out)-1].id()))
	text := js.Object(js.RawField("type", `"text"`), js.RawField("text", literal(e.Get("summary"))))
	x.put(message{formats.With(info, "summary", "true"), []string{text}}, i, i)
	x.user = user // the turn goes on
}

// tail returns the id of the first message that a compaction at i keeps, "" if it keeps none:
// that of the first one that was made of what it keeps.
func (x *exporter) tail(i, from int) string {
	if from >= i {
		return ""
	}
	n := x.writtenFrom(from)
	for k := n - 1; k >= 0 && x.out[k].last >= from; k-- {
		if x.path[from].Role() == session.RoleAssistant {
			x.t.Lose(formats.At(x.path[from]), formats.KindContext, "a compaction keeps a part of a message, of which opencode shows nothing")
		}
	}
	if n == len(x.out) {
		return ""
	}
	return x.out[n].id()
}

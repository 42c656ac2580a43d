package claude

import (
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/session"
)

// losses counts what an export loses: one loss is told for each kind.
type losses struct {
	counts map[string]int
	first  map[string]string
	order  []string
}

// what says what is lost of a kind: of one, and of several.
var what = map[string][2]string{
	formats.KindThinking: {
		"a block of thinking without a signature of Anthropic's, or a level of thinking, left out",
		"%d blocks of thinking without a signature of Anthropic's, or levels of thinking, left out",
	},
	formats.KindSystem:  {"a system message, left out", "%d system messages, left out"},
	formats.KindContext: {"an edit of the context, without effect there", "%d edits of the context, without effect there"},
	formats.KindRole:    {"a message of another role, which became a message of the user", "%d messages of other roles, which became messages of the user"},
	formats.KindTool:    {"a result that answers no call, or one that has its result, left out", "%d results that answer no call, or one that has its result, left out"},
	formats.KindEntry:   {"an entry that means nothing there, left out", "%d entries that mean nothing there, left out"},
	formats.KindText:    {"a reply without content, left out", "%d replies without content, left out"},
}

func (l *losses) add(e session.Entry, kind string) {
	if l.counts == nil {
		l.counts, l.first = map[string]int{}, map[string]string{}
	}
	if l.counts[kind]++; l.counts[kind] == 1 {
		l.first[kind] = formats.At(e)
		l.order = append(l.order, kind)
	}
}

// sum tells the losses.
func (x *exporter) sum() {
	for _, kind := range x.losses.order {
		x.t.Lose(x.losses.first[kind], kind, "%s", formats.Counted(x.losses.counts[kind], what[kind][0], what[kind][1]))
	}
}

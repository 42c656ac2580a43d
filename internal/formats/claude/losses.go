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

// what says what is lost of a kind.
var what = map[string]string{
	formats.KindThinking: "blocks of thinking without a signature of Anthropic's, or levels of thinking, left out",
	formats.KindSystem:   "system messages, left out",
	formats.KindContext:  "edits of the context, without effect there",
	formats.KindRole:     "messages of other roles, which became messages of the user",
	formats.KindTool:     "results that answer no call, or one that has its result, left out",
	formats.KindEntry:    "entries that mean nothing there, left out",
	formats.KindText:     "replies without content, left out",
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
		x.t.Lose(x.losses.first[kind], kind, "%d %s", x.losses.counts[kind], what[kind])
	}
}

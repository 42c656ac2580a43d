package zeroclaw

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/session"
)

// blocks tells of what of a message is no text, and reports whether some is.
func (x *exporter) blocks(e session.Entry, m session.Message, user bool) (text bool) {
	for b := range m.Blocks() {
		switch b.Type {
		case "text":
			text = true
		case "thinking", "redactedThinking":
			x.lose(e, formats.KindThinking, "thinking")
		case "toolCall":
			x.lose(e, formats.KindTool, "a tool call")
		default:
			x.lose(e, formats.KindMedia, "content of type "+cmp.Or(b.Type, "none"))
		}
	}
	if !user && m.Str("stopReason") == "error" {
		x.lose(e, formats.KindContext, "an error")
	}
	return text
}

// count tells of entries that have no messages.
func (x *exporter) count(e session.Entry) {
	switch e.Type() {
	case session.TypeMessage, session.TypeCompaction, session.TypeResetBoundary, session.TypeSessionInfo, session.TypeTitleChange,
		session.TypeBranchSummary, session.TypeCustomMessage:
		return
	case session.TypeCustom:
		switch e.Str("customType") {
		case "zeroclaw:session", "zeroclaw:rows", "zeroclaw:message":
			return
		}
	}
	x.lose(e, formats.KindEntry, "a "+e.Type()+" entry")
}

// lose counts a loss: each sort is told once.
func (x *exporter) lose(e session.Entry, kind, what string) {
	key := kind + "\x00" + what
	if x.foreign[key]++; x.foreign[key] == 1 {
		x.order, x.first[key] = append(x.order, key), formats.At(e)
	}
}

func (x *exporter) tellForeign() {
	for _, key := range x.order {
		kind, what, _ := strings.Cut(key, "\x00")
		more := ""
		if n := x.foreign[key]; n > 1 {
			more = fmt.Sprintf(", and %d more like it", n-1)
		}
		x.t.Lose(x.first[key], kind, "%s cannot be held%s", what, more)
	}
}

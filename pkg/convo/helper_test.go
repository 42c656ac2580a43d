package convo_test

import (
	"strings"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

const head = corpus.Head

var join, line, user, label, quote = corpus.Join, corpus.Line, corpus.User, corpus.Label, corpus.Quote

var parse, parseText, entry, read = corpus.Parse, corpus.ParseText, corpus.Entry, corpus.Read

func compaction(id, parent, first string) string {
	return line("compaction", id, parent, `"summary":"s"`, `"firstKeptEntryId":`+quote(first), `"tokensBefore":1`)
}

func texts(messages []session.Message) []string {
	out := []string{}
	for _, m := range messages {
		out = append(out, m.Raw())
	}
	return out
}

// array is messages as one JSON array.
func array(messages []session.Message) string { return "[" + strings.Join(texts(messages), ",") + "]" }

// whole is a context as it is printed.
func whole(c convo.Context) string { return strings.Join(c.Pieces(), "") }

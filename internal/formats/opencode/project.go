package opencode

import (
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// project finds out what the entries of the path show a model: edited, if they are in
// the context.
func (x *exporter) project() {
	edited := map[string][]session.Message{}
	for _, p := range convo.Project(x.path) {
		edited[p.Entry.ID()] = p.Messages
	}
	x.shown = make([][]session.Message, len(x.path))
	last, reset := -1, -1
	for i, e := range x.path {
		messages, ok := edited[e.ID()]
		if !ok {
			messages = convo.EntryMessages(e)
		}
		x.shown[i] = messages
		switch e.Type() {
		case session.TypeCompaction:
			last = i
		case session.TypeResetBoundary:
			reset = i
		}
	}
	switch {
	case reset > last:
		x.begin = reset + 1
		x.t.Lose(formats.At(x.path[reset]), formats.KindContext, "what was before a reset is left out, for opencode would show it")
	case last >= 0:
		x.hiddenFrom, x.hiddenTo = x.kept(last), last
		if len(x.shown[last]) == 0 {
			x.begin = x.hiddenFrom
			x.t.Lose(formats.At(x.path[last]), formats.KindContext, "what was before a compaction without a summary is left out, for opencode would show it")
		}
	}
}

// kept returns the first place on the path that a compaction keeps, its own if it keeps none.
func (x *exporter) kept(compaction int) int {
	if first, ok := x.firsts[x.path[compaction].Str("firstKeptEntryId")]; ok {
		return min(first, compaction)
	}
	return compaction
}

// A callAt is the n-th call of a message.
type callAt struct{ index, n int }

// An answer is the result of a call.
type answer struct {
	entry session.Entry
	shown session.Message
	edit  string // what the last context_edit puts in its place, be it in the context or not
}

// pruned reports whether the result was taken out of the context as opencode does that,
// with results that did not fail.
func (a *answer) pruned() bool {
	m, ok := a.entry.Message()
	return ok && m.Get("isError") != "true" && str(a.edit, "content") == textPruned && m.Text("") != textPruned
}

// message returns the result that opencode has to hold.
func (a *answer) message() session.Message {
	if m, ok := a.entry.Message(); ok && a.pruned() {
		return m
	}
	return a.shown
}

// text returns the text of a result as a JSON text, in one piece as a model reads it.
func (a *answer) text() string {
	var texts []string
	raw := `""`
	for b := range a.message().Blocks() {
		if b.Type == "text" && b.Str("text") != "" {
			raw = b.Get("text")
			texts = append(texts, b.Str("text"))
		}
	}
	if len(texts) == 1 && strings.HasPrefix(raw, `"`) {
		return raw
	}
	return js.Quote(strings.Join(texts, "\n"))
}

// images returns the images of a result.
func (a *answer) images() []session.Block {
	var out []session.Block
	for b := range a.message().Blocks() {
		if b.Type == blockImage {
			out = append(out, b)
		}
	}
	return out
}

func (a *answer) failed() bool { return a.message().Get("isError") == "true" }

// pair gives each call its result, by the pairing of [convo.Pair].
func (x *exporter) pair() {
	x.results, x.answered = map[callAt]*answer{}, map[int]bool{}
	edits := map[string]string{}
	for _, e := range x.path {
		if e.Type() == session.TypeContextEdit {
			edits[e.Str("targetId")] = e.Get("replacement")
		}
	}
	var messages []session.Message
	var of []int // places on the path
	for i := range x.path {
		for _, m := range x.shown[i] {
			messages, of = append(messages, m), append(of, i)
		}
	}
	for k, p := range convo.Pair(messages) {
		for _, r := range p.Results {
			e := x.path[of[r.Message]]
			x.results[callAt{of[k], r.Call}] = &answer{e, messages[r.Message], edits[e.ID()]}
			x.answered[of[r.Message]] = true
		}
	}
	for i, e := range x.path {
		if x.answered[i] {
			x.edited(e, edits[e.ID()])
		}
	}
}

// edited tells of a result that opencode can only hold as it was edited.
func (x *exporter) edited(e session.Entry, edit string) {
	if a := (answer{entry: e, edit: edit}); edit != "" && !a.pruned() {
		x.t.Lose(formats.At(e), formats.KindEntry, "what it was before it was edited left out")
	}
}

package main

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/show/view"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// ask returns what the command is given: the conversation, with what the user says now
// at its end.
func (t *turn) ask() (string, error) {
	said := slices.Concat(t.prompt, convo.MessagesOf(t.context()))
	messages := convo.ToLLM(said)
	for _, m := range messages {
		t.tokens += convo.Estimate(m)
	}
	var b strings.Builder
	var request view.JSON
	var repairs []string
	switch t.as {
	case "text":
		err := view.Text(&b, said)
		return b.String(), err
	case "messages":
		for _, m := range messages {
			b.WriteString(js.ValidText(m.Raw()) + "\n")
		}
		return b.String(), nil
	case "openai":
		request, repairs = view.OpenAI(messages, view.Options{System: true})
	case "anthropic":
		request, repairs = view.Anthropic(messages, view.Options{System: true})
	}
	for _, repair := range repairs {
		t.streams.Warnf("%s: %s", t.session, repair)
	}
	return request.String() + "\n", nil
}

// context returns what the command sees of the path, and what the user says now: without
// the system prompts of the session, which are of another program, and with the newest
// part that fits the window.
func (t *turn) context() []convo.Projected {
	var projection []convo.Projected
	for _, p := range t.harness.Spoken(t.streams, t.session, convo.Project(t.path)) {
		p.Messages = slices.DeleteFunc(slices.Clone(p.Messages), func(m session.Message) bool { return m.Role() == session.RoleSystem })
		projection = append(projection, p)
	}
	projection = append(projection, convo.Projected{Messages: []session.Message{t.sent}})
	if t.window == 0 {
		return projection
	}
	kept, ok := view.Budget(projection, t.room()-view.Tokens([]convo.Projected{{Messages: t.prompt}}))
	left := len(convo.MessagesOf(projection)) - len(convo.MessagesOf(kept))
	switch {
	case !ok:
		t.streams.Warnf("%s: what is said now needs more than --window less --reserve, %d tokens", t.session, t.room())
	case left > 0:
		t.streams.Warnf("%s: the context does not fit --window less --reserve; messages left out, the oldest: %d", t.session, left)
	}
	return kept
}

// room is how many tokens of the window may be used.
func (t *turn) room() int64 { return t.window - t.reserve }

// said is how many of them are for what is said now, the system prompt included.
func (t *turn) said() int64 {
	return view.Tokens([]convo.Projected{{Messages: append(slices.Clone(t.prompt), t.sent)}})
}

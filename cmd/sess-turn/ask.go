package main

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/view"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// ask returns what the command is given: the conversation, with what the user says now
// at its end.
func (t *turn) ask() (string, error) {
	messages := convo.ToLLM(slices.Concat(t.prompt, convo.MessagesOf(t.context()), []session.Message{t.user}))
	for _, m := range messages {
		t.tokens += convo.Estimate(m)
	}
	var b strings.Builder
	var request view.JSON
	var repairs []string
	switch t.as {
	case "text":
		err := view.Text(&b, messages)
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

// context returns what the command sees of the path: without the system prompts of the
// session, which are of another program, and with the newest part that fits the window.
func (t *turn) context() []convo.Projected {
	var projection []convo.Projected
	for _, p := range convo.Project(t.path) {
		p.Messages = slices.DeleteFunc(slices.Clone(p.Messages), func(m session.Message) bool { return m.Role() == session.RoleSystem })
		projection = append(projection, p)
	}
	if t.window == 0 {
		return projection
	}
	kept, ok := view.Budget(projection, t.limit())
	left := len(convo.MessagesOf(projection)) - len(convo.MessagesOf(kept))
	switch {
	case !ok:
		t.streams.Warnf("%s: what is said now, and the newest part, need more than the %d tokens of --window less --reserve", t.session, t.window-t.reserve)
	case left > 0:
		t.streams.Warnf("%s: the oldest messages left out, %d of them: more than --window less --reserve", t.session, left)
	}
	return kept
}

// limit is how many tokens of the window are left for the session, perhaps less than 0.
func (t *turn) limit() int64 {
	limit := t.window - t.reserve - convo.Estimate(t.user)
	for _, m := range t.prompt {
		limit -= convo.Estimate(m)
	}
	return limit
}

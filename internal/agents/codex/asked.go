package codex

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Codex' commands take words of the user that no message has: a goal stands in an event, in what codex tells the model
// each time it goes on, and in an output without a call; the question of a review stands in an event alone.

// customReview is the type of the custom messages in which a model is told how a review ended.
const customReview = "codex:review"

// goalOutput is the name of the output that has the goal.
const goalOutput = "goal_objective"

// goal adds a goal as a message of the user, unless it is the one that is known. It reports whether it was another one.
func (c *conv) goal(l line, objective string) bool {
	if objective = strings.TrimSpace(objective); objective == "" || objective == c.objective {
		return false
	}
	c.objective = strings.Clone(objective)
	c.ask(l, "goal", objective)
	return true
}

// goalOf returns the goal of which codex reminds its model in a message, "" for any other message.
func goalOf(text string) string {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, `<codex_internal_context source="goal">`) && !strings.HasPrefix(text, "<goal_context>") {
		return ""
	}
	_, text, _ = strings.Cut(text, "<objective>")
	text, _, ok := strings.Cut(text, "</objective>")
	if !ok {
		return ""
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&").Replace(text)
}

// review adds the question of a review as a message of the user. No model of this conversation is asked it: it gets what another one found.
func (c *conv) review(l line, v js.Value) {
	text := v.Get("target", "instructions").Str()
	if hint := v.Get("user_facing_hint").Str(); text == "" && hint != "" {
		text = "/review " + hint
	}
	at := api.Int(l.offset)
	if c.ask(l, "review", cmp.Or(strings.TrimSpace(text), "/review")); c.stopped {
		return
	}
	c.taken(c.b.Add(c.place("review:"+at+":edit", l.time), session.TypeContextEdit, js.StringField("targetId", c.b.Leaf()), js.RawField("replacement", "null")))
	c.anchor = c.b.Leaf()
}

// ask adds a message of the user that no item has. Codex does not count it among the turns that it can go back before.
func (c *conv) ask(l line, what, words string) {
	if c.settleBefore(l); c.stopped {
		return
	}
	c.put(len(c.batch))
	c.emit(&pending{role: session.RoleUser, key: what + ":" + api.Int(l.offset), time: c.now, blocks: []string{api.Text(words)}})
	c.anchor, c.context = c.b.Leaf(), false
}

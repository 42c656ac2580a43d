package codex

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// A turn is a message of the user that codex can go back before.
type turn struct {
	cut  string // the last entry that stays
	prev *turn
}

// keptTokens is how much of the user's messages a compaction keeps.
const keptTokens = 20_000

// remember notes a message of the user for a compaction that does not name the messages it keeps.
// No more than can be kept is noted.
func (c *conv) remember(p *pending) {
	m := session.NewMessage(js.Object(js.StringField("role", session.RoleUser),
		js.RawField("content", api.Array(p.blocks...))))
	if _, ok := typed.CodexSummary(m.Text("")); ok {
		return
	}
	c.users = append(c.users[:len(c.users):len(c.users)], m)
	room := 4 * keptTokens
	for i := len(c.users) - 1; i >= 0; i-- {
		if room -= len(c.users[i].Raw()); room <= -4*keptTokens {
			c.users = c.users[i:]
			return
		}
	}
}

// compacted converts a compaction: what codex goes on with follows it as copies, and
// since the summary is one of them, an edit takes away what the compaction itself would
// say.
func (c *conv) compacted(l line) {
	c.settle()
	c.put(len(c.batch))
	key := strconv.FormatInt(l.offset, 10)
	message := l.payload.Get("message").Str()
	summary, _ := typed.CodexSummary(message)
	for raw := range l.payload.Get("replacement_history").Elements() {
		for _, p := range parts(raw.Get("content")) {
			if handed, ok := typed.CodexSummary(p.text.Str()); ok {
				summary = cmp.Or(summary, handed)
			}
		}
	}
	id := c.taken(c.b.Compaction(c.place(key, l.time), summary, "", c.tokens))
	edit := c.taken(c.b.Add(c.place(key+":edit", l.time), session.TypeContextEdit,
		js.StringField("targetId", id), js.RawField("replacement", "null")))
	if c.err != nil {
		return
	}
	if strings.TrimSpace(summary) == "" {
		c.lose(l, formats.KindContext, "a compaction whose summary is not in the file")
	}
	users := c.users
	c.copying = true
	c.turns, c.users, c.anchor, c.context = nil, nil, edit, false
	if history := l.payload.Get("replacement_history"); history.IsArray() {
		n := 0
		for raw := range history.Elements() {
			c.convert(l, itemOf(raw), key+":"+api.Int(int64(n)))
			n++
		}
		c.settle()
	} else {
		// The summary, and copies of the messages that an old compaction keeps.
		kept := append(convo.CodexKept(users, keptTokens), convo.CodexCopy{Message: session.NewTextMessage(session.RoleUser, message)})
		for i, copied := range kept {
			m := copied.Message
			p := &pending{role: session.RoleUser, key: key + ":" + api.Int(int64(i)), time: c.now}
			for b := range m.Blocks() {
				p.blocks = append(p.blocks, b.Raw())
			}
			c.turns = &turn{c.b.Leaf(), c.turns}
			c.emit(p)
			c.remember(p)
		}
		c.anchor = c.b.Leaf()
	}
	c.copying = false
	c.keep(l)
}

// rolledBack goes back before the last messages of the user.
func (c *conv) rolledBack(l line) {
	c.settle()
	c.put(len(c.batch))
	n, _ := api.Whole(l.payload.Get("num_turns"))
	t := c.turns
	if n > 0 && t != nil {
		for ; n > 1 && t.prev != nil; n-- {
			t = t.prev
		}
		leaf := c.b.Leaf()
		c.turns, c.jump, c.anchor, c.context = t.prev, t.cut, t.cut, false
		c.aside(customRollback, js.Object(js.StringField("leaf", leaf)), l, formats.KeptLine{Text: l.raw})
		return
	}
	c.keep(l)
}

// turnContext notes the model and how much it thinks.
func (c *conv) turnContext(l line) {
	model := l.payload.Get("model").Str()
	effort := l.payload.Get("effort").Str()
	key := api.Int(l.offset)
	if model != "" && model != c.model || effort != "" && effort != c.effort {
		c.flush()
		c.put(len(c.batch))
	}
	if model != "" && model != c.model {
		c.model = model
		c.taken(c.b.Add(c.place(key+":model", l.time), session.TypeModelChange,
			js.StringField("provider", c.provider), js.StringField("modelId", model)))
	}
	if effort != "" && effort != c.effort {
		c.effort = effort
		level := effort
		if effort == "none" {
			level = "off"
		}
		c.taken(c.b.Add(c.place(key+":effort", l.time), session.TypeThinkingLevel, js.StringField("thinkingLevel", level)))
	}
	c.keep(l)
}

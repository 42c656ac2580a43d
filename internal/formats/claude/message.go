package claude

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// reply adds a reply: all of its lines make one message.
func (c *conversion) reply(i int, at *slot) error {
	g := c.index.nodes[i].group
	lines := c.index.groups[g].lines
	var content, keeps []string
	var last line
	begun := int64(0)
	for _, k := range lines {
		l, text, err := c.line(k)
		if err != nil {
			return err
		}
		own := blocks(string(js.Value(l.message).Get("content")), c.lose(k))
		content = append(content, own...)
		keeps = append(keeps, kept(c.index.nodes[k].number, text, &l, []session.Message{formats.Assistant(own)}, true))
		if last = l; begun == 0 {
			begun = l.time()
		}
	}
	m := formats.Assistant(content, reply(&last)...)
	for _, call := range m.ToolCalls() {
		c.tools[call.ID] = call.Name
	}
	id, err := c.b.Message(c.place(lines[0], at.tail, begun), m)
	if err != nil {
		return err
	}
	tail, err := c.keep(lines[0], id, []string{id}, keeps...)
	if err != nil {
		return err
	}
	s := &slot{tail: tail, base: tail, group: g, answered: map[string]bool{}}
	for _, k := range lines {
		c.done(k, id, s)
	}
	return nil
}

// user adds what a user's line is: a summary, results of tools, or words.
func (c *conversion) user(i int, at *slot) error {
	l, text, err := c.line(i)
	if err != nil {
		return err
	}
	if l.compactSummary {
		return c.compaction(i, at, &l, text)
	}
	if l.notification && !l.hasResults() {
		return c.beside(i, at, &l, text, "task-notification", notice(&l))
	}
	n := &c.index.nodes[i]
	messages := said(&l, c.tools, c.lose(i))
	s := &slot{group: none}
	tail := at.tail
	if ids := resultIDs(messages); len(ids) > 0 && n.group != none && at.group == n.group {
		if slices.ContainsFunc(ids, func(id string) bool { return at.answered[id] }) {
			tail = at.base // the reply was gone on from once more
		} else {
			s = at
			for _, id := range ids {
				s.answered[id] = true
			}
		}
	}
	var of []string
	for k, m := range messages {
		p := c.place(i, tail, l.time())
		if k > 0 {
			p.ID, p.Key = "", n.uuid+" "+strconv.Itoa(k)
		}
		if tail, err = c.b.Message(p, m); err != nil {
			return err
		}
		of = append(of, tail)
	}
	if s.tail, err = c.keep(i, tail, of, kept(n.number, text, &l, messages, false)); err != nil {
		return err
	}
	c.done(i, of[0], s)
	return nil
}

// lineAlone adds a line of the tree that no model sees.
func (c *conversion) lineAlone(i int, at *slot, text string, l *line) error {
	id, err := c.keep(i, at.tail, nil, kept(c.index.nodes[i].number, text, l, nil, false))
	if err != nil {
		return err
	}
	c.done(i, id, &slot{tail: id, group: none})
	return nil
}

// other adds a line that is no message: what is shown to a model beside the
// messages, a boundary, or anything.
func (c *conversion) other(i int, at *slot) error {
	l, text, err := c.line(i)
	if err != nil {
		return err
	}
	m, ok := c.shown(&l)
	if !ok {
		if l.typ == "attachment" && !silent[js.Value(l.attachment).Get("type").Str()] && l.attachment != "" {
			if c.mute++; c.mute == 1 {
				c.muted = c.index.nodes[i].number
			}
		}
		if err := c.lineAlone(i, at, text, &l); err != nil {
			return err
		}
		if l.typ == "system" && l.subtype == "compact_boundary" {
			c.slots[i].boundary = boundaryOf(&l)
		}
		return nil
	}
	return c.beside(i, at, &l, text, l.typ, m)
}

// beside adds what a line shows a model beside what user and model say.
func (c *conversion) beside(i int, at *slot, l *line, text, typ, content string) error {
	id, err := c.b.Add(c.place(i, at.tail, l.time()), session.TypeCustomMessage,
		js.StringField("customType", "claude:"+typ), js.RawField("content", content),
		js.RawField("display", "false"))
	if err != nil {
		return err
	}
	s := &slot{group: none}
	if s.tail, err = c.keep(i, id, []string{id}, kept(c.index.nodes[i].number, text, l, nil, false)); err != nil {
		return err
	}
	c.done(i, id, s)
	return nil
}

// notice returns the blocks of what a background task says in a line of the user's: in a
// frame that tells a model that the user has not said it, as Claude Code sends it.
func notice(l *line) string {
	said := session.NewMessage(js.Object(js.StringField("role", "user"), js.RawField("content", cmp.Or(string(js.Value(l.message).Get("content")), "[]"))))
	return formats.Array(formats.Text("<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\n" + said.Text("\n") + "\n</system-reminder>"))
}

// silent are the attachments that no model is shown.
var silent = map[string]bool{"prompt_snapshot": true, "session_context": true}

// shown returns the blocks that a line beside the messages shows a model.
func (c *conversion) shown(l *line) (content string, ok bool) {
	switch {
	case strings.HasPrefix(l.rendered, "["):
		var out []string
		for r := range js.Elements(l.rendered) {
			out = append(out, blocks(string(js.Value(r).Get("content")), func(string, string, ...any) {})...)
		}
		return formats.Array(out...), len(out) > 0
	case l.typ == "attachment" && js.Value(l.attachment).Get("type").Str() == "queued_command":
		out := blocks(string(js.Value(l.attachment).Get("prompt")), func(string, string, ...any) {})
		return formats.Array(out...), len(out) > 0
	case l.typ == "system" && l.subtype == "local_command" && strings.HasPrefix(l.content, `"`):
		return formats.Array(formats.Text(js.Value(l.content).Str())), true
	}
	return "", false
}

package codex

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// item converts the item of a line, and keeps the line.
func (c *conv) item(l line, it item, key string) {
	el := &element{raw: l.raw}
	c.said(l, it, key, el)
	c.keep(l, el)
}

// said makes messages of an item.
func (c *conv) said(l line, it item, key string, el *element) {
	switch it.kind {
	case kindMessage:
		c.message(l, it, key, el)
	case kindAgentMessage:
		c.agentMessage(l, it, key, el)
	case kindReasoning:
		c.reasoning(l, it, key, el)
	case kindCall, kindCustomCall, kindShellCall:
		c.call(l, it, key, el)
	case kindOutput, kindCustomOutput:
		c.output(l, it, key, el)
	case "web_search_call", "image_generation_call", "tool_search_call", "tool_search_output":
		c.lose(l, formats.KindTool, "what the provider did by itself (%s), which no other model is shown", it.kind)
	case "compaction", "context_compaction", "compaction_summary":
		c.lose(l, formats.KindContext, "a summary that only the provider can read (%s)", it.kind)
	}
}

// add adds a block to a message, whose value is that of the slot.
func (el *element) add(p *pending, block string, at slot) {
	if !slices.Contains(el.owners, p) {
		el.owners = append(el.owners, p)
	}
	p.blocks = append(p.blocks, block)
	if at.kind != 0 {
		el.lifts = append(el.lifts, lift{at, p, len(p.blocks) - 1})
	}
}

// message converts a message of the user, of codex itself, or of the model.
func (c *conv) message(l line, it item, key string, el *element) {
	switch it.role {
	case "assistant":
		c.grown(it)
		p := c.assistant(key, true)
		c.content(l, it.content, p, el)
		if len(p.blocks) == 0 {
			el.add(p, text(`""`), slot{}) // codex sends it as well
		}
		return
	case "user", "developer":
	default:
		return // codex leaves them out
	}
	p := &pending{role: it.role, key: key, time: c.now}
	c.content(l, it.content, p, el)
	if len(p.blocks) == 0 {
		el.add(p, text(`""`), slot{})
	}
	context := it.role == "developer"
	if !context && fromCodex(l.raw, it.content) {
		context, p.custom = true, customContext
	}
	c.asked(l)
	c.put(len(c.batch))
	if !context {
		cut := c.b.Leaf()
		if c.context && c.turns != nil {
			cut = c.anchor
		}
		if c.jump != "" {
			cut = c.jump
		}
		c.turns = &turn{cut, c.turns}
	}
	c.emit(p)
	if context {
		c.context = true
		return
	}
	c.anchor, c.context = c.b.Leaf(), false
	c.remember(p)
}

// fromCodex reports whether a user message is one that codex itself has put in.
func fromCodex(raw string, content span) bool {
	for _, p := range parts(raw, content) {
		if p.text != (span{}) && compact.FromCodex(p.text.str(raw)) {
			return true
		}
	}
	return false
}

// content adds the blocks of a content.
func (c *conv) content(l line, content span, p *pending, el *element) {
	for _, part := range parts(l.raw, content) {
		switch {
		case part.kind == "input_image":
			lit := literal(l.raw, part.image)
			media, data, ok := dataURL(lit)
			switch {
			case ok:
				el.add(p, formats.Image(media, data), slot{part.image, slotImage})
			case strings.HasPrefix(lit, `"data:`):
				media, data, _ = formats.DataURL(js.Unquote(lit))
				el.add(p, formats.Image(media, data), slot{})
			default:
				c.lose(l, formats.KindMedia, "an image that is but an address, which no model will be shown")
			}
		case part.text.first(l.raw) == '"':
			el.add(p, text(part.text.in(l.raw)), slot{part.text, slotText})
		default:
			c.lose(l, formats.KindMedia, "content of type %q, which no model will be shown", part.kind)
		}
	}
}

// agentMessage converts what another agent has said.
func (c *conv) agentMessage(l line, it item, key string, el *element) {
	p := &pending{role: session.RoleCustom, custom: "codex:agent_message", key: key, time: c.now}
	c.content(l, it.content, p, el)
	if len(p.blocks) == 0 {
		return
	}
	c.settle()
	c.put(len(c.batch))
	c.emit(p)
	c.context = true
}

// reasoning converts thinking. As pi has it, the item is the signature.
func (c *conv) reasoning(l line, it item, key string, el *element) {
	c.grown(it)
	var texts []string
	for _, part := range parts(l.raw, it.summary) {
		texts = append(texts, part.text.str(l.raw))
	}
	if len(texts) == 0 {
		for _, part := range parts(l.raw, it.content) {
			texts = append(texts, part.text.str(l.raw))
		}
	}
	at := slot{it.span, slotReasoning}
	if l.bare() {
		at = slot{}
	}
	el.add(c.assistant(key, false), formats.Thinking(strings.Join(texts, "\n\n"), it.in(l.raw)), at)
}

// call converts a tool call.
func (c *conv) call(l line, it item, key string, el *element) {
	c.grown(it)
	name, arguments, at := it.name, "", slot{}
	switch it.kind {
	case kindShellCall:
		name = "local_shell"
		if arguments = "{}"; it.action.first(l.raw) == '{' {
			arguments, at = it.action.in(l.raw), slot{it.action, slotAction}
		}
	case kindCustomCall:
		arguments = `{"input":` + literal(l.raw, it.input) + "}"
		if it.input.first(l.raw) == '"' {
			at = slot{it.input, slotInput}
		}
	default:
		lit := literal(l.raw, it.arguments)
		given := js.Unquote(lit)
		if strings.HasPrefix(given, "{") && js.Valid([]byte(given)) {
			if arguments = formats.Compact(given); arguments == given && js.Quote(given) == lit {
				at = slot{it.arguments, slotArguments}
			}
		} else {
			arguments = `{"input":` + lit + "}"
		}
	}
	p := c.assistant(key, false)
	el.add(p, formats.ToolCall(it.callID, name, arguments), at)
	p.calls = append(p.calls, &call{id: it.callID, name: name, message: p})
}

// output converts the result of a call.
func (c *conv) output(l line, it item, key string, el *element) {
	p := &pending{role: session.RoleToolResult, callID: it.callID, key: key, time: c.now}
	switch it.output.first(l.raw) {
	case '"':
		el.add(p, text(it.output.in(l.raw)), slot{it.output, slotText})
	case '[':
		c.content(l, it.output, p, el)
	default: // codex cannot read it, so there is none
		p.blocks, p.failed, p.made = []string{formats.Text("aborted")}, true, true
	}
	c.grown(it)
	if !c.answer(it.callID, p) {
		el.lifts, el.owners = nil, nil // codex drops it
	}
}

// grown counts what is held back.
func (c *conv) grown(it item) {
	if c.x != nil {
		c.x.size += it.end - it.start
	}
}

package codex

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
)

// An item is an item of the response API, as a line or the history of a compaction
// has it.
type item struct {
	span
	kind, role, name, callID string

	content, output, arguments, input, action, summary span
}

func itemAt(raw string, at span) item {
	it := item{span: at}
	members(raw, at, func(key string, v span) {
		switch key {
		case `"type"`:
			it.kind = v.str(raw)
		case `"role"`:
			it.role = v.str(raw)
		case `"name"`:
			it.name = v.str(raw)
		case `"call_id"`:
			it.callID = v.str(raw)
		case `"content"`:
			it.content = v
		case `"output"`:
			it.output = v
		case `"arguments"`:
			it.arguments = v
		case `"input"`:
			it.input = v
		case `"action"`:
			it.action = v
		case `"summary"`:
			it.summary = v
		}
	})
	return it
}

// Kinds of items.
const (
	kindMessage      = "message"
	kindAgentMessage = "agent_message"
	kindReasoning    = "reasoning"
	kindCall         = "function_call"
	kindCustomCall   = "custom_tool_call"
	kindShellCall    = "local_shell_call"
	kindOutput       = "function_call_output"
	kindCustomOutput = "custom_tool_call_output"
)

// A part is one element of a content.
type part struct {
	kind        string
	text, image span
}

func parts(raw string, content span) []part {
	var out []part
	for at := range elements(raw, content) {
		var p part
		members(raw, at, func(key string, v span) {
			switch key {
			case `"type"`:
				p.kind = v.str(raw)
			case `"text"`:
				p.text = v
			case `"image_url"`:
				p.image = v
			}
		})
		out = append(out, p)
	}
	return out
}

// A slot is a place in a line whose value may live in a message instead.
type slot struct {
	span
	kind byte
}

// Kinds of slots, by what the value is made of.
const (
	slotText      = 't' // the text of a block
	slotImage     = 'm' // a data URL: of media type and data of an image
	slotArguments = 'a' // a text: the arguments of a call
	slotInput     = 'i' // the argument called input
	slotAction    = 'x' // the arguments of a call
	slotReasoning = 'r' // a whole item: the signature of thinking
)

// slots returns the slots of a line in the order in which they stand in it, or would
// stand if they had their values.
func (l line) slots() []slot {
	switch l.typ {
	case typeItem:
		return itemSlots(l.raw, l.payload, nil)
	case typeCompacted:
		var out []slot
		for at := range elements(l.raw, l.history()) {
			out = itemSlots(l.raw, at, out)
		}
		return out
	}
	return nil
}

func itemSlots(raw string, at span, out []slot) []slot {
	if isPlaceholder(raw, at) {
		return append(out, slot{at, slotReasoning})
	}
	it := itemAt(raw, at)
	add := func(s span, kind byte) {
		if s != (span{}) {
			out = append(out, slot{s, kind})
		}
	}
	content := it.content
	switch it.kind {
	case kindReasoning:
		add(at, slotReasoning)
		return out
	case kindCall:
		add(it.arguments, slotArguments)
		return out
	case kindCustomCall:
		add(it.input, slotInput)
		return out
	case kindShellCall:
		add(it.action, slotAction)
		return out
	case kindOutput, kindCustomOutput:
		if content = it.output; content.first(raw) != '[' {
			add(content, slotText)
			return out
		}
	case kindMessage, kindAgentMessage:
	default:
		return out
	}
	for _, p := range parts(raw, content) {
		first, second := slot{p.text, slotText}, slot{p.image, slotImage}
		if second.start < first.start {
			first, second = second, first
		}
		add(first.span, first.kind)
		add(second.span, second.kind)
	}
	return out
}

// isPlaceholder reports whether the value is what stands in a slot that is empty.
func isPlaceholder(raw string, at span) bool { return at.in(raw) == placeholder }

const placeholder = "0"

// dataURL returns the media type and the data of an image, as literals, if those
// make up its address again byte for byte.
func dataURL(literal string) (media, data string, ok bool) {
	url := js.Unquote(literal)
	media, data, ok = formats.DataURL(url)
	return media, data, ok && js.Quote(url) == literal && formats.FormatDataURL(media, data) == url
}

// A lift says that the value of a slot is in a block of a message.
type lift struct {
	slot
	owner *pending
	block int
}

// An element is a line on its way into a custom entry: an object as it is, or an array
// of the line with placeholders, a reference "ENTRY/BLOCK" for each of them, and the ids of
// further entries that the line stands for. A rollback names the last entry of what it
// abandons.
type element struct {
	raw    string
	lifts  []lift
	owners []*pending
	ids    []string
}

// write writes the JSON text of the element, after its owners have been added.
func (el *element) write(b *strings.Builder, l line) {
	if len(el.lifts) == 0 && len(el.owners) == 0 && len(el.ids) == 0 {
		b.WriteString(el.raw)
		return
	}
	if el.clashes(l) {
		el.lifts = nil
	}
	b.WriteByte('[')
	at := 0
	for _, lf := range el.lifts {
		b.WriteString(el.raw[at:lf.start])
		b.WriteString(placeholder)
		at = lf.end
	}
	b.WriteString(el.raw[at:])
	var lifted []*pending
	for _, lf := range el.lifts {
		owner, block := lf.owner.place(lf.block)
		lifted = append(lifted, owner)
		b.WriteString(`,"` + owner.id + "/" + strconv.Itoa(block) + `"`)
	}
	for _, p := range el.owners {
		if owner, _ := p.place(0); !slices.Contains(lifted, owner) {
			lifted = append(lifted, owner)
			el.ids = append(el.ids, owner.id)
		}
	}
	for _, id := range el.ids {
		b.WriteString(`,"` + id + `"`)
	}
	b.WriteByte(']')
}

// clashes reports whether the line has in some slot what would be taken for a
// placeholder.
func (el *element) clashes(l line) bool {
	for _, s := range l.slots() {
		if isPlaceholder(el.raw, s.span) {
			return true
		}
	}
	return false
}

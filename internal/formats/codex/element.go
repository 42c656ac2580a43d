package codex

import (
	"slices"
	"strconv"
	"strings"
)

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

package claude

import (
	"cmp"
	"strconv"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
)

// A boundary is the line in front of a summary.
type boundary struct {
	head, tail string // uuids of the first and last line kept in sight, "" for none
	tokens     int64
}

func boundaryOf(l *line) *boundary {
	b := &boundary{}
	b.tokens, _ = strconv.ParseInt(string(js.Value(l.compacted).Get("preTokens")), 10, 64)
	segment := string(js.Value(l.compacted).Get("preservedSegment"))
	b.head = js.Value(segment).Get("headUuid").Str()
	b.tail = js.Value(segment).Get("tailUuid").Str()
	if b.head != "" {
		return b
	}
	list := string(js.Value(l.compacted).Get("preservedMessages"))
	for id := range js.Elements(cmp.Or(string(js.Value(list).Get("uuids")), "[]")) {
		b.head, b.tail = cmp.Or(b.head, js.Value(id).Str()), js.Value(id).Str()
	}
	return b
}

// compaction adds a compaction: the summary that a boundary was followed by.
func (c *conversion) compaction(i int, at *slot, l *line, text string) error {
	n := &c.index.nodes[i]
	b := cmp.Or(at.boundary, &boundary{})
	firstKept, relink := c.preserved(i, b)
	messages := said(l, c.tools, c.lose(i))
	id, err := c.b.Compaction(c.place(i, at.tail, l.time()), trimmed(messages[0]), firstKept, b.tokens)
	if err != nil {
		return err
	}
	s := &slot{group: none}
	if s.tail, err = c.keep(i, id, []string{id}, kept(n.number, text, l, nil, false)); err != nil {
		return err
	}
	c.done(i, id, s)
	if relink != none {
		c.slots[relink] = s // what hangs from the last message kept comes behind the summary
	}
	return nil
}

// preserved returns the entry from which on a compaction keeps what was before it,
// "" for none, and the node of the last message it keeps.
func (c *conversion) preserved(i int, b *boundary) (firstKept string, last int) {
	if b.head == "" {
		return "", none
	}
	head, ok := c.index.byUUID[b.head]
	tail, tok := c.index.byUUID[b.tail]
	if !ok || !tok || c.ids[head] == "" || !c.index.above(head, i) || !c.index.above(head, tail) || !c.b.Known(c.ids[head]) {
		c.lose(i)(formats.KindContext, "messages that the compaction kept are not in front of it, and are out of sight")
		return "", none
	}
	if !c.index.above(tail, i) {
		tail = none
	}
	return c.ids[head], tail
}

package codex

import (
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// place says where the next entry stands.
func (c *conv) place(key string, at int64) formats.Place {
	p := formats.Place{Key: c.rollout + ":" + key, Time: at, Parent: c.jump, Root: c.root}
	c.jump, c.root = "", false
	return p
}

// add adds an entry of a type, with its members as JSON text, and returns its id. It
// is [formats.Builder.Add] for what needs no checking, and is most of what there is.
func (c *conv) add(typ, key string, at int64, size int, members func(*strings.Builder)) string {
	if c.err != nil {
		return ""
	}
	p := c.place(key, at)
	id := formats.EntryID(c.b.Known, c.session, "key", p.Key)
	parent := "null"
	switch {
	case p.Parent != "":
		parent = `"` + p.Parent + `"`
	case !p.Root && c.b.Leaf() != "":
		parent = `"` + c.b.Leaf() + `"`
	}
	if at == 0 {
		at = c.at
	}
	c.at = at
	var b strings.Builder
	b.Grow(size + 160)
	place := `"id":"` + id + `","parentId":` + parent + `,"timestamp":"` + js.FormatTime(at) + `"`
	b.WriteString(`{"type":"` + typ + `",`)
	if typ == session.TypeMessage {
		b.WriteString(place + ",")
		members(&b)
	} else { // as pi writes them
		members(&b)
		b.WriteString("," + place)
	}
	b.WriteByte('}')
	e, err := session.ParseEntry(b.String())
	if err == nil {
		err = c.b.Entry(e)
	}
	return c.taken(id, err)
}

// taken keeps the first error.
func (c *conv) taken(id string, err error) string {
	if c.err == nil {
		c.err = err
	}
	return id
}

// put adds an entry with the first n lines of the batch.
func (c *conv) put(n int) {
	if n == 0 || c.err != nil {
		return
	}
	first := c.lines[0]
	c.add(session.TypeCustom, "lines:"+formats.Int(first.offset), first.time, c.size, func(b *strings.Builder) {
		b.WriteString(`"customType":"codex:` + customLines + `","data":[`)
		for i, el := range c.batch[:n] {
			if i > 0 {
				b.WriteByte(',')
			}
			el.write(b, c.lines[i])
		}
		b.WriteByte(']')
	})
	rest := copy(c.batch, c.batch[n:])
	copy(c.lines, c.lines[n:])
	clear(c.batch[rest:])
	clear(c.lines[rest:])
	c.batch, c.lines, c.size = c.batch[:rest], c.lines[:rest], 0
	for _, el := range c.batch {
		c.size += len(el.raw)
	}
}

// keep adds a line to the batch.
func (c *conv) keep(l line, el *element) {
	c.batch, c.lines = append(c.batch, el), append(c.lines, l)
	if c.size += len(l.raw); c.size < maxBatch {
		return
	}
	if c.x != nil {
		c.put(c.x.mark)
		c.x.mark = 0
		return
	}
	c.put(len(c.batch))
}

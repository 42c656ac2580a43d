package codex

import (
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/session"
)

// A pending is a message that is not yet an entry.
type pending struct {
	role    string
	custom  string // type of a custom message
	key     string
	time    int64
	blocks  []string
	calls   []*call
	callID  string // of a result
	tool    string
	failed  bool
	made    bool // nothing in the source: put in for a call that was not answered
	usage   string
	id      string // of its entry, once it is one
	into    *pending
	shifted int
}

// place returns where a block has gone.
func (p *pending) place(block int) (*pending, int) {
	if p.into != nil {
		return p.into, block + p.shifted
	}
	return p, block
}

// A call is a tool call, and whether it has its result.
type call struct {
	id, name string
	message  *pending
	answered bool
}

// An exchange is what the model said in one response, and the results of its calls,
// as far as they have come. It is held back until it is clear what belongs to it.
type exchange struct {
	mark     int // elements before it
	messages []*pending
	sealed   bool // the response is over
	size     int  // in bytes
}

// maxExchange bounds what is held back, in bytes.
const maxExchange = 16 << 20

// assistant returns the message that a block of an assistant belongs to.
func (c *conv) assistant(key string, text bool) *pending {
	if x := c.x; x != nil && (x.sealed || x.size > maxExchange) {
		c.x = nil
		c.flushed(x)
	}
	if c.x == nil {
		c.x = &exchange{mark: len(c.batch)}
	}
	x := c.x
	if n := len(x.messages); n > 0 {
		last := x.messages[n-1]
		if !text || !spoken(last) && len(last.calls) == 0 {
			return last
		}
	}
	p := &pending{role: session.RoleAssistant, key: key, time: c.now}
	x.messages = append(x.messages, p)
	return p
}

// spoken reports whether the message has a text.
func spoken(p *pending) bool {
	for _, b := range p.blocks {
		if strings.HasPrefix(b, textHead) {
			return true
		}
	}
	return false
}

// answer adds a result to the exchange. ok is false for one without a call, which
// codex drops.
func (c *conv) answer(id string, result *pending) (ok bool) {
	if c.x != nil {
		for _, m := range c.x.messages {
			for _, cl := range m.calls {
				if cl.id == id && !cl.answered {
					cl.answered = true
					result.tool = cl.name
					c.x.sealed = true
					c.x.gather(m)
					c.x.messages = append(c.x.messages, result)
					return true
				}
			}
		}
	}
	cl := c.waiting[id]
	if cl == nil {
		return false
	}
	delete(c.waiting, id)
	c.flush()
	result.tool = cl.name
	c.x = &exchange{mark: len(c.batch), messages: []*pending{result}, sealed: true}
	return true
}

// gather puts into the message with a call what the model said behind it, before the
// result comes.
func (x *exchange) gather(m *pending) {
	at := -1
	for i, other := range x.messages {
		switch {
		case other == m:
			at = i
		case at >= 0 && other.role == session.RoleAssistant && other.into == nil:
			other.into, other.shifted = m, len(m.blocks)
			m.blocks = append(m.blocks, other.blocks...)
			m.calls = append(m.calls, other.calls...)
		}
	}
	kept := x.messages[:0]
	for _, other := range x.messages {
		if other.into == nil {
			kept = append(kept, other)
		}
	}
	x.messages = kept
}

// flush makes entries of the exchange. Calls without result may still get one.
func (c *conv) flush() {
	if x := c.x; x != nil {
		c.x = nil
		c.flushed(x)
	}
}

// asked is settle before a message of the user: but a result may come behind it, and
// then codex sends it.
func (c *conv) asked(l line) {
	c.flush()
	for _, cl := range c.order {
		if c.waiting[cl.id] == cl && c.late()[cl.id] > l.offset {
			return
		}
	}
	c.settle()
}

// settle is flush where no result can come any more: codex says that such a call was
// aborted.
func (c *conv) settle() {
	if x := c.x; x != nil {
		c.x = nil
		var messages []*pending
		for _, m := range x.messages {
			messages = append(messages, m)
			for _, cl := range m.calls {
				if !cl.answered {
					cl.answered = true
					messages = append(messages, c.aborted(cl))
				}
			}
		}
		x.messages = messages
		c.flushed(x)
	}
	if len(c.waiting) == 0 {
		c.order = nil
		return
	}
	for _, cl := range c.order {
		if c.waiting[cl.id] == cl {
			c.emit(c.aborted(cl))
		}
	}
	c.waiting, c.order = map[string]*call{}, nil
}

func (c *conv) aborted(cl *call) *pending {
	return &pending{
		role: session.RoleToolResult, callID: cl.id, tool: cl.name, key: cl.message.key + ":" + cl.id, time: c.now,
		blocks: []string{formats.Text("aborted")}, failed: true, made: true,
	}
}

func (c *conv) flushed(x *exchange) {
	c.put(x.mark)
	for _, m := range x.messages {
		c.emit(m)
		for _, cl := range m.calls {
			if !cl.answered {
				c.waiting[cl.id] = cl
				c.order = append(c.order, cl)
			}
		}
	}
	c.anchor, c.context = c.b.Leaf(), false
}

// counted gives the exchange the usage of its response.
func (c *conv) counted(raw string, usage span) {
	u := usageOf(raw, usage)
	if u.total > 0 {
		c.tokens = u.total
	}
	if c.x == nil {
		return
	}
	for i := len(c.x.messages) - 1; i >= 0; i-- {
		if m := c.x.messages[i]; m.role == session.RoleAssistant {
			if m.usage == "" && u != (counts{}) {
				m.usage = u.text()
			}
			break
		}
	}
	c.x.sealed = true
}

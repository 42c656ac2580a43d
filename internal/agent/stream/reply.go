package stream

import (
	"cmp"

	"github.com/sess-tools/sess/internal/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A reply is a message of an assistant that is being said, with the results of its
// calls. Results are recorded in the order of the calls.
type reply struct {
	rec     *recorder
	blocks  []string
	size    int               // of the blocks, in bytes
	cut     bool              // there were more
	at      int64             // when it began, in milliseconds since the epoch
	calls   []string          // ids
	tools   map[string]string // ids of calls to the tools called
	results map[string]result
	written *Item // the message, once it is recorded
	next    int   // call whose result is recorded next
}

type result struct {
	message session.Message
	at      int64
}

// add adds blocks, as far as a message may have them.
func (p *reply) add(at int64, blocks ...string) {
	if len(p.blocks) == 0 {
		p.at = at
	}
	for _, b := range blocks {
		if p.size += len(b) + overhead; p.size > maxValue {
			if !p.cut {
				p.rec.problem("a message of more than %d bytes is cut", maxValue)
			}
			p.cut = true
			return
		}
		p.blocks = append(p.blocks, b)
		if block := session.NewBlock(b); block.Type == session.BlockToolCall {
			if p.tools == nil {
				p.tools, p.results = map[string]string{}, map[string]result{}
			}
			p.calls = append(p.calls, block.Str("id"))
			p.tools[block.Str("id")] = block.Str("name")
		}
	}
}

// answer takes the result of a call. ok is false if the reply does not have that call, or
// has its result.
func (p *reply) answer(m session.Message, at int64) (ok bool) {
	id := m.Str("toolCallId")
	if _, called := p.tools[id]; !called {
		return false
	}
	if _, twice := p.results[id]; twice {
		return false
	}
	p.results[id] = result{m, at}
	if p.written != nil {
		p.release(false)
	}
	return true
}

// tool returns the name of the tool that a call calls.
func (p *reply) tool(id string) string { return cmp.Or(p.tools[id], "unknown") }

// answered reports whether all calls have their results, and there are some.
func (p *reply) answered() bool { return len(p.calls) > 0 && len(p.results) == len(p.calls) }

// write records the message; fields are what it has beside its blocks. What it waits for
// afterwards are the results.
func (p *reply) write(fields ...js.Field) {
	if p.written == nil {
		p.written = p.rec.message(api.Assistant(p.blocks, fields...), p.at)
		p.release(false)
	}
}

// release records results as long as the next one is there, or all of them.
func (p *reply) release(all bool) {
	for ; p.next < len(p.calls); p.next++ {
		r, there := p.results[p.calls[p.next]]
		if !there && !all {
			return
		}
		if there {
			p.rec.message(r.message, r.at)
		}
	}
}

// close records what was not recorded, and begins anew. A call without a result stays
// without one.
func (p *reply) close(fields ...js.Field) {
	if len(p.blocks) > 0 {
		p.write(fields...)
		p.release(true)
	}
	*p = reply{rec: p.rec}
}

// stopOf returns why a reply ended: for the sake of its calls, or for no reason of its own.
func (p *reply) stopOf() string {
	if len(p.calls) > 0 {
		return "toolUse"
	}
	return "stop"
}

// fail returns the fields of a reply that ended in an error.
func fail(text string) []js.Field {
	return []js.Field{js.StringField("stopReason", "error"), api.Str("errorMessage", text)}
}

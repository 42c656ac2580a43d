package check

import (
	"hash/maphash"
	"io"

	"github.com/sess-tools/sess/internal/index"
	"github.com/sess-tools/sess/pkg/session"
)

// Sound reports whether a session is one of which Check, without blobs, finds
// nothing: one branch, and nothing wrong. It reads r until it knows, in a tenth of
// the memory that finding something takes. False may be wrong: Check decides.
func Sound(r io.Reader) (bool, error) {
	c := chain{seed: maphash.MakeSeed(), targets: map[uint64]int{}, calls: map[uint64]struct{}{}}
	clean, err := session.EachOutline(r, c.goesOn)
	return clean && len(c.calls) == 0 && !index.Repeats(c.ids) && c.known(), err
}

// A chain is entries of which each hangs from the one before it. Of what it has
// seen it keeps hashes: of two things with one hash it says that something is
// wrong, which a closer look will deny.
type chain struct {
	seed    maphash.Seed
	ids     []uint64
	last    string              // id of the entry above
	time    int64               // the latest, in milliseconds since the epoch
	targets map[uint64]int      // ids that are spoken of, and how many of all ids they must be among
	calls   map[uint64]struct{} // tool calls without a result so far
}

func (c *chain) hash(id string) uint64 { return maphash.String(c.seed, id) }

// goesOn adds an entry; it returns false if there may be something to say of it.
func (c *chain) goesOn(e session.Entry) bool {
	if e.ID() == "" || e.ParentID() != c.last {
		return false
	}
	c.last = e.ID()
	c.ids = append(c.ids, c.hash(c.last))
	if ms, ok := e.Timestamp(); ok {
		if ms < c.time {
			return false
		}
		c.time = ms
	}
	switch e.Type() {
	case session.TypeLabel, session.TypeContextEdit:
		c.speaksOf(e.Str("targetId"))
	case session.TypeCompaction:
		c.speaksOf(e.Str("firstKeptEntryId"))
	}
	m, ok := e.Message()
	return !ok || m.Foreign() == "" && c.pairs(m)
}

// speaksOf says that the newest entry speaks of one that has to be there by now.
func (c *chain) speaksOf(id string) {
	h := c.hash(id)
	if _, before := c.targets[h]; !before {
		c.targets[h] = len(c.ids)
	}
}

// known reports whether all entries that are spoken of are there, in time. It is
// asked once, since a table of all ids would take longer than reading them.
func (c *chain) known() bool {
	if len(c.targets) == 0 {
		return true
	}
	for i, id := range c.ids {
		if among, ok := c.targets[id]; ok && i < among {
			delete(c.targets, id)
		}
	}
	return len(c.targets) == 0
}

// pairs reports whether a message that is a tool's result answers a call that
// waits for it, and remembers the calls that it makes.
func (c *chain) pairs(m session.Message) bool {
	if m.Role() == session.RoleToolResult {
		call := c.hash(m.Str("toolCallId"))
		if _, waits := c.calls[call]; !waits {
			return false
		}
		delete(c.calls, call)
	}
	for _, call := range m.ToolCalls() {
		c.calls[c.hash(call.ID)] = struct{}{}
	}
	return true
}

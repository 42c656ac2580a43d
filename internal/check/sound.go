package check

import (
	"io"
	"maps"
	"slices"

	"github.com/sess-tools/sess/pkg/session"
)

// Sound reports whether a session is one of which Check, without blobs, finds
// nothing: one branch, and nothing wrong. It reads r until it knows, in a tenth of
// the memory that finding something takes. False may be wrong: Check decides.
func Sound(r io.Reader) (bool, error) {
	c := chain{tree: session.NewSkeleton(0), targets: map[string]int{}, calls: map[string]struct{}{}}
	clean, err := session.EachOutline(r, c.goesOn)
	return clean && len(c.calls) == 0 && !c.tree.Repeats() && c.known(), err
}

// A chain is entries of which each hangs from the one before it.
type chain struct {
	tree    *session.Skeleton
	time    int64               // the latest, in milliseconds since the epoch
	targets map[string]int      // ids that are spoken of, and how many entries there were then
	calls   map[string]struct{} // tool calls without a result so far
}

// goesOn adds an entry; it returns false if there may be something to say of it.
func (c *chain) goesOn(e session.Entry) bool {
	if c.tree.AddEntry(e); e.ID() == "" || !c.tree.IsChain() {
		return false
	}
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
	if _, before := c.targets[id]; !before {
		c.targets[id] = c.tree.Len()
	}
}

// known reports whether all entries that are spoken of are there, in time. It is
// asked once, since a table of all ids would take longer than reading them.
func (c *chain) known() bool {
	ids := slices.Collect(maps.Keys(c.targets))
	for i, n := range c.tree.FindAll(ids) {
		if n < 0 || n >= c.targets[ids[i]] {
			return false
		}
	}
	return true
}

// pairs reports whether a message that is a tool's result answers a call that
// waits for it, and remembers the calls that it makes.
func (c *chain) pairs(m session.Message) bool {
	if m.Role() == session.RoleToolResult {
		call := m.Str("toolCallId")
		if _, waits := c.calls[call]; !waits {
			return false
		}
		delete(c.calls, call)
	}
	for _, call := range m.ToolCalls() {
		c.calls[call.ID] = struct{}{}
	}
	return true
}

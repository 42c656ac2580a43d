package usage

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"path"
	"strings"

	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

// A Call is a call of a model.
type Call struct {
	ID        string // of the entry
	Time      int64  // milliseconds since the epoch
	Timed     bool   // the entry says when it was made; else Time is that of its session
	Provider  string
	Model     string
	Purpose   string         // Reply, Compaction, BranchSummary, Tool, Side or Side with ":" and a kind
	Stop      string         // why a reply ended, "" if it does not say
	Price     metering.Price // what decides its price beside the model and the tokens
	Abandoned bool           // not on the path to the leaf; known if the tree was read
	Tokens    prices.Tokens
	Stored    prices.Money // what the entry says it cost
	Billed    bool         // Stored is what the provider asked for, even if it is 0
	Bad       bool         // a counter or the cost is no count: it was taken for 0
	Mismatch  bool         // the total that is stored is not the sum of its parts

	agents   []agentRun // of a tool's result, those that it sums up and that name their sessions
	line     int        // in its session
	response string     // the id that the API gave the reply
	thread   string     // the session that made it, "" for the one it stands in
	payload  uint64     // a hash of what was said and counted, 0 if it is not asked for
}

// An agentRun is an agent that a tool started: the file of its session and its usage, as the result of the call says.
type agentRun struct {
	file   string
	tokens prices.Tokens
	cost   prices.Money
}

// request is what tells a reply from others of its session: "" if nothing does.
func (c *Call) request() string {
	if c.response == "" || c.thread == "" {
		return c.response
	}
	return c.response + "\x00" + c.thread
}

// empty reports whether a usage says nothing.
func (c *Call) empty() bool { return c.Tokens.Total() == 0 && c.Stored == 0 && !c.Billed && !c.Bad }

// Silent reports whether nothing says what the call used, though it has an answer.
func (c *Call) Silent() bool { return c.Purpose == Reply && c.empty() }

// unanswered reports whether a reply was aborted or failed and says nothing of tokens or a cost: it is no call. Perhaps no
// model was asked, and what an interrupted one counted stands in the replies before.
func (c *Call) unanswered() bool {
	return c.Purpose == Reply && c.empty() && c.Price.Unknown == "" && c.Price.Searches == 0 && (c.Stop == "error" || c.Stop == "aborted")
}

// IsTotal reports whether it is no call, but a usage that only says what total its source has.
func (c *Call) IsTotal() bool { return c.Price.Parts > 0 && c.Tokens.Total() == 0 }

// The purposes of calls.
const (
	Reply         = "reply"
	Compaction    = "compaction"
	BranchSummary = "branch-summary"
	Side          = "side"
	Tool          = Side + ":tool" // what calls of models used that a tool made, as its result says
	Rest          = Side + ":rest" // what a total counts and no reply said
)

// A Session is where calls stand.
type Session struct {
	Name          string // by which it is found as the parent of another
	Operand, Path string // what other tools take for it, and its file; "" if there is none
	ID            string
	Parent        string // the session it was forked from, by its path or id, "" for none
	CWD           string
	Agent         string // whose it is, "" for ours
	Origin        session.Origin
	Time          int64 // when it was begun, in milliseconds since the epoch
	Timed         bool  // its header says so
}

// key identifies a call: the first 16 bytes of a SHA-256. It is the same in every process, and two different calls
// cannot be made to have the same one.
type key [2]uint64

// identity returns what identifies a call.
//
// Where an API gave the reply an id, that is its identity, with the model, the time and what was counted before
// the first word: the agent claude writes a reply while it comes in, also into the sessions that go on from it, so
// the output may have grown. The id alone would not do: gateways hand on numbers of three digits. A record of codex names the
// session that made the request, whatever file it stands in, and its copies have other times. Forks of opencode
// do not name their origin and have other ids: words, time and counts are the same. An entry of a version 1
// session has no id but its position: its purpose and model stand for it.
func (c *Call) identity(s *Session) key {
	b := make([]byte, 0, 128)
	switch {
	case c.response != "" && s.Agent == "codex":
		b = append(append(append(append(append(b, "codex\x00"...), cmp.Or(c.thread, s.ID)...), 0), c.response...), 0)
		return hashed(c.appendUsage(append(b, 0)))
	case c.response != "" && c.Timed && !byPayload(s.Agent):
		b = append(append(append(append(append(b, "reply\x00"...), c.response...), 0), c.Model...), 0)
		for _, n := range [...]int64{c.Time, c.Tokens.Input, c.Tokens.CacheRead, c.Tokens.CacheWrite} {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
		return hashed(b)
	case s.Agent == "opencode" && c.Timed:
		b = binary.LittleEndian.AppendUint64(append(b, "opencode\x00"...), uint64(c.Time))
		return hashed(binary.LittleEndian.AppendUint64(b, c.payload))
	}
	id := c.ID
	if isPosition(id) {
		id = c.Purpose + "\x00" + c.Model
	}
	b = append(append(b, id...), 0)
	if !c.Timed {
		// Time is that of the session, which a copy does not share. The id is left, or
		// nothing that could be compared.
		if c.ID == "" || id != c.ID {
			b = append(append(append(append(b, s.ID...), 0), c.ID...), 0)
			b = binary.LittleEndian.AppendUint64(b, uint64(c.line))
		}
		return hashed(c.appendUsage(append(b, "untimed"...)))
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(c.Time))
	return hashed(c.appendUsage(b))
}

// appendUsage appends the counters of a call.
func (c *Call) appendUsage(b []byte) []byte {
	t := c.Tokens
	for _, n := range [...]int64{t.Input, t.Output, t.CacheRead, t.CacheWrite, t.CacheWrite1h, t.Reasoning, t.Unsplit, int64(c.Stored)} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

func hashed(b []byte) key {
	sum := sha256.Sum256(b)
	return key{binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])}
}

// isPosition reports whether an id is, or may be, the position of an entry in a session
// of version 1, which gets such ids when it is read and when it is made one of version 3.
func isPosition(id string) bool { return id == "" || len(id) == 8 && strings.HasPrefix(id, "000") }

// A node is a session among those of an agent, wherever its file is now.
type node struct{ agent, id string }

func (s *Session) node() node { return node{s.Agent, s.ID} }

// A lineage knows which sessions descend from which.
type lineage struct {
	parents map[node]node
}

// newLineage finds the parents of sessions. What a session has for its parent is an id or
// the path that the parent had once: the end of a file's name is the id.
func newLineage(sessions []Session) *lineage {
	ids := map[node]string{} // by the base of a name
	for i := range sessions {
		s := &sessions[i]
		own, _, _ := s.Names()
		ids[node{s.Agent, own}] = s.ID
	}
	kin := &lineage{parents: map[node]node{}}
	for i := range sessions {
		s := &sessions[i]
		if s.Parent == "" {
			continue
		}
		_, name, id := s.Names()
		if known, ok := ids[node{s.Agent, name}]; ok {
			id = known
		}
		if parent := (node{s.Agent, id}); parent != s.node() {
			kin.parents[s.node()] = parent
		}
	}
	return kin
}

// Owner is the agent whose session it is or was made of, "sess" for none.
func (s *Session) Owner() string { return cmp.Or(s.Agent, s.Origin.Harness, "sess") }

// Names returns the name of the session's file alone, that of its parent's, and the id at the end of that.
func (s *Session) Names() (own, parent, id string) {
	parent = base(s.Parent)
	return base(s.Name), parent, parent[strings.LastIndexByte(parent, '_')+1:]
}

// base is the name of a session's file alone.
func base(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), ".v2"), ".jsonl")
}

// each calls visit for the ancestors of a session, the nearest first, until it returns
// false. In a circle each comes once.
func (k *lineage) each(n node, visit func(node) bool) {
	seen := map[node]bool{n: true}
	for {
		parent, ok := k.parents[n]
		if !ok || seen[parent] || !visit(parent) {
			return
		}
		seen[parent] = true
		n = parent
	}
}

// root is the first of the ancestors of a session, which need not be among those that
// were read. Of a circle it is the same one for all.
func (k *lineage) root(n node) node {
	root, last := n, n
	k.each(n, func(a node) bool { last = a; root = a; return true })
	if _, circle := k.parents[last]; circle {
		k.each(last, func(a node) bool {
			if a.id < root.id {
				root = a
			}
			return true
		})
	}
	return root
}

// descends reports whether a session has one of those given for an ancestor.
func (k *lineage) descends(n node, from map[node]bool) (yes bool) {
	k.each(n, func(a node) bool {
		yes = from[a]
		return !yes
	})
	return yes
}

// Parents returns the address of the parent of each session that has one, by address.
func (l *Ledger) Parents() map[string]string {
	out := map[string]string{}
	for child, parent := range newLineage(l.sessions).parents {
		out[(&Session{ID: child.id, Agent: child.agent}).Address()] = (&Session{ID: parent.id, Agent: parent.agent}).Address()
	}
	return out
}

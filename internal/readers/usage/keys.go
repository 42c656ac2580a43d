package usage

import (
	"encoding/binary"
	"fmt"
)

// CallKeys returns for each call of a session 32 hexadecimal digits that its copies in other sessions have as well, and no
// other call of the session. They are made of the session alone. Of codex they are the identity of the request, where the session
// names it, else those of the chain of calls that the session begins with: two sessions that begin with the same call have its key
// in common.
func CallKeys(s *Session, calls []Call) []string {
	keys := chained(s, calls)
	if keys == nil {
		keys = identities(s, calls)
	} else {
		for i := range calls {
			if calls[i].response != "" {
				keys[i] = calls[i].identity(s)
			}
		}
	}
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = fmt.Sprintf("%016x%016x", k[0], k[1])
	}
	return out
}

// identities returns the identities of the calls of a session. It tells calls apart that have the same one, and ids of
// their own: a position is not the id of an entry, but two positions are two entries, and so are two steps of opencode
// with equal counters.
func identities(s *Session, calls []Call) []key {
	keys := make([]key, len(calls))
	type entry struct {
		identity key
		id       string
	}
	order := map[entry]uint64{} // of the entry among those with its identity
	of := map[key]uint64{}      // entries with an identity
	for i := range calls {
		c := &calls[i]
		k := c.identity(s)
		if isPosition(c.ID) || s.Agent == "opencode" {
			n, ok := order[entry{k, c.ID}]
			if !ok {
				n = of[k]
				order[entry{k, c.ID}], of[k] = n, n+1
			}
			k[0] += n
		}
		keys[i] = k
	}
	return keys
}

// chained returns the key that each call of a session of codex has in common with its copies, which have other ids and
// times: the words and counters of it and of the calls in front of it. A rest is in front of no call, since a fork that
// begins with its parent's total does not know of it. It returns nil for sessions of other agents.
func chained(s *Session, calls []Call) []key {
	if s.Agent != "codex" {
		return nil
	}
	keys := make([]key, len(calls))
	var replies, k key
	for i := range calls {
		rest := calls[i].Purpose == Rest
		if !rest {
			k = replies
		}
		k = hashed(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, k[0]), calls[i].payload))
		if keys[i] = k; !rest {
			replies = k
		}
	}
	return keys
}

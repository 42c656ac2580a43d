package sources

import (
	"hash/maphash"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

var seed = maphash.MakeSeed()

// mostSpelled is the length in bytes up to which an entry is compared by what it decodes to.
// A longer one is by its bytes: its spelling would take as much memory again.
const mostSpelled = 1 << 20

// Key returns what the copies of an entry have in common in this process, whatever
// session they are in; 0 if there can be none. A fork may hang an entry from another
// parent. In a fork of opencode, and in one of codex as it is read, an entry has another
// id as well, and what was said was said at the same millisecond.
func (src Source) Key(e session.Entry) uint64 {
	if e.ID() == "" {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(seed)
	if m, ok := e.Message(); ok && (src.isOf("opencode") || src.isOf("codex")) {
		_, _ = h.WriteString(e.Str("timestamp"))
		_, _ = h.WriteString(m.Raw()) // it comes from an importer, which spells alike
		return max(1, h.Sum64())
	}
	raw, from, at := e.Raw(), 0, 0
	if len(raw) <= mostSpelled { // pi spells what it copies into a fork anew
		raw = js.Spelled(raw)
	}
	for name, value := range js.Members(raw) { // and not of a text of its own, as an entry may be huge
		at += strings.Index(raw[at:], name) + len(name)
		at += strings.Index(raw[at:], value)
		if js.IsKey(name, "parentId") {
			_, _ = h.WriteString(raw[from:at])
			from = at + len(value)
		}
		at += len(value)
	}
	_, _ = h.WriteString(raw[from:])
	return max(1, h.Sum64())
}

// isOf reports whether a session is one of an agent: it was listed so, or its name is an
// address that begins so.
func (src Source) isOf(agent string) bool { return src.Owner() == agent }

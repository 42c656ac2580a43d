package sources

import (
	"hash/maphash"

	"github.com/sess-tools/sess/pkg/session"
)

var seed = maphash.MakeSeed()

// Key returns what the copies of an entry have in common in this process, whatever
// session they are in; 0 if there can be none. A fork may hang an entry from another
// parent. A fork of opencode gives it another id, and keeps when it was said.
func (src Source) Key(e session.Entry) uint64 {
	if e.ID() == "" {
		return 0
	}
	text := e.WithParent("").Raw()
	if m, ok := e.Message(); ok && src.IsOf("opencode") {
		text = e.Str("timestamp") + m.Raw()
	}
	return max(1, maphash.String(seed, text))
}

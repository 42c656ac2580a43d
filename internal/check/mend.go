package check

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// keepIf keeps the entries of which keep says so.
func (rp *repair) keepIf(keep func(i int, e session.Entry) bool) {
	entries, origins := rp.entries[:0], rp.origins[:0]
	for i, e := range rp.entries {
		o := rp.origins[i]
		if rp.number = o.line; keep(i, e) {
			entries, origins = append(entries, e), append(origins, o)
		}
	}
	rp.entries, rp.origins = entries, origins
}

// addressable gives an id to every entry that has none and that has a place:
// below its parent, or with Relink below the entry before. Others are set aside;
// no reader shows them.
func (rp *repair) addressable() {
	known := map[string]bool{}
	for _, e := range rp.entries {
		known[e.ID()] = true
	}
	known[""] = false
	rp.keepIf(func(_ int, e session.Entry) bool {
		if e.ID() == "" && !known[e.ParentID()] && !rp.options.Relink {
			rp.reject(e.Raw())
			return false
		}
		return true
	})
	for i, e := range rp.entries {
		if e.ID() != "" {
			continue
		}
		rp.rename(i, known)
		if rp.options.Relink && !known[e.ParentID()] && i > 0 {
			rp.hang(i, i-1)
		}
	}
}

// uniqueIDs drops entries that repeat an earlier one byte for byte, and gives a
// new id to all but one of several entries with the same one.
func (rp *repair) uniqueIDs() {
	owner := rp.owners()
	known, seen := map[string]bool{}, map[string]bool{}
	for id := range owner {
		known[id] = true
	}
	rp.keepIf(func(_ int, e session.Entry) bool {
		if seen[e.Raw()] {
			rp.change("left out entry %q, the same bytes as before", e.ID())
			return false
		}
		seen[e.Raw()] = true
		return true
	})
	for i, e := range rp.entries {
		if e.Raw() != owner[e.ID()] {
			rp.rename(i, known)
		}
	}
}

// owners returns for each id the bytes of the entry that it names: the last,
// but none that was salvaged if there is one that readers saw.
func (rp *repair) owners() map[string]string {
	last := map[string]int{}
	for i, e := range rp.entries {
		if at, ok := last[e.ID()]; !ok || rp.origins[at].salvaged || !rp.origins[i].salvaged {
			last[e.ID()] = i
		}
	}
	owners := map[string]string{}
	for id, i := range last {
		owners[id] = rp.entries[i].Raw()
	}
	return owners
}

// rename gives entry i a new id, which is made from its bytes so that a repair
// made twice gives the same session.
func (rp *repair) rename(i int, known map[string]bool) {
	e := rp.entries[i]
	text := e.Raw()
	for id := ""; ; text += "." {
		sum := sha256.Sum256([]byte(text))
		if id = hex.EncodeToString(sum[:4]); !known[id] {
			known[id] = true
			rp.entries[i] = e.WithRaw("id", js.Quote(id))
			rp.number = rp.origins[i].line
			rp.change("id %q instead of %q", id, e.ID())
			return
		}
	}
}

// firstKept makes explicit what readers do with a compaction that keeps entries
// from one on that is not before it: nothing is kept.
func (rp *repair) firstKept() {
	seen := map[string]bool{}
	for i, e := range rp.entries {
		if kept := e.Str("firstKeptEntryId"); e.Type() == session.TypeCompaction && !seen[kept] && kept != e.ID() {
			rp.number = rp.origins[i].line
			rp.change("compaction %q keeps nothing, as %q is not before it", e.ID(), kept)
			rp.entries[i] = e.WithRaw("firstKeptEntryId", js.Quote(e.ID()))
		}
		seen[e.ID()] = true
	}
}

// relink hangs orphans, and the first entry of each cycle, from the entry
// before them in the file. Where that only makes another cycle, the entry
// becomes a root.
func (rp *repair) relink() {
	at := map[string]int{}
	for i, e := range rp.entries {
		at[e.ID()] = i
	}
	parent := func(i int) (int, bool) {
		id := rp.entries[i].ParentID()
		p, ok := at[id]
		return p, ok && id != ""
	}
	for i, e := range rp.entries {
		if _, ok := parent(i); !ok && e.ParentID() != "" {
			rp.hang(i, i-1)
		}
	}
	for _, i := range cycleStarts(len(rp.entries), parent) {
		rp.hang(i, i-1)
	}
	for _, i := range cycleStarts(len(rp.entries), parent) {
		rp.hang(i, -1)
	}
}

// hang makes entry i a child of entry parent, or a root.
func (rp *repair) hang(i, parent int) {
	e, id := rp.entries[i], ""
	if parent >= 0 {
		id = rp.entries[parent].ID()
	}
	rp.number = rp.origins[i].line
	rp.change("entry %q: parent %s instead of %s", e.ID(), parentName(id), parentName(e.ParentID()))
	rp.entries[i] = e.WithParent(id)
}

func parentName(id string) string {
	if id == "" {
		return "null"
	}
	return fmt.Sprintf("%q", id)
}

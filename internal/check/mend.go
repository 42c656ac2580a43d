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
	entries, numbers := rp.entries[:0], rp.numbers[:0]
	for i, e := range rp.entries {
		if rp.number = rp.numbers[i]; keep(i, e) {
			entries, numbers = append(entries, e), append(numbers, rp.number)
		}
	}
	rp.entries, rp.numbers = entries, numbers
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
// new id to all but the last of several entries with the same one: the last is
// the one the id names.
func (rp *repair) uniqueIDs() {
	first := map[string]int{} // bytes to position
	rp.keepIf(func(i int, e session.Entry) bool {
		if _, dup := first[e.Raw()]; dup {
			rp.change("left out entry %q, the same bytes as before", e.ID())
			return false
		}
		first[e.Raw()] = i
		return true
	})
	known, last := map[string]bool{}, map[string]int{}
	for i, e := range rp.entries {
		known[e.ID()], last[e.ID()] = true, i
	}
	for i, e := range rp.entries {
		if last[e.ID()] != i {
			rp.rename(i, known)
		}
	}
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
			rp.number = rp.numbers[i]
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
			rp.number = rp.numbers[i]
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
	rp.number = rp.numbers[i]
	rp.change("entry %q: parent %s instead of %s", e.ID(), parentName(id), parentName(e.ParentID()))
	rp.entries[i] = e.WithParent(id)
}

func parentName(id string) string {
	if id == "" {
		return "null"
	}
	return fmt.Sprintf("%q", id)
}

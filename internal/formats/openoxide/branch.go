package openoxide

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// findParent looks whether the parent is in the database: a session cannot name
// another.
func (x *exporter) findParent(ctx context.Context, into string) error {
	parent := x.s.Header.ParentSession
	if parent == "" {
		return nil
	}
	if _, err := os.Stat(into); err == nil && into != "" {
		db, err := sqldb.Open(ctx, into)
		if err != nil {
			return err
		}
		defer db.Close()
		if err := db.Require(ctx, sqldb.Schema{"session": {"id"}}); err != nil {
			return err
		}
		found, err := db.Values(ctx, `SELECT id FROM session WHERE id = ?`, parent)
		if err != nil {
			return err
		}
		if found != nil {
			x.parent = parent
			return nil
		}
	}
	x.t.Lose("", formats.KindReference, "the session it was forked from, %s, is not in the database", parent)
	return nil
}

// A branch is what becomes one session.
type branch struct {
	id, title string
	head      int // the entry that it ends in, -1 for none
}

// path returns the entries of a branch. It is made when it is needed: the paths of
// all branches together may be far larger than the session.
func (x *exporter) path(b *branch) []session.Entry {
	if b.head < 0 {
		return nil
	}
	path, _ := x.s.Path(b.head)
	return path
}

// branches makes the path to the leaf a branch, and each other head with messages of its
// own one more.
func (x *exporter) branches(ctx context.Context) error {
	leaf, ok := x.s.Leaf()
	id := sessionID(x.s.Header.ID, headerTime(x.s))
	main := &branch{id: id, title: x.s.Name, head: -1}
	x.made = []*branch{main}
	if !ok {
		return nil
	}
	main.head = leaf
	seen := map[string]bool{}
	x.claim(leaf, seen)
	for _, head := range x.s.Heads() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !x.claim(head, seen) {
			continue
		}
		e := x.s.Entries[head]
		x.made = append(x.made, &branch{id: made(headerTime(x.s), "fork", id, e.ID()).String(), title: x.s.Name, head: head})
	}
	if err := x.affordable(); err != nil {
		return err
	}
	for _, b := range x.made[1:] {
		x.t.Lose(formats.At(x.s.Entries[b.head]), formats.KindBranch, "the branch that ends here becomes a fork, a session of its own")
	}
	for _, e := range x.s.Entries {
		if !seen[e.ID()] {
			x.t.Lose(formats.At(e), formats.KindEntry, "an entry of type %s on no path to a message, left out", e.Type())
		}
	}
	return nil
}

// claim marks the entries on the path to head, and reports whether there is a message
// among those that were not marked.
func (x *exporter) claim(head int, seen map[string]bool) (fresh bool) {
	for i, ok := head, true; ok && !seen[x.s.Entries[i].ID()]; i, ok = x.s.Parent(i) {
		e := x.s.Entries[i]
		seen[e.ID()] = true
		fresh = fresh || e.Type() == session.TypeMessage
	}
	return fresh
}

// affordable is the error of forks that would repeat too much of what they share.
func (x *exporter) affordable() error {
	size := int64(0)
	for _, e := range x.s.Entries {
		size += int64(len(e.Raw()))
	}
	total, lengths := int64(0), x.lengths()
	for _, b := range x.made {
		total += lengths[b.head]
	}
	return x.t.Afford(size, total, fmt.Sprintf("the %d branches become sessions of their own, which repeat what they share", len(x.made)))
}

// lengths returns the bytes of the entries on the path to each entry. Each entry is
// visited once.
func (x *exporter) lengths() []int64 {
	out, known := make([]int64, len(x.s.Entries)), make([]bool, len(x.s.Entries))
	var chain []int
	for i := range x.s.Entries {
		chain = chain[:0]
		j, ok := i, true
		for ok && !known[j] {
			known[j] = true
			chain = append(chain, j)
			j, ok = x.s.Parent(j)
		}
		n := int64(0)
		if ok {
			n = out[j] // of an entry on the chain itself, where parents form a cycle, 0
		}
		for _, k := range slices.Backward(chain) {
			n += int64(len(x.s.Entries[k].Raw()))
			out[k] = n
		}
	}
	return out
}

func headerTime(s *session.Session) int64 {
	ms, _ := js.ParseTime(s.Header.Timestamp)
	return ms
}

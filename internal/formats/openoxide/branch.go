package openoxide

import (
	"context"
	"os"

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
	path      []session.Entry
}

// branches makes the path to the leaf a branch, and each other head with messages of its
// own one more.
func (x *exporter) branches(ctx context.Context) error {
	leaf, ok := x.s.Leaf()
	id := sessionID(x.s.Header.ID, headerTime(x.s))
	main := &branch{id: id, title: x.s.Name}
	x.made = []*branch{main}
	if !ok {
		return nil
	}
	main.path, _ = x.s.Path(leaf)
	seen := map[string]bool{}
	for _, e := range main.path {
		seen[e.ID()] = true
	}
	for _, head := range x.s.Heads() {
		if err := ctx.Err(); err != nil {
			return err
		}
		path, _ := x.s.Path(head)
		fresh := false
		for _, e := range path {
			fresh = fresh || !seen[e.ID()] && e.Type() == session.TypeMessage
			seen[e.ID()] = true
		}
		if !fresh {
			continue
		}
		e := x.s.Entries[head]
		x.made = append(x.made, &branch{id: made(headerTime(x.s), "fork", id, e.ID()).String(), title: x.s.Name, path: path})
		x.t.Lose(formats.At(e), formats.KindBranch, "the branch that ends here becomes a fork, a session of its own")
	}
	for _, e := range x.s.Entries {
		if !seen[e.ID()] {
			x.t.Lose(formats.At(e), formats.KindEntry, "an entry of type %s on no path to a message, left out", e.Type())
		}
	}
	return nil
}

func headerTime(s *session.Session) int64 {
	ms, _ := js.ParseTime(s.Header.Timestamp)
	return ms
}

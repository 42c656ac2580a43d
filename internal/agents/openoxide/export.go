package openoxide

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Export puts the session into a database, which is made if it is not there: the path to
// the leaf as one session, and each other branch as a fork of it.
func (format) Export(ctx context.Context, s *session.Session, t *formats.Target) error {
	path := ""
	if t.Path != "" && !t.DryRun {
		path = database(t.Path)
	}
	x, err := newExporter(ctx, s, t, path)
	if err != nil {
		return err
	}
	if err := t.Ready(); err != nil {
		return err
	}
	if path == "" {
		return sqldb.Fill(x.fill).WriteTo(ctx, t.Out)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the directory of %s: %w", path, err)
	}
	if err := sqldb.Save(ctx, path, t.Sync, x.fill); err != nil {
		return err
	}
	t.Made = append(t.Made, path)
	return nil
}

// database returns the path of the database that path means: in a directory that of the
// project if it has one, else openoxide.db.
func database(path string) string {
	fi, err := os.Stat(path)
	if (err != nil || !fi.IsDir()) && !os.IsPathSeparator(path[len(path)-1]) {
		return path
	}
	if local := projectDatabase(path); err == nil && local != "" {
		return local
	}
	return filepath.Join(path, "openoxide.db")
}

// kept is what a custom entry "openoxide:session" holds.
type kept struct {
	ID        string  `json:"id"`
	Project   string  `json:"project_id"`
	Title     string  `json:"title"`
	Directory string  `json:"directory"`
	Model     string  `json:"model_id"`
	Updated   int64   `json:"time_updated"`
	Revert    *string `json:"revert_oid"`
}

// content is a row that an entry keeps.
type content struct {
	ID      string `json:"id"`
	Role    string `json:"role"`
	Time    int64  `json:"time_created"`
	Content []byte `json:"content"`
}

// An exporter writes one session and the forks that its branches become.
type exporter struct {
	t        *formats.Target
	s        *session.Session
	kept     kept
	contents map[string]content // by the entry that keeps it
	rowIDs   map[string]bool    // of contents
	header   string             // of the session that was exported before, "" if none
	parent   any                // of the first branch

	headerEntry session.Entry // the entry that holds header
	made        []*branch
}

// newExporter tells all losses. into is the database if there may be one.
func newExporter(ctx context.Context, s *session.Session, t *formats.Target, into string) (*exporter, error) {
	x := &exporter{t: t, s: s, contents: map[string]content{}, rowIDs: map[string]bool{}}
	keeper := t.Keeper(s, "openoxide")
	for i, e := range s.Entries {
		data := []byte(e.Get("data"))
		switch e.Str("customType") {
		case "openoxide:" + customSession:
			var k kept
			if json.Unmarshal(data, &k) == nil {
				x.kept = k
			}
		case "openoxide:" + customHeader:
			x.header, x.headerEntry = string(js.Value(string(data)).Get("header")), e
		}
		var c content
		if lines, _ := keeper.Lines(i); len(lines) > 0 && json.Unmarshal([]byte(lines[0].Text), &c) == nil {
			// A database would refuse an id that another row has, and a role other than the three.
			switch c.Role {
			case "user", "assistant", "tool":
			default:
				x.t.Lose(formats.At(e), formats.KindRole, "the role %q, which a message cannot have, becomes tool", c.Role)
				c.Role = "tool"
			}
			if c.ID != "" && x.rowIDs[c.ID] {
				x.t.Lose(formats.At(e), formats.KindEntry, "the id %q, which another message has, is made anew", c.ID)
				c.ID = ""
			}
			x.rowIDs[c.ID] = true
			x.contents[e.ID()] = c
		}
	}
	if err := x.branches(ctx); err != nil {
		return nil, err
	}
	return x, x.findParent(ctx, into)
}

// own reports whether an entry is one that an import adds.
func (x *exporter) own(e session.Entry) bool {
	switch e.Type() {
	case session.TypeCustom:
	case session.TypeSessionInfo:
		return e.ID() == titleID(x.s.Header.ID) && e.Str("name") == session.OneLine(x.kept.Title)
	default:
		return false
	}
	switch e.Str("customType") {
	case "openoxide:" + customSession, "openoxide:" + customHeader:
		return true
	}
	return false
}

// role returns the role under which an entry is stored, of the three there are.
func role(e session.Entry) string {
	switch e.Type() {
	case session.TypeMessage:
		switch e.Role() {
		case session.RoleUser, session.RoleAssistant:
			return e.Role()
		}
	case session.TypeCompaction, session.TypeBranchSummary:
		return "assistant"
	}
	return "tool"
}

// rowOf returns the row for an entry below parent: its content and, if it is one
// that was imported, id, role and time.
func (x *exporter) rowOf(e session.Entry, parent string) (row message, err error) {
	if c, ok := x.contents[e.ID()]; ok {
		return message{c.ID, c.Role, c.Time, c.Content}, nil
	}
	ms, _ := e.Timestamp()
	row = message{role: role(e), ms: ms}
	row.content, err = pack(e.WithParent(parent).Raw())
	if err != nil {
		err = fmt.Errorf("packing %s: %w", formats.At(e), err)
	}
	return row, err
}

// fill puts the session and its forks into the database.
func (x *exporter) fill(ctx context.Context, tx *sql.Tx) error {
	err := sqldb.Prepare(ctx, tx, schema, "",
		`id, project_id, parent_id, title, directory, model_id, time_created, time_updated, revert_oid FROM session`,
		`id, session_id, role, time_created, content FROM message`)
	if err != nil {
		return err
	}
	for i, b := range x.made {
		parent := x.parent
		if i > 0 {
			parent = x.made[0].id
		}
		var path []session.Entry // made when it is needed: the paths of all branches together may be far larger than the session
		if b.head >= 0 {
			path, _ = x.s.Path(b.head)
		}
		if err := x.session(ctx, tx, b, path, parent, i == 0); err != nil {
			return err
		}
		if err := x.messages(ctx, tx, b, path, i == 0); err != nil {
			return err
		}
	}
	return nil
}

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

// branches makes the path to the leaf a branch, and each other head with messages that no branch
// has one more.
func (x *exporter) branches(ctx context.Context) error {
	leaf, ok := x.s.Leaf()
	id := x.s.Header.ID
	if !isULID(id) {
		id = made(headerTime(x.s), "session", id).String()
	}
	main := &branch{id: id, title: x.s.Name, head: -1}
	x.made = []*branch{main}
	if !ok {
		return nil
	}
	main.head = leaf
	claimed := map[string]bool{}
	x.claim(leaf, claimed)
	for _, head := range x.s.Heads() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !x.claim(head, claimed) {
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
		if !claimed[e.ID()] && !formats.Silent(e) {
			x.t.Lose(formats.At(e), formats.KindEntry, "an entry of type %s on no path to a message, left out", e.Type())
		}
	}
	return nil
}

// claim marks the entries on the path to head, and reports whether there is a message
// among those that were not marked.
func (x *exporter) claim(head int, claimed map[string]bool) (fresh bool) {
	for i, ok := head, true; ok && !claimed[x.s.Entries[i].ID()]; i, ok = x.s.Parent(i) {
		e := x.s.Entries[i]
		claimed[e.ID()] = true
		fresh = fresh || e.Type() == session.TypeMessage
	}
	return fresh
}

// affordable returns the error of forks that would repeat too much of their common part.
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

// ProjectID returns the id of the project that the directory dir belongs to: the SHA-256 of
// the path of its working tree, or else of dir, without symbolic links if it exists.
func ProjectID(dir string) string {
	if root := formats.GitRoot(dir); root != "" {
		dir = root
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target
	}
	sum := sha256.Sum256([]byte(filepath.Clean(dir)))
	return hex.EncodeToString(sum[:])
}

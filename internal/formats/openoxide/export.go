package openoxide

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/sqldb"
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

// content is what a custom entry "openoxide:content" holds.
type content struct {
	Entry string `json:"entry"`
	ID    string `json:"id"`
	Role  string `json:"role"`
	Time  int64  `json:"time_created"`
	Hex   string `json:"hex"`
}

// An exporter writes one session and the forks that its branches become.
type exporter struct {
	t        *formats.Target
	s        *session.Session
	kept     kept
	contents map[string]content // by the entry that was made of it, else by that which keeps it
	rowIDs   map[string]bool    // of contents
	header   string             // of the session that was exported before, "" if none
	parent   any                // of the first branch

	headerEntry session.Entry // the entry that holds header
	made        []*branch
}

// newExporter tells all losses. into is the database if there may be one.
func newExporter(ctx context.Context, s *session.Session, t *formats.Target, into string) (*exporter, error) {
	x := &exporter{t: t, s: s, contents: map[string]content{}, rowIDs: map[string]bool{}}
	for _, e := range s.Entries {
		if e.Type() == session.TypeCustom {
			x.remember(e)
		}
	}
	if err := x.branches(ctx); err != nil {
		return nil, err
	}
	return x, x.findParent(ctx, into)
}

func (x *exporter) remember(e session.Entry) {
	data := []byte(e.Get("data"))
	switch e.Str("customType") {
	case "openoxide:" + customSession:
		var k kept
		if json.Unmarshal(data, &k) == nil {
			x.kept = k
		}
	case "openoxide:" + customContent:
		var c content
		if json.Unmarshal(data, &c) == nil {
			x.contents[cmp.Or(c.Entry, e.ID())] = x.usable(e, c)
		}
	case "openoxide:" + customHeader:
		x.header, x.headerEntry = string(js.Value(string(data)).Get("header")), e
	}
}

// usable takes from a row that was kept what a database would refuse: an id that another
// one has, and a role that is none of the three.
func (x *exporter) usable(e session.Entry, c content) content {
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
	return c
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
	case "openoxide:" + customContent:
		return js.Value(e.Get("data")).Get("entry").Str() != ""
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
		data, err := hex.DecodeString(c.Hex)
		if err == nil {
			return message{c.ID, c.Role, c.Time, data}, nil
		}
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
	if err := prepare(ctx, tx); err != nil {
		return err
	}
	for i, b := range x.made {
		parent := x.parent
		if i > 0 {
			parent = x.made[0].id
		}
		path := x.path(b)
		if err := x.session(ctx, tx, b, path, parent, i == 0); err != nil {
			return err
		}
		if err := x.messages(ctx, tx, b, path, i == 0); err != nil {
			return err
		}
	}
	return nil
}

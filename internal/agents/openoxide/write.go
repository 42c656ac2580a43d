package openoxide

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// schema is the blueprint's, and a number for it, which the blueprint lacks.
const schema = `
CREATE TABLE session (
	id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT REFERENCES session(id) ON DELETE CASCADE, title TEXT NOT NULL,
	directory TEXT NOT NULL, model_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, revert_oid TEXT);
CREATE TABLE message (
	id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
	role TEXT NOT NULL CHECK (role IN ('user','assistant','tool')), time_created INTEGER NOT NULL, content BLOB NOT NULL);
CREATE INDEX idx_session_project ON session(project_id, time_created DESC);
CREATE INDEX idx_message_session ON message(session_id, time_created ASC);
PRAGMA user_version = 1;
`

// session writes the row of a session. Of a fork only what the blueprint copies is that of
// its source.
func (x *exporter) session(ctx context.Context, tx *sql.Tx, b *branch, path []session.Entry, parent any, main bool) error {
	if err := sqldb.Absent(ctx, tx, "session", "id", b.id); err != nil {
		return err
	}
	directory := x.s.Header.CWD
	project := ProjectID(directory)
	if x.kept.Project != "" && x.kept.Directory == directory {
		project = x.kept.Project
	}
	title := b.title
	if x.kept.ID != "" && session.OneLine(x.kept.Title) == title {
		title = x.kept.Title
	}
	var revert any
	if main && x.kept.Revert != nil {
		revert = *x.kept.Revert
	}
	created := headerTime(x.s)
	_, err := tx.ExecContext(ctx, `INSERT INTO session(id, project_id, parent_id, title, directory, model_id, time_created, time_updated, revert_oid)
		VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)`, b.id, project, parent, title, directory, x.model(path), created, x.updated(path, created), revert)
	return err
}

// model returns the model in use at the end of a branch.
func (x *exporter) model(path []session.Entry) string {
	m := convo.StateOf(path).Model
	switch {
	case x.kept.Model != "" && (m == nil || m.ID == x.kept.Model || m.Provider+"/"+m.ID == x.kept.Model):
		return x.kept.Model
	case m == nil || m.ID == "":
		return "unknown"
	case m.Provider == "":
		return m.ID
	}
	return m.Provider + "/" + m.ID
}

// updated returns when a branch changed last.
func (x *exporter) updated(path []session.Entry, created int64) int64 {
	last := created
	for _, e := range path {
		if ms, ok := e.Timestamp(); ok && !x.own(e) {
			last = max(last, ms)
		}
	}
	if x.kept.ID != "" && x.kept.Updated >= last {
		return x.kept.Updated
	}
	return last
}

// messages writes the messages of a session. Their times never go back, and their ids sort
// as they do, so that they come out in this order.
func (x *exporter) messages(ctx context.Context, tx *sql.Tx, b *branch, path []session.Entry, main bool) error {
	insert, err := tx.PrepareContext(ctx, `INSERT INTO message(id, session_id, role, time_created, content) VALUES(?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	taken, err := tx.PrepareContext(ctx, `SELECT count(*) FROM message WHERE id = ?`)
	if err != nil {
		return err
	}
	defer taken.Close()
	w := &writing{b: b, insert: insert, taken: taken, main: main, at: headerTime(x.s)}
	if err := x.writeHeader(ctx, w); err != nil {
		return err
	}
	parent := ""
	for _, e := range path {
		if x.own(e) {
			continue
		}
		row, err := x.rowOf(e, parent)
		if err != nil {
			return err
		}
		if err := w.write(ctx, row, e.ID()); err != nil {
			return fmt.Errorf("%s: %w", formats.At(e), err)
		}
		parent = e.ID()
	}
	return nil
}

// A writing is the writing of the messages of one session.
type writing struct {
	b      *branch
	insert *sql.Stmt
	taken  *sql.Stmt // counts the messages with an id
	main   bool
	at     int64
	ids    ids
}

// write writes a message. The ids that an import found stay, unless they are taken, as in a
// fork.
func (w *writing) write(ctx context.Context, m message, key string) error {
	w.at = max(w.at, m.ms)
	if m.content == nil {
		m.content = []byte{}
	}
	taken := 0
	if m.id != "" && w.main {
		if err := w.taken.QueryRowContext(ctx, m.id).Scan(&taken); err != nil {
			return err
		}
	}
	if m.id == "" || !w.main || taken > 0 {
		m.id, m.ms = w.ids.next(w.at, "message", w.b.id, key), w.at
	}
	_, err := w.insert.ExecContext(ctx, m.id, w.b.id, m.role, m.ms, m.content)
	return err
}

// writeHeader keeps in a message what of the header the row of the session cannot say.
func (x *exporter) writeHeader(ctx context.Context, w *writing) error {
	header := x.header
	if header == "" {
		if isULID(x.s.Header.ID) && x.kept.ID != "" {
			return nil // it was made of a row
		}
		header = x.s.Header.Raw()
	}
	if _, ok := x.contents[x.headerEntry.ID()]; ok {
		row, err := x.rowOf(x.headerEntry, "")
		if err != nil {
			return err
		}
		return w.write(ctx, row, headerKey)
	}
	data, err := pack(header)
	if err != nil {
		return err
	}
	return w.write(ctx, message{role: "tool", ms: w.at, content: data}, headerKey)
}

// An ids makes ULIDs that sort in the order in which they were made. They are derived from names,
// so that the same session gets the same ones.
type ids struct{ last ulid.ULID }

// next returns the id for an object that parts name and that was made at ms, a time in
// milliseconds.
func (g *ids) next(ms int64, parts ...string) string {
	id := made(ms, parts...)
	if id.Time() < g.last.Time() {
		_ = id.SetTime(g.last.Time()) // it is the time of an id
	}
	if id.Compare(g.last) <= 0 {
		id = g.last
		for i := len(id) - 1; i >= 0; i-- {
			if id[i]++; id[i] != 0 {
				break
			}
		}
	}
	g.last = id
	return id.String()
}

// headerKey stands for the header where an entry's id would.
const headerKey = "header"

// made returns an id made of its parts.
func made(ms int64, parts ...string) ulid.ULID {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	var id ulid.ULID
	_ = id.SetTime(uint64(min(max(ms, 0), int64(ulid.MaxTime())))) // in its range
	_ = id.SetEntropy(sum[:10])                                    // as many as it has
	id[6] &= 0x7f                                                  // leaves room for those of the same millisecond
	return id
}

// isULID reports whether an id is a ULID in upper case.
func isULID(id string) bool {
	u, err := ulid.ParseStrict(id)
	return err == nil && u.String() == id
}

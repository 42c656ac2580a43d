package zeroclaw

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// schema is the fork's first layout.
const schema = `
CREATE TABLE IF NOT EXISTS session_index (session_key TEXT PRIMARY KEY, active_session_id TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sessions (session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL, status TEXT NOT NULL, title TEXT,
	created_at TEXT NOT NULL, updated_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE IF NOT EXISTS session_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
	content TEXT NOT NULL, created_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE IF NOT EXISTS session_state (session_id TEXT NOT NULL, key TEXT NOT NULL, value_json TEXT NOT NULL, updated_at TEXT NOT NULL,
	PRIMARY KEY (session_id, key));
CREATE INDEX IF NOT EXISTS idx_sessions_session_key ON sessions(session_key);
CREATE INDEX IF NOT EXISTS idx_session_messages_session_id ON session_messages(session_id);
CREATE INDEX IF NOT EXISTS idx_session_state_session_id ON session_state(session_id);
`

// fill puts the session into a database.
func (x *exporter) fill(ctx context.Context, tx *sql.Tx) error {
	err := sqldb.Prepare(ctx, tx, schema, ": only the first layout is written",
		`session_key, active_session_id, updated_at FROM session_index`,
		`session_id, session_key, status, title, created_at, updated_at, meta_json FROM sessions`,
		`id, session_id, role, content, created_at, meta_json FROM session_messages`,
		`session_id, key, value_json, updated_at FROM session_state`)
	if err == nil {
		err = sqldb.Absent(ctx, tx, "sessions", "session_id", x.s.Header.ID)
	}
	if err != nil {
		return err
	}
	ids, kept, err := x.messages(ctx, tx)
	if err != nil {
		return err
	}
	if err := x.session(ctx, tx); err != nil {
		return err
	}
	return x.states(ctx, tx, ids, kept)
}

// messages writes the rows and returns their ids. kept says that they are those
// that the import found.
func (x *exporter) messages(ctx context.Context, tx *sql.Tx) (ids []int64, kept bool, err error) {
	kept, err = x.idsFree(ctx, tx)
	if err != nil {
		return nil, false, err
	}
	insert, err := tx.PrepareContext(ctx, `INSERT INTO session_messages(id, session_id, role, content, created_at, meta_json) VALUES(?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return nil, false, err
	}
	defer insert.Close()
	for _, r := range x.rows {
		var id any
		if kept {
			id = r.facts.ID
		}
		created := timeText(r.ms)
		if r.facts.Created != nil && sameTime(*r.facts.Created, r.ms) {
			created = *r.facts.Created
		}
		done, err := insert.ExecContext(ctx, id, x.s.Header.ID, r.role, r.content, created, r.facts.Meta)
		if err != nil {
			return nil, false, err
		}
		last, err := done.LastInsertId()
		if err != nil {
			return nil, false, err
		}
		ids = append(ids, last)
	}
	return ids, kept, nil
}

// sameTime reports whether text, as an import found it, still is the time ms; one that
// is no time is.
func sameTime(text string, ms int64) bool {
	at, ok := milliseconds(text)
	return !ok || at == ms
}

// idsFree reports whether all rows have ids from an import, in order, and nothing else has
// them.
func (x *exporter) idsFree(ctx context.Context, tx *sql.Tx) (bool, error) {
	var last int64
	for _, r := range x.rows {
		if r.facts.ID <= last {
			return false, nil
		}
		last = r.facts.ID
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM session_messages WHERE id = ?`, last).Scan(&n); err != nil || n > 0 {
			return false, err
		}
	}
	return true, nil
}

// session writes the row of the session, and makes it its key's active one if that has none.
func (x *exporter) session(ctx context.Context, tx *sql.Tx) error {
	id, key := x.s.Header.ID, x.facts.Key
	if key == "" {
		key = "direct:sess:" + id
	}
	created, updated := x.times()
	var active int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM session_index WHERE session_key = ?`, key).Scan(&active); err != nil {
		return err
	}
	status := cmp.Or(text(x.facts.Row["status"]), "active")
	inUse := !x.kept || x.facts.Layout != "fork" || x.facts.Active != ""
	if inUse && active > 0 {
		status, inUse = "inactive", false // as if the other had been begun after it
	}
	var title any
	if name := session.OneLine(x.s.Name); name != "" && name != nameOf("", key) {
		title = name
		if was := text(x.facts.Row["title"]); session.OneLine(was) == name {
			title = was
		}
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO sessions(session_id, session_key, status, title, created_at, updated_at, meta_json) VALUES(?, ?, ?, ?, ?, ?, ?)`,
		id, key, status, title, created, updated, x.facts.Row["meta_json"])
	if err != nil || !inUse {
		return err
	}
	at := created
	if _, ok := milliseconds(x.facts.Active); ok {
		at = x.facts.Active
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO session_index(session_key, active_session_id, updated_at) VALUES(?, ?, ?)`, key, id, at)
	return err
}

// times returns when the session was begun and changed last.
func (x *exporter) times() (created, updated string) {
	ms, _ := js.ParseTime(x.s.Header.Timestamp)
	created = timeText(ms)
	if was := text(x.facts.Row["created_at"]); was != "" && sameTime(was, ms) {
		created = was
	}
	for _, r := range x.rows {
		ms = max(ms, r.ms)
	}
	if was := text(x.facts.Row["updated_at"]); was != "" {
		if at, ok := milliseconds(was); !ok || at >= ms {
			return created, was
		}
	}
	return created, timeText(ms)
}

// states writes what the import found of the session's state, and the boundary.
func (x *exporter) states(ctx context.Context, tx *sql.Tx, ids []int64, kept bool) error {
	var boundary int64
	if x.cut > 0 {
		boundary = ids[x.cut-1]
	}
	out := map[string]stateFacts{}
	for key, f := range x.facts.State {
		out[key] = f
	}
	was, had := out[stateBoundary]
	old, ok := boundaryOf(was.Value)
	switch {
	case had && kept && !ok && boundary == 0, had && ok && kept && x.sameCut(ids, old, boundary):
	case boundary > 0:
		out[stateBoundary] = stateFacts{Value: api.Int(boundary), Updated: timeText(x.cutAt)}
	default:
		delete(out, stateBoundary)
	}
	for key, f := range out {
		_, err := tx.ExecContext(ctx, `INSERT INTO session_state(session_id, key, value_json, updated_at) VALUES(?, ?, ?, ?)`,
			x.s.Header.ID, key, f.Value, f.Updated)
		if err != nil {
			return err
		}
	}
	return nil
}

// sameCut reports whether two boundaries part the messages that are loaded in the same way.
func (x *exporter) sameCut(ids []int64, a, b int64) bool {
	for i, id := range ids {
		if loaded(x.rows[i].role) && (id <= a) != (id <= b) {
			return false
		}
	}
	return true
}

package zeroclaw

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A reading is the reading of one session of a database.
type reading struct {
	store *store
	b     *formats.Builder
	spent estimate            // since the last compaction
	rows  map[string]rowFacts // of entries, until they are told
	order []string
	facts sessionFacts
}

// A message is a row of messages.
type message struct {
	id              int64
	role, content   string
	created         string
	meta            sql.NullString
	ms              int64
	timed, repaired bool
}

// scan reads the next message: id, role, content, created_at, meta_json.
func (r *reading) scan(rows *sql.Rows, order *ascending) (m message, err error) {
	var role, content, created sqldb.Text
	if err := rows.Scan(&m.id, &role, &content, &created, &m.meta); err != nil {
		return m, r.store.db.Err(err)
	}
	if err := order.next(r.store.db, m.id); err != nil {
		return m, err
	}
	m.role, m.created = js.ValidText(string(role)), js.ValidText(string(created))
	m.content = js.ValidText(string(content))
	m.repaired = m.content != string(content)
	m.ms, m.timed = milliseconds(m.created)
	return m, nil
}

// at returns where a message is, for a loss.
func (r *reading) at(id int64) string {
	return fmt.Sprintf("%s: message %d", r.store.db.Path(), id)
}

func (m message) place() formats.Place {
	return formats.Place{Key: "row " + formats.Int(m.id), Time: m.ms}
}

// add adds what a message turns into, which is never a compaction.
func (r *reading) add(m message) error {
	if !m.timed {
		r.b.Lose(r.at(m.id), formats.KindTime, "no time: %q; that of the message before it stands in", m.created)
	}
	if m.repaired {
		r.b.Lose(r.at(m.id), formats.KindText, "bytes that are no UTF-8 were replaced")
	}
	if loaded(m.role) {
		r.spent.add(m.content)
	}
	var id string
	var err error
	raw := "" // what is to be kept of the content
	switch m.role {
	case "user":
		id, err = r.b.Message(m.place(), formats.User([]string{formats.Text(m.content)}))
	case "assistant":
		id, err = r.b.Message(m.place(), formats.Assistant([]string{formats.Text(m.content)}))
	case "tool":
		raw = m.content
		id, err = r.b.Message(m.place(), toolResult(m))
	default: // which no model is shown
		id, err = r.b.Custom(m.place(), "message", js.Object(
			js.StringField("role", m.role), js.StringField("content", m.content)))
	}
	if err != nil {
		return err
	}
	return r.note(id, m, raw)
}

// toolResult returns the result that a tool's row holds: a JSON object with the
// id of the call and the text, or the text alone.
func toolResult(m message) session.Message {
	call, text := "row-"+formats.Int(m.id), m.content
	if js.Valid([]byte(m.content)) {
		if id := js.Value(m.content).Get("tool_call_id").Str(); id != "" {
			call, text = id, js.Value(m.content).Get("content").Str()
		}
	}
	return formats.ToolResult(call, "unknown", []string{formats.Text(text)}, false)
}

// summary adds the compaction whose summary a message is.
func (r *reading) summary(m message) error {
	id, err := r.b.Compaction(m.place(), m.content[len(summaryPrefix):], "", r.spent.tokens())
	if err != nil {
		return err
	}
	r.spent = 0
	r.spent.add(m.content)
	return r.note(id, m, "")
}

// fork reads a session of the fork.
func (r *reading) fork(ctx context.Context, row int64) error {
	if err := r.session(ctx, row); err != nil {
		return err
	}
	if err := r.header(); err != nil {
		return err
	}
	cut, err := r.cutOf(ctx)
	if err != nil {
		return err
	}
	l := r.store.layout
	rows, err := r.store.db.QueryContext(ctx, `SELECT id, CAST(role AS TEXT), CAST(content AS TEXT), CAST(created_at AS TEXT), CAST(`+
		l.column("session_messages", "meta_json")+` AS TEXT) FROM session_messages WHERE session_id = ? ORDER BY id`, r.facts.id)
	if err != nil {
		return r.store.db.Err(err)
	}
	defer rows.Close()
	var order ascending
	for rows.Next() {
		m, err := r.scan(rows, &order)
		if err != nil {
			return err
		}
		if err := r.forkMessage(m, cut); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return r.store.db.Err(err)
	}
	if err := r.cut(cut, 0); err != nil {
		return err
	}
	return r.tell()
}

// forkMessage adds a message, and the cut if that is due.
func (r *reading) forkMessage(m message, cut *cut) error {
	old := cut.id != 0 && m.id <= cut.id
	switch {
	case old && isSummary(m.role, m.content), m.id == cut.summary:
		return r.summary(m)
	case old || cut.done:
	default:
		if err := r.cut(cut, m.ms); err != nil {
			return err
		}
	}
	return r.add(m)
}

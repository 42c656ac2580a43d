package zeroclaw

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// sessionFacts is what a custom entry "zeroclaw:session" holds: what the database
// has about a session.
type sessionFacts struct {
	id, title, key string
	created        string
	state          map[string]stateFacts

	Layout  string                    `json:"layout"`
	Version int64                     `json:"userVersion,omitempty"`
	Key     string                    `json:"key"`
	Kind    string                    `json:"kind,omitempty"` // of the key
	Active  string                    `json:"active,omitempty"`
	Row     map[string]any            `json:"row,omitempty"`
	State   map[string]stateFacts     `json:"state,omitempty"`
	More    map[string]map[string]any `json:"more,omitempty"` // rows of other tables
}

// stateFacts is a row of session_state.
type stateFacts struct {
	Value   string `json:"value_json"`
	Updated string `json:"updated_at,omitempty"`
}

// rowFacts is what an entry cannot say of its row.
type rowFacts struct {
	ID      int64   `json:"id,omitempty"`
	Created *string `json:"created_at,omitempty"` // unless it is the entry's time
	Meta    *string `json:"meta_json,omitempty"`
	Content *string `json:"content,omitempty"` // unless it follows from the entry
	State   bool    `json:"state,omitempty"`   // there is no row: it follows from the state
}

// maxRows is how many rows are told of in one entry.
const maxRows = 200

// note keeps what the entry id cannot say of the message it was made of.
func (r *reading) note(id string, m message, raw string) error {
	f := rowFacts{ID: m.id}
	if !m.timed || timeText(m.ms) != m.created {
		f.Created = &m.created
	}
	if m.meta.Valid {
		meta := js.ValidText(m.meta.String)
		f.Meta = &meta
	}
	if raw != "" {
		f.Content = &raw
	}
	r.rows[id] = f
	if r.order = append(r.order, id); len(r.order) == maxRows {
		return r.tell()
	}
	return nil
}

// tell adds an entry about the rows of those before it.
func (r *reading) tell() error {
	if len(r.order) == 0 {
		return nil
	}
	fields := make([]js.Field, len(r.order))
	for i, id := range r.order {
		data, err := json.Marshal(r.rows[id])
		if err != nil {
			return fmt.Errorf("keeping what %s says of its rows: %w", r.store.path, err)
		}
		fields[i] = js.RawField(id, string(data))
	}
	last := r.order[len(r.order)-1]
	r.order = r.order[:0]
	clear(r.rows)
	_, err := r.b.Custom(formats.Place{Key: "rows " + last}, "rows", js.Object(fields...))
	return err
}

// session reads the row of the session, and its state.
func (r *reading) session(ctx context.Context, row int64) error {
	db, l := r.store.db, r.store.layout
	all, err := r.record(ctx, "sessions", "rowid", row)
	if err != nil {
		return err
	}
	if all == nil {
		return fmt.Errorf("reading %s: no session %d", db.Path(), row)
	}
	f := &r.facts
	f.id, f.key, f.title, f.created = text(all["session_id"]), text(all[l.key]), text(all["title"]), text(all["created_at"])
	f.Layout, f.Version, f.Key, f.Row = "fork", l.version, f.key, all
	f.Kind = kindOf(f.key)
	if active, ok, err := r.store.active(ctx, f.key); err != nil {
		return err
	} else if ok && active == f.id {
		f.Active = "yes"
		if l.index {
			index, err := r.record(ctx, "session_index", "session_key", f.key)
			if err != nil {
				return err
			}
			f.Active = text(index["updated_at"])
		}
	}
	for _, table := range []string{"session_meta"} {
		if !l.schema.Has(table, "session_id") {
			continue
		}
		more, err := r.record(ctx, table, "session_id", f.id)
		if err != nil {
			return err
		}
		if more != nil {
			f.More = map[string]map[string]any{table: more}
		}
	}
	return r.readState(ctx)
}

// record returns the row of a table in which a column has the value, nil if there is none.
func (r *reading) record(ctx context.Context, table, column string, value any) (map[string]any, error) {
	columns := r.store.layout.schema[table]
	values, err := r.store.db.Values(ctx, `SELECT `+sqldb.Columns(columns)+` FROM `+table+` WHERE `+column+` = ?`, value)
	if err != nil || values == nil {
		return nil, err
	}
	record := make(map[string]any, len(columns))
	for i, c := range columns {
		switch v := values[i].(type) {
		case string:
			record[js.ValidText(c)] = js.ValidText(v)
		case []byte:
			record[js.ValidText(c)] = map[string]string{"hex": hex.EncodeToString(v)}
		case time.Time, nil:
		default:
			record[js.ValidText(c)] = v
		}
	}
	return record, nil
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// maxStates is how many states a session may have.
const maxStates = 1000

func (r *reading) readState(ctx context.Context) error {
	f, db := &r.facts, r.store.db
	f.state = map[string]stateFacts{}
	if !r.store.layout.state {
		return nil
	}
	rows, err := db.QueryContext(ctx, `SELECT CAST(key AS TEXT), CAST(value_json AS TEXT), CAST(`+r.store.layout.column("session_state", "updated_at")+
		` AS TEXT) FROM session_state WHERE session_id = ? LIMIT ?`, f.id, maxStates+1)
	if err != nil {
		return db.Err(err)
	}
	defer rows.Close()
	for rows.Next() {
		var key, value, updated sqldb.Text
		if err := rows.Scan(&key, &value, &updated); err != nil {
			return db.Err(err)
		}
		f.state[js.ValidText(string(key))] = stateFacts{js.ValidText(string(value)), js.ValidText(string(updated))}
	}
	if len(f.state) > maxStates {
		return fmt.Errorf("reading %s: session %s has more than %d states", db.Path(), f.id, maxStates)
	}
	f.State = f.state
	return db.Err(rows.Err())
}

// header begins the session, and says what the database has about it.
func (r *reading) header() error {
	ms, ok := milliseconds(r.facts.created)
	if !ok {
		r.b.Lose(r.store.db.Path(), formats.KindTime, "session %s: no time: %q", r.facts.id, r.facts.created)
	}
	if err := r.b.Header(session.HeaderFields{ID: idOf(r.facts.id), Time: ms, CWD: r.store.cwd}); err != nil {
		return err
	}
	data, err := json.Marshal(r.facts)
	if err != nil {
		return fmt.Errorf("keeping what %s says of session %s: %w", r.store.path, r.facts.id, err)
	}
	if _, err := r.b.Custom(formats.Place{Key: "session"}, "session", string(data)); err != nil {
		return err
	}
	name := nameOf(r.facts.title, r.facts.key)
	if name == "" {
		return nil
	}
	_, err = r.b.Add(formats.Place{Key: "name"}, session.TypeSessionInfo, js.StringField("name", name))
	return err
}

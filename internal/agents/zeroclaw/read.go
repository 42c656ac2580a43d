package zeroclaw

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A reading is the reading of one session of a database.
type reading struct {
	store *store
	b     *formats.Builder
	spent estimate // since the last compaction
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

// messages reads the messages of the session in the order of their ids.
func (r *reading) messages(ctx context.Context, each func(message) error) error {
	var m message
	var role, content, created sqldb.Text
	var order ascending
	query := `SELECT id, CAST(role AS TEXT), CAST(content AS TEXT), CAST(created_at AS TEXT), CAST(` +
		r.store.layout.column("session_messages", "meta_json") + ` AS TEXT) FROM session_messages WHERE session_id = ? ORDER BY id`
	for err := range r.store.db.Rows(ctx, []any{&m.id, &role, &content, &created, &m.meta}, query, r.facts.id) {
		if err == nil {
			err = order.next(r.store.db, m.id)
		}
		if err != nil {
			return err
		}
		m.role, m.created = js.ValidText(string(role)), js.ValidText(string(created))
		m.content = js.ValidText(string(content))
		m.repaired = m.content != string(content)
		m.ms, m.timed = milliseconds(m.created)
		if err := each(m); err != nil {
			return err
		}
	}
	return nil
}

// at returns where a message is, for a loss.
func (r *reading) at(id int64) string {
	return fmt.Sprintf("%s: message %d", r.store.db.Path(), id)
}

func (m message) place() formats.Place {
	return formats.Place{Key: "row " + api.Int(m.id), Time: m.ms}
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
	var err error
	raw := "" // the part of the content to be kept
	switch m.role {
	case "user":
		_, err = r.b.Message(m.place(), api.User([]string{api.Text(m.content)}))
	case "assistant":
		_, err = r.b.Message(m.place(), api.Assistant([]string{api.Text(m.content)}))
	case "tool":
		raw = m.content
		_, err = r.b.Message(m.place(), toolResult(m))
	default: // which no model is shown
		_, err = r.b.Custom(m.place(), "message", js.Object(
			js.StringField("role", m.role), js.StringField("content", m.content)))
	}
	if err != nil {
		return err
	}
	return r.note(m, raw)
}

// toolResult returns the result that a tool's row holds: a JSON object with the
// id of the call and the text, or the text alone.
func toolResult(m message) session.Message {
	call, text := "row-"+api.Int(m.id), m.content
	if js.Valid([]byte(m.content)) {
		if id := js.Value(m.content).Get("tool_call_id").Str(); id != "" {
			call, text = id, js.Value(m.content).Get("content").Str()
		}
	}
	return api.ToolResult(call, "unknown", []string{api.Text(text)}, false)
}

// read reads the session whose row has that number.
func (r *reading) read(ctx context.Context, row int64) error {
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
	err = r.messages(ctx, func(m message) error { return r.message(m, cut) })
	if err == nil {
		err = r.cut(cut, 0)
	}
	return err
}

// message adds a message, and the cut if that is due.
func (r *reading) message(m message, cut *cut) error {
	old := cut.id != 0 && m.id <= cut.id
	switch {
	case old && isSummary(m.role, m.content), m.id == cut.summary:
		_, err := r.b.Compaction(m.place(), m.content[len(summaryPrefix):], "", r.spent.tokens())
		if err != nil {
			return err
		}
		r.spent = 0
		r.spent.add(m.content)
		return r.note(m, "")
	case old || cut.done:
	default:
		if err := r.cut(cut, m.ms); err != nil {
			return err
		}
	}
	return r.add(m)
}

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

// note keeps what the entry added last cannot say of the message it was made of.
func (r *reading) note(m message, raw string) error {
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
	return r.keep(f)
}

// keep keeps facts with the entry added last.
func (r *reading) keep(f rowFacts) error {
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("keeping what a row of %s says: %w", r.store.path, err)
	}
	return r.b.Keep(nil, formats.KeptLine{Text: string(data), Fact: f.Content == nil})
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
	if i := slices.IndexFunc(kinds, func(kind string) bool { return strings.HasPrefix(f.key, kind+":") }); i >= 0 {
		f.Kind = kinds[i] // the rest of the key may have more colons, which nothing escapes
	}
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
	if l.schema.Has("session_meta", "session_id") {
		more, err := r.record(ctx, "session_meta", "session_id", f.id)
		if err != nil {
			return err
		}
		if more != nil {
			f.More = map[string]map[string]any{"session_meta": more}
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
	var key, value, updated sqldb.Text
	for err := range db.Rows(ctx, []any{&key, &value, &updated}, `SELECT CAST(key AS TEXT), CAST(value_json AS TEXT), CAST(`+r.store.layout.column("session_state", "updated_at")+
		` AS TEXT) FROM session_state WHERE session_id = ? LIMIT ?`, f.id, maxStates+1) {
		if err != nil {
			return err
		}
		f.state[js.ValidText(string(key))] = stateFacts{js.ValidText(string(value)), js.ValidText(string(updated))}
	}
	if len(f.state) > maxStates {
		return fmt.Errorf("reading %s: session %s has more than %d states", db.Path(), f.id, maxStates)
	}
	f.State = f.state
	return nil
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
	r.b.BeginKeeping()
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

// summaryPrefix begins the assistant's message that is a compaction's summary.
const summaryPrefix = "[Session Compaction Summary]\n"

// The names of states.
const (
	stateBoundary = "compaction_after_message_id"
	stateSummary  = "compaction_summary"
)

// boundaryOf returns the id of the last message that a compaction summarized, as
// ZeroClaw reads it: a JSON integer, or else the digits between quotes and spaces.
func boundaryOf(value string) (id int64, ok bool) {
	var n json.Number
	if json.Unmarshal([]byte(value), &n) == nil && !strings.HasPrefix(strings.TrimSpace(value), `"`) {
		id, err := strconv.ParseInt(string(n), 10, 64)
		if err == nil {
			return id, true
		}
	}
	id, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(strings.Trim(value, `"`)), "+"), 10, 64)
	return id, err == nil && id > 0
}

// summaryOf returns the summary that is kept as state: a JSON string or bare text.
func summaryOf(value string) string {
	if js.Valid([]byte(value)) && strings.HasPrefix(value, `"`) {
		return js.Value(value).Str()
	}
	return value
}

// isSummary reports whether a message is the summary of a compaction.
func isSummary(role, content string) bool {
	return role == "assistant" && strings.HasPrefix(content, summaryPrefix)
}

// loaded reports whether ZeroClaw shows messages of the role to the model.
func loaded(role string) bool { return role == "user" || role == "assistant" || role == "tool" }

// An estimate adds up what messages cost a model, as ZeroClaw does.
type estimate int64

func (e *estimate) add(content string) { *e += estimate(utf8.RuneCountInString(content) + 16) }

func (e *estimate) tokens() int64 { return int64(*e+3) / 4 }

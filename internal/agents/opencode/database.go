package opencode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// schema is what a database has to have. Columns that came later may be missing, and so may be the tables of the messages of release 1,
// where there is one of release 2.
var (
	schema = sqldb.Schema{
		"session": {"id", "directory", "title", "time_created", "time_updated"},
	}
	firstSchema = sqldb.Schema{
		"message": {"id", "session_id", "time_created", "data"},
		"part":    {"id", "message_id", "session_id", "data"},
	}
	secondColumns = []string{"id", "session_id", "type", "time_created", "data"}
)

// A database is opencode's database.
type database struct {
	src     *formats.Source
	path    string
	db      *sqldb.DB
	columns []string // of a session, those that are there
	modTime time.Time

	first    bool // it has the tables of release 1
	second   bool // it has the table of release 2
	sequence bool // whose rows have a number

	lock   sync.Mutex
	newest map[string]int64 // see said; nil before it was asked for
}

func openDatabase(ctx context.Context, src *formats.Source, path string) (*database, error) {
	db, err := sqldb.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	d := &database{src: src, path: path, db: db}
	if err := d.readLayout(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if fi, err := os.Stat(path); err == nil {
		d.modTime = fi.ModTime()
	}
	return d, nil
}

// readLayout checks that the tables are opencode's, and notes the columns of a session.
func (d *database) readLayout(ctx context.Context) error {
	if err := d.db.Require(ctx, schema); err != nil {
		return err
	}
	have, err := d.db.Schema(ctx)
	if err != nil {
		return err
	}
	d.second, d.sequence = have.Has(secondTable, secondColumns...), have.Has(secondTable, "seq")
	if d.first = have.Has("message") || have.Has("part") || !d.second; d.first {
		if err := d.db.Require(ctx, firstSchema); err != nil {
			return err
		}
	}
	for _, c := range sessionColumns {
		if have.Has("session", c) {
			d.columns = append(d.columns, c)
		}
	}
	return nil
}

func (d *database) Close() error { return d.db.Close() }

// Lasts is that of the database.
func (d *database) Lasts() bool { return d.db.Lasts() }

// Sources returns the database and what SQLite keeps beside it.
func (d *database) Sources(context.Context, formats.Info) []string {
	return formats.Beside(d.path)
}

// List yields the sessions, the one that was written to last first.
func (d *database) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		none := formats.Info{Row: store.Row{Path: d.path}}
		var said map[string]int64
		if q.Details && q.Only != nil {
			var err error
			if said, err = d.said(ctx); err != nil {
				yield(none, err)
				return
			}
		}
		for about, err := range d.sessions(ctx, q.ID) {
			if err != nil {
				yield(none, err)
				return
			}
			info := formats.Info{Row: store.Row{Path: d.path, ModTime: d.modTime}, Key: about.Get("id").Str()}
			h := header(about)
			describe(&info, h, parts.Int(about, "time", "updated"))
			if about.Get("slug").Str() == q.ID {
				info.Alias = q.ID
			}
			spent(&info.Info, about)
			if said != nil {
				info.Latest = time.UnixMilli(max(info.Modified.UnixMilli(), said[info.Key])).UTC()
			}
			if q.Detailed(info) {
				info, err = formats.Describe(ctx, d, info)
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// spent fills in what opencode has summed up.
func spent(info *session.Info, about js.Value) {
	info.Spent.Input, info.Spent.Output, info.Spent.CacheRead, info.Spent.CacheWrite = parts.Counts(about.Get("tokens"))
	info.Spent.Reasoning = parts.Int(about.Get("tokens"), "reasoning")
	info.Spent.Cost = number(about.Get("cost"))
	info.Spent.Priced = info.Spent.Cost != 0
}

// said returns when the newest message of each session was made, in milliseconds since the epoch. A time that is no number may be
// any: it is the last one there is.
func (d *database) said(ctx context.Context) (map[string]int64, error) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.newest != nil { // of the one moment that is read
		return d.newest, nil
	}
	newest := map[string]int64{}
	for table, is := range map[string]bool{"message": d.first, secondTable: d.second} {
		if !is {
			continue
		}
		var id sqldb.Text
		var at any
		for err := range d.db.Rows(ctx, []any{&id, &at}, "SELECT session_id, max(time_created) FROM "+table+" GROUP BY session_id") {
			if err != nil {
				return nil, err
			}
			ms, ok := at.(int64)
			if !ok || ms > maxTime {
				ms = maxTime
			}
			newest[string(id)] = max(newest[string(id)], ms)
		}
	}
	d.newest = newest
	return newest, nil
}

// sessions yields the facts about each session, as an export has them; with an id, of those that it
// may mean.
func (d *database) sessions(ctx context.Context, id string) iter.Seq2[js.Value, error] {
	if id == "" {
		return d.abouts(ctx, "ORDER BY time_updated DESC, id", nil)
	}
	which := "WHERE substr(id, 1, length(?1)) = ?1 OR title = ?1"
	if slices.Contains(d.columns, "slug") {
		which += " OR slug = ?1"
	}
	return d.abouts(ctx, which+" ORDER BY time_updated DESC, id", []any{id})
}

// abouts yields the facts about the sessions that a condition in SQL selects.
func (d *database) abouts(ctx context.Context, which string, args []any) iter.Seq2[js.Value, error] {
	query := "SELECT " + strings.Join(d.columns, ", ") + " FROM session " + which
	values, dest := make([]any, len(d.columns)), make([]any, len(d.columns))
	for i := range values {
		dest[i] = &values[i]
	}
	return func(yield func(js.Value, error) bool) {
		for err := range d.db.Rows(ctx, dest, query, args...) {
			if err != nil {
				yield("", err)
				return
			}
			if !yield(rowOf(d.columns, values).info(), nil) {
				return
			}
		}
	}
}

func (d *database) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	doc, err := d.open(ctx, info.Key)
	if err != nil {
		return err
	}
	defer doc.close()
	if doc.rows > 0 {
		b.Claim("%s has %s of it", secondTable, tty.Count(doc.rows, "row", "rows"))
	}
	if err := convert(ctx, doc, header(doc.about), b); err != nil {
		return fmt.Errorf("%s: session %s: %w", d.path, info.ID, err)
	}
	return d.db.Verify()
}

// open notes the messages of a session.
func (d *database) open(ctx context.Context, id string) (*stored, error) {
	s := &stored{database: d, id: id}
	for _, list := range []iter.Seq2[js.Value, error]{d.abouts(ctx, "WHERE id = ?", []any{id}), d.sessions(ctx, id)} { // the id may be no text
		for about, err := range list {
			if err != nil {
				return nil, err
			}
			if about.Get("id").Str() == id {
				s.about = about
				break
			}
		}
		if s.about != "" {
			break
		}
	}
	if s.about == "" {
		return nil, fmt.Errorf("reading %s: %w %s", d.path, formats.ErrNotFound, id)
	}
	if s.first {
		if err := s.note(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.noteSecond(ctx); err != nil {
		return nil, err
	}
	order(s.messages)
	return s, nil
}

// A stored session is one of a database.
type stored struct {
	*database
	damaged
	id       string
	about    js.Value
	messages []ref
	rows     int // of release 2
	report   func(where, kind, format string, args ...any)

	infos, parts *runs // of release 1
}

func (s *stored) info() js.Value { return s.about }
func (s *stored) refs() []ref    { return s.messages }

func (s *stored) damage(lose func(where, kind, format string, args ...any)) {
	s.report = lose
	s.damaged.damage(lose)
}

// partsOfSession yields the parts of all messages of a session, in opencode's order.
const partsOfSession = "SELECT m.id, p.id, p.data FROM message m JOIN part p ON p.message_id = m.id WHERE m.session_id = ? ORDER BY m.time_created, m.id, p.id"

// note notes the messages, in opencode's order, and which of them are compactions. Those count where a message sums them up.
func (s *stored) note(ctx context.Context) error {
	var id, created, data sqldb.Text
	sums, skipped := false, map[string]bool{}
	for err := range s.db.Rows(ctx, []any{&id, &created, &data}, "SELECT id, time_created, data FROM message WHERE session_id = ?", s.id) {
		if err != nil {
			return err
		}
		if !isJSON(string(data)) {
			s.lose("message "+string(id), "not a JSON object, skipped")
			skipped[string(id)] = true
			continue
		}
		r := ref{}
		r.created, _ = parts.Integer(js.Value(created))
		r.note(js.Value(data))
		r.id = string(id)
		sums = sums || r.summary
		s.messages = append(s.messages, r)
	}
	s.infos = &runs{
		db: s.db, session: s.id, skipped: skipped,
		all: "SELECT id, id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
		one: "SELECT id, id, data FROM message WHERE id = ?",
	}
	s.parts = &runs{
		db: s.db, session: s.id, skipped: skipped,
		all: partsOfSession,
		one: "SELECT message_id, id, data FROM part WHERE message_id = ? ORDER BY id",
	}
	if !sums {
		return nil
	}
	return s.noteCompactions(ctx)
}

// close ends the queries.
func (s *stored) close() {
	for _, r := range []*runs{s.infos, s.parts} {
		r.close()
	}
}

// noteCompactions notes which messages are compactions.
func (s *stored) noteCompactions(ctx context.Context) error {
	at := make(map[string]int, len(s.messages))
	for i, r := range s.messages {
		at[r.id] = i
	}
	var id, data sqldb.Text
	for err := range s.db.Rows(ctx, []any{&id, &data}, "SELECT message_id, data FROM part WHERE session_id = ? AND instr(data, '\"compaction\"') > 0", s.id) {
		if err != nil {
			return err
		}
		if i, ok := at[string(id)]; ok && isJSON(string(data)) {
			s.messages[i].notePart(js.Value(data))
		}
	}
	return nil
}

// isJSON reports whether a value is an object that is not nested too deep.
func isJSON(text string) bool {
	return js.Value(text).IsObject() && js.Valid([]byte(text)) && js.Depth([]byte(text)) <= maxDepth
}

// message reads one message and its parts, as an export has them.
func (s *stored) message(ctx context.Context, r ref) (message, error) {
	if r.row != "" {
		return s.secondMessage(ctx, r)
	}
	infos, err := s.infos.of(ctx, r.id)
	if err == nil && len(infos) == 0 {
		err = s.db.Err(fmt.Errorf("no message has the id %.40q", r.id))
	}
	if err != nil {
		return message{}, err
	}
	m := message{info: identified(string(infos[0].data), js.StringField("id", r.id), js.StringField("sessionID", s.id))}
	list, err := s.parts.of(ctx, r.id)
	if err != nil {
		return message{}, err
	}
	for _, p := range list {
		if !isJSON(string(p.data)) {
			if s.report != nil {
				s.report("message "+r.id, formats.KindDamage, "part %s is not a JSON object, skipped", string(p.id))
			}
			continue
		}
		m.parts = append(m.parts, identified(string(p.data), js.StringField("id", string(p.id)),
			js.StringField("sessionID", s.id), js.StringField("messageID", r.id)))
	}
	return m, nil
}

// identified returns what a row holds with the ids that are in other columns, behind the rest.
func identified(data string, ids ...js.Field) js.Value {
	v := compact(data)
	var out []js.Field
	for name, value := range v.Members() {
		switch name {
		case "id", "sessionID", "messageID":
		default:
			out = append(out, js.RawField(name, value))
		}
	}
	return js.Value(strings.ToValidUTF8(js.Object(append(out, ids...)...), "\ufffd"))
}

// sessionColumns are the columns of a session, as far as an export has them.
var sessionColumns = []string{
	"id", "slug", "project_id", "workspace_id", "directory", "path", "parent_id", "title", "agent", "model", "version",
	"summary_additions", "summary_deletions", "summary_files", "summary_diffs", "cost",
	"tokens_input", "tokens_output", "tokens_reasoning", "tokens_cache_read", "tokens_cache_write",
	"share_url", "metadata", "revert", "permission", "time_created", "time_updated", "time_compacting", "time_archived",
}

// A row is a row of a table: each column that is not null.
type row map[string]js.Value

// jsonColumns hold JSON texts.
var jsonColumns = map[string]bool{"model": true, "summary_diffs": true, "metadata": true, "revert": true, "permission": true}

// rowOf returns a row of sessions by the values of the columns.
func rowOf(columns []string, values []any) row {
	r := row{}
	for i, name := range columns {
		switch v := values[i].(type) {
		case int64:
			r[name] = js.Value(strconv.FormatInt(v, 10))
		case float64:
			r[name] = float(v)
		case string:
			r[name] = fromText(name, v)
		case []byte:
			r[name] = fromText(name, string(v))
		}
	}
	return r
}

// fromText returns the value of a text in a column.
func fromText(column, text string) js.Value {
	if !jsonColumns[column] {
		return js.Value(js.Quote(text))
	}
	if !js.Valid([]byte(text)) || js.Depth([]byte(text)) > maxDepth {
		return ""
	}
	if v := compact(text); v != "null" {
		return v
	}
	return ""
}

// info returns what an export says of the session, in the same order.
func (r row) info() js.Value {
	field := func(name, column string) js.Field { return js.RawField(name, r[column]) }
	count := func(name, column string) js.Field { return js.RawField(name, cmp.Or(r[column], "0")) }
	summary, share := "", ""
	if cmp.Or(r["summary_additions"], r["summary_deletions"], r["summary_files"]) != "" {
		summary = js.Object(count("additions", "summary_additions"), count("deletions", "summary_deletions"),
			count("files", "summary_files"), field("diffs", "summary_diffs"))
	}
	if url := r["share_url"]; url != "" && url != `""` {
		share = js.Object(field("url", "share_url"))
	}
	tokens := js.Object(count("input", "tokens_input"), count("output", "tokens_output"), count("reasoning", "tokens_reasoning"),
		js.RawField("cache", js.Object(count("read", "tokens_cache_read"), count("write", "tokens_cache_write"))))
	return object(
		field("id", "id"), field("slug", "slug"), field("projectID", "project_id"), field("workspaceID", "workspace_id"),
		field("directory", "directory"), field("path", "path"), field("parentID", "parent_id"), field("title", "title"),
		field("agent", "agent"), field("model", "model"), field("version", "version"),
		js.RawField("summary", summary), count("cost", "cost"), js.RawField("tokens", tokens),
		js.RawField("share", share), field("metadata", "metadata"), field("revert", "revert"), field("permission", "permission"),
		js.RawField("time", js.Object(
			field("created", "time_created"), field("updated", "time_updated"), field("compacting", "time_compacting"), field("archived", "time_archived"))),
	)
}

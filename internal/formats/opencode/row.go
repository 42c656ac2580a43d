package opencode

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// sessionColumns are the columns of a session, as far as an export has them.
var sessionColumns = []string{
	"id", "slug", "project_id", "workspace_id", "directory", "path", "parent_id", "title", "agent", "model", "version",
	"summary_additions", "summary_deletions", "summary_files", "summary_diffs", "cost",
	"tokens_input", "tokens_output", "tokens_reasoning", "tokens_cache_read", "tokens_cache_write",
	"share_url", "metadata", "revert", "permission", "time_created", "time_updated", "time_compacting", "time_archived",
}

// A row is a row of a table: the JSON text of each column that is not null.
type row map[string]string

// jsonColumns hold JSON texts.
var jsonColumns = map[string]bool{"model": true, "summary_diffs": true, "metadata": true, "revert": true, "permission": true}

// scan reads a row of sessions.
func scan(rows *sql.Rows, columns []string) (row, error) {
	values, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		to[i] = &values[i]
	}
	if err := rows.Scan(to...); err != nil {
		return nil, err
	}
	r := row{}
	for i, name := range columns {
		switch v := values[i].(type) {
		case int64:
			r[name] = strconv.FormatInt(v, 10)
		case float64:
			r[name] = js.Stringify(strconv.FormatFloat(v, 'g', -1, 64))
		case string:
			r[name] = fromText(name, v)
		case []byte:
			r[name] = fromText(name, string(v))
		}
	}
	return r, nil
}

// fromText returns the JSON text for a text in a column.
func fromText(column, text string) string {
	if !jsonColumns[column] {
		return js.Quote(text)
	}
	if !js.Valid([]byte(text)) || js.Depth([]byte(text)) > maxDepth {
		return ""
	}
	if text = compact(text); text == "null" {
		return ""
	}
	return text
}

// or returns a column, or what stands for null.
func (r row) or(column, other string) string {
	if raw := r[column]; raw != "" {
		return raw
	}
	return other
}

// info returns what an export says of the session, in the same order.
func (r row) info() string {
	field := func(name, column string) session.Field { return session.Field{Name: name, Raw: r[column]} }
	summary := ""
	if r["summary_additions"] != "" || r["summary_deletions"] != "" || r["summary_files"] != "" {
		summary = formats.Object(
			session.Field{Name: "additions", Raw: r.or("summary_additions", "0")}, session.Field{Name: "deletions", Raw: r.or("summary_deletions", "0")},
			session.Field{Name: "files", Raw: r.or("summary_files", "0")}, field("diffs", "summary_diffs"))
	}
	share := ""
	if url := r["share_url"]; url != "" && url != `""` {
		share = formats.Object(field("url", "share_url"))
	}
	return formats.Object(
		field("id", "id"), field("slug", "slug"), field("projectID", "project_id"), field("workspaceID", "workspace_id"),
		field("directory", "directory"), field("path", "path"), field("parentID", "parent_id"), field("title", "title"),
		field("agent", "agent"), field("model", "model"), field("version", "version"),
		session.Field{Name: "summary", Raw: summary}, session.Field{Name: "cost", Raw: r.or("cost", "0")}, session.Field{Name: "tokens", Raw: r.tokens()},
		session.Field{Name: "share", Raw: share}, field("metadata", "metadata"), field("revert", "revert"), field("permission", "permission"),
		session.Field{Name: "time", Raw: formats.Object(
			field("created", "time_created"), field("updated", "time_updated"), field("compacting", "time_compacting"), field("archived", "time_archived"))},
	)
}

func (r row) tokens() string {
	return formats.Object(
		session.Field{Name: "input", Raw: r.or("tokens_input", "0")}, session.Field{Name: "output", Raw: r.or("tokens_output", "0")},
		session.Field{Name: "reasoning", Raw: r.or("tokens_reasoning", "0")},
		session.Field{Name: "cache", Raw: formats.Object(
			session.Field{Name: "read", Raw: r.or("tokens_cache_read", "0")}, session.Field{Name: "write", Raw: r.or("tokens_cache_write", "0")})},
	)
}

// number returns the number that a JSON text is, 0 of any other.
func number(raw string) float64 {
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return 0
	}
	return f
}

// message reads one message and its parts, as an export has them.
func (s *stored) message(ctx context.Context, r ref) (message, error) {
	var data sqldb.Text
	if err := s.db.QueryRowContext(ctx, "SELECT data FROM message WHERE id = ?", r.id).Scan(&data); err != nil {
		return message{}, s.db.Err(err)
	}
	m := message{info: identified(string(data), session.StringField("id", r.id), session.StringField("sessionID", s.id))}
	rows, err := s.db.QueryContext(ctx, "SELECT id, data FROM part WHERE message_id = ? ORDER BY id", r.id)
	if err != nil {
		return message{}, s.db.Err(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, data sqldb.Text
		if err := rows.Scan(&id, &data); err != nil {
			return message{}, s.db.Err(err)
		}
		if !isJSON(string(data)) {
			s.bad(r.id, string(id))
			continue
		}
		m.parts = append(m.parts, identified(string(data), session.StringField("id", string(id)),
			session.StringField("sessionID", s.id), session.StringField("messageID", r.id)))
	}
	return m, s.db.Err(rows.Err())
}

// identified returns what a row holds with the ids that are in other columns, behind the rest.
func identified(data string, ids ...session.Field) string {
	list := fields(compact(data))
	var out []session.Field
	for _, f := range list {
		switch f.Name {
		case "id", "sessionID", "messageID":
		default:
			out = append(out, f)
		}
	}
	return strings.ToValidUTF8(formats.Object(append(out, ids...)...), "\ufffd")
}

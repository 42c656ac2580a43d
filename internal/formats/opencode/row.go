package opencode

import (
	"database/sql"
	"strconv"

	"github.com/sess-tools/sess/internal/formats"
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

// count returns a column, 0 for null.
func (r row) count(column string) string {
	if raw := r[column]; raw != "" {
		return raw
	}
	return "0"
}

// info returns what an export says of the session, in the same order.
func (r row) info() string {
	field := func(name, column string) session.Field { return session.Field{Name: name, Raw: r[column]} }
	summary := ""
	if r["summary_additions"] != "" || r["summary_deletions"] != "" || r["summary_files"] != "" {
		summary = formats.Object(
			session.Field{Name: "additions", Raw: r.count("summary_additions")}, session.Field{Name: "deletions", Raw: r.count("summary_deletions")},
			session.Field{Name: "files", Raw: r.count("summary_files")}, field("diffs", "summary_diffs"))
	}
	share := ""
	if url := r["share_url"]; url != "" && url != `""` {
		share = formats.Object(field("url", "share_url"))
	}
	return formats.Object(
		field("id", "id"), field("slug", "slug"), field("projectID", "project_id"), field("workspaceID", "workspace_id"),
		field("directory", "directory"), field("path", "path"), field("parentID", "parent_id"), field("title", "title"),
		field("agent", "agent"), field("model", "model"), field("version", "version"),
		session.Field{Name: "summary", Raw: summary}, session.Field{Name: "cost", Raw: r.count("cost")}, session.Field{Name: "tokens", Raw: r.tokens()},
		session.Field{Name: "share", Raw: share}, field("metadata", "metadata"), field("revert", "revert"), field("permission", "permission"),
		session.Field{Name: "time", Raw: formats.Object(
			field("created", "time_created"), field("updated", "time_updated"), field("compacting", "time_compacting"), field("archived", "time_archived"))},
	)
}

func (r row) tokens() string {
	return formats.Object(
		session.Field{Name: "input", Raw: r.count("tokens_input")}, session.Field{Name: "output", Raw: r.count("tokens_output")},
		session.Field{Name: "reasoning", Raw: r.count("tokens_reasoning")},
		session.Field{Name: "cache", Raw: formats.Object(
			session.Field{Name: "read", Raw: r.count("tokens_cache_read")}, session.Field{Name: "write", Raw: r.count("tokens_cache_write")})},
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

package opencode

import (
	"database/sql"
	"strconv"

	"github.com/sess-tools/sess/pkg/js"
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
	field := func(name, column string) js.Field { return js.RawField(name, r[column]) }
	summary := ""
	if r["summary_additions"] != "" || r["summary_deletions"] != "" || r["summary_files"] != "" {
		summary = js.Object(
			js.RawField("additions", r.count("summary_additions")), js.RawField("deletions", r.count("summary_deletions")),
			js.RawField("files", r.count("summary_files")), field("diffs", "summary_diffs"))
	}
	share := ""
	if url := r["share_url"]; url != "" && url != `""` {
		share = js.Object(field("url", "share_url"))
	}
	return js.Object(
		field("id", "id"), field("slug", "slug"), field("projectID", "project_id"), field("workspaceID", "workspace_id"),
		field("directory", "directory"), field("path", "path"), field("parentID", "parent_id"), field("title", "title"),
		field("agent", "agent"), field("model", "model"), field("version", "version"),
		js.RawField("summary", summary), js.RawField("cost", r.count("cost")), js.RawField("tokens", r.tokens()),
		js.RawField("share", share), field("metadata", "metadata"), field("revert", "revert"), field("permission", "permission"),
		js.Field{Name: "time", Raw: js.Object(
			field("created", "time_created"), field("updated", "time_updated"), field("compacting", "time_compacting"), field("archived", "time_archived"))},
	)
}

func (r row) tokens() string {
	return js.Object(
		js.RawField("input", r.count("tokens_input")), js.RawField("output", r.count("tokens_output")),
		js.RawField("reasoning", r.count("tokens_reasoning")),
		js.Field{Name: "cache", Raw: js.Object(
			js.RawField("read", r.count("tokens_cache_read")), js.RawField("write", r.count("tokens_cache_write")))},
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

package opencode

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
)

// insert puts a session into the database that t names, which opencode must have
// made and not have open.
func insert(ctx context.Context, t *formats.Target, doc exported) error {
	if err := t.Ready(); err != nil {
		return err
	}
	if t.DryRun {
		_, err := doc.WriteTo(t.Out)
		return err
	}
	err := sqldb.UpdateAlone(ctx, t.DB, func(ctx context.Context, tx *sql.Tx) error {
		i := &insertion{ctx: ctx, tx: tx, known: map[string][]string{}}
		i.session(doc)
		for _, m := range doc.messages {
			i.message(m)
		}
		return i.err
	})
	switch {
	case errors.Is(err, sqldb.ErrOpen):
		return fmt.Errorf("%w: opencode must not be running", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: opencode makes it when it is first run", err)
	case err == nil:
		id := doc.info.Get("id").Str()
		t.Made, t.Next = append(t.Made, id), [][]string{goOn(id)}
	}
	return err
}

// An insertion is the writing of rows, up to the first error.
type insertion struct {
	ctx context.Context
	tx  *sql.Tx
	id  string
	err error

	known map[string][]string // columns of tables
}

// row adds a row to a table with the columns that have a value and that the table has.
func (i *insertion) row(table string, columns map[string]any) {
	if i.err != nil {
		return
	}
	have := i.columns(table)
	var names []string
	var values []any
	for _, name := range have {
		if v, ok := columns[name]; ok && v != nil {
			names, values = append(names, "`"+name+"`"), append(values, v)
		}
	}
	if i.err != nil || len(names) == 0 {
		return
	}
	_, i.err = i.tx.ExecContext(i.ctx, "INSERT INTO `"+table+"` ("+strings.Join(names, ", ")+") VALUES (?"+strings.Repeat(", ?", len(names)-1)+")", values...)
}

// columns returns the columns of a table, and fails without any.
func (i *insertion) columns(table string) []string {
	if have, ok := i.known[table]; ok {
		return have
	}
	var out []string
	var name string
	for i.err = range sqldb.Rows(i.ctx, i.tx, []any{&name}, "SELECT name FROM pragma_table_info(?)", table) {
		if i.err != nil {
			return nil
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		i.err = fmt.Errorf("%w: it has no table %s", sqldb.ErrSchema, table)
	}
	i.known[table] = out
	return out
}

// text returns a string for a column, nil if there is none.
func text(v js.Value) any {
	if s := v.Str(); s != "" {
		return s
	}
	return nil
}

// numeric returns a number for a column, without its fraction, nil if there is none.
func numeric(v js.Value) any {
	if n, ok := parts.Integer(v); ok {
		return n
	}
	return nil
}

// data returns a value for a column that holds JSON, nil if there is none.
func data(v js.Value) any {
	if v == "" {
		return nil
	}
	return js.Stringify(string(v))
}

// session adds the row of the session, and that of its project if it is not there.
func (i *insertion) session(doc exported) {
	about := doc.info
	i.id = about.Get("id").Str()
	i.err = sqldb.Absent(i.ctx, i.tx, "session", "id", i.id)
	directory := about.Get("directory").Str()
	project, worktree := i.project(directory, parts.Int(about, "time", "created"))
	path, err := filepath.Rel(worktree, directory)
	if err != nil {
		path = ""
	}
	tokens, summary, times := about.Get("tokens"), about.Get("summary"), about.Get("time")
	i.row("session", map[string]any{
		"id": i.id, "project_id": project, "workspace_id": text(about.Get("workspaceID")), "parent_id": text(about.Get("parentID")),
		"slug": about.Get("slug").Str(), "directory": directory, "path": filepath.ToSlash(path), "title": about.Get("title").Str(), "version": about.Get("version").Str(),
		"share_url": text(about.Get("share", "url")), "agent": text(about.Get("agent")), "model": data(about.Get("model")),
		"summary_additions": numeric(summary.Get("additions")), "summary_deletions": numeric(summary.Get("deletions")),
		"summary_files": numeric(summary.Get("files")), "summary_diffs": data(summary.Get("diffs")),
		"metadata": data(about.Get("metadata")), "cost": number(about.Get("cost")),
		"tokens_input": parts.Int(tokens, "input"), "tokens_output": parts.Int(tokens, "output"), "tokens_reasoning": parts.Int(tokens, "reasoning"),
		"tokens_cache_read": parts.Int(tokens, "cache", "read"), "tokens_cache_write": parts.Int(tokens, "cache", "write"),
		"revert": data(about.Get("revert")), "permission": data(about.Get("permission")),
		"time_created": parts.Int(times, "created"), "time_updated": parts.Int(times, "updated"),
		"time_compacting": numeric(times.Get("compacting")), "time_archived": numeric(times.Get("archived")),
	})
}

// project returns the project that a directory belongs to, as far as opencode knows it
// already: the one of the nearest worktree, else the one that it calls global.
func (i *insertion) project(directory string, at int64) (id, worktree string) {
	if i.err != nil {
		return "", ""
	}
	global := false
	var one, tree string
	for i.err = range sqldb.Rows(i.ctx, i.tx, []any{&one, &tree}, "SELECT id, worktree FROM project") {
		if i.err != nil {
			return "", ""
		}
		global = global || one == "global"
		inside := directory == tree || strings.HasPrefix(directory, strings.TrimSuffix(tree, "/")+"/")
		if one != "global" && tree != "/" && inside && len(tree) > len(worktree) {
			id, worktree = one, tree
		}
	}
	if id != "" {
		return id, worktree
	}
	if !global {
		i.row("project", map[string]any{"id": "global", "worktree": "/", "sandboxes": "[]", "time_created": at, "time_updated": at})
	}
	return "global", "/"
}

// message adds the rows of a message and its parts. What is in other columns is not in their data.
func (i *insertion) message(m written) {
	i.row("message", map[string]any{
		"id": m.id(), "session_id": i.id, "time_created": m.created, "time_updated": m.created,
		"data": data(m.info.Without("id", "sessionID")),
	})
	for _, p := range m.parts {
		i.row("part", map[string]any{
			"id": p.Get("id").Str(), "message_id": m.id(), "session_id": i.id, "time_created": m.created, "time_updated": m.created,
			"data": data(p.Without("id", "sessionID", "messageID")),
		})
	}
}

// An exported session is what "opencode export" would print of it.
type exported struct {
	info     js.Value
	messages []written
}

// WriteTo writes the session as opencode does, indented by two.
func (x exported) WriteTo(w io.Writer) (n int64, err error) {
	c := &disk.Counter{W: w}
	p := bufio.NewWriter(c)
	p.WriteString("{\n  \"info\": ")
	indent(p, string(x.info), "  ")
	p.WriteString(",\n  \"messages\": [")
	for i, m := range x.messages {
		if i > 0 {
			p.WriteString(",")
		}
		p.WriteString("\n    ")
		indent(p, js.Object(js.RawField("info", m.info), js.RawField("parts", api.Array(m.parts...))), "    ")
	}
	if len(x.messages) > 0 {
		p.WriteString("\n  ")
	}
	p.WriteString("]\n}\n")
	err = p.Flush() // which is the first error of p
	return c.N, err
}

func indent(p *bufio.Writer, raw, prefix string) {
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(raw), prefix, "  ") // it is JSON
	p.Write(b.Bytes())
}

// float returns a number.
func float(f float64) js.Value { return js.Value(js.Stringify(strconv.FormatFloat(f, 'g', -1, 64))) }

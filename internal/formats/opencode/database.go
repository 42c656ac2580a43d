package opencode

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/sqldb"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// schema is what a database has to have. Columns that came later may be missing.
var schema = sqldb.Schema{
	"session": {"id", "slug", "directory", "title", "version", "time_created", "time_updated"},
	"message": {"id", "session_id", "time_created", "data"},
	"part":    {"id", "message_id", "session_id", "data"},
}

// A database is opencode's database.
type database struct {
	src     *formats.Source
	path    string
	db      *sqldb.DB
	columns []string // of a session, those that are there
	size    int64
	modTime time.Time
}

func openDatabase(ctx context.Context, src *formats.Source, path string) (formats.Archive, error) {
	db, err := sqldb.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	d := &database{src: src, path: path, db: db}
	if err := d.look(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if fi, err := os.Stat(path); err == nil {
		d.size, d.modTime = fi.Size(), fi.ModTime()
	}
	return d, nil
}

// look sees that the tables are opencode's.
func (d *database) look(ctx context.Context) error {
	if err := d.db.Require(ctx, schema); err != nil {
		return err
	}
	have, err := d.db.Schema(ctx)
	if err != nil {
		return err
	}
	for _, c := range sessionColumns {
		if have.Has("session", c) {
			d.columns = append(d.columns, c)
		}
	}
	return nil
}

func (d *database) Close() error { return d.db.Close() }

// List yields the sessions, the one that was written to last first.
func (d *database) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		none := formats.Info{Row: store.Row{Path: d.path}}
		for about, err := range d.sessions(ctx, q.ID) {
			if err != nil {
				yield(none, err)
				return
			}
			info := formats.Info{Row: store.Row{Path: d.path, ModTime: d.modTime}, Key: str(about, "id")}
			h := header(about, d.src)
			describe(&info, h, num(about, "time", "updated"))
			if str(about, "slug") == q.ID {
				info.Alias = q.ID
			}
			spent(&info.Info, about)
			if q.Details {
				info, err = formats.Describe(ctx, d, info)
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// spent fills in what opencode has summed up.
func spent(info *session.Info, about string) {
	tokens := get(about, "tokens")
	info.Spent.Input, info.Spent.Output = num(tokens, "input"), num(tokens, "output")+num(tokens, "reasoning")
	info.Spent.CacheRead, info.Spent.CacheWrite = num(tokens, "cache", "read"), num(tokens, "cache", "write")
	info.Spent.Cost = number(get(about, "cost"))
}

// sessions yields what is known of each session, as an export has it; with an id, of those that it
// may mean.
func (d *database) sessions(ctx context.Context, id string) iter.Seq2[string, error] {
	query := "SELECT " + strings.Join(d.columns, ", ") + " FROM session"
	var args []any
	if id != "" {
		query += " WHERE substr(id, 1, length(?1)) = ?1 OR slug = ?1 OR title = ?1"
		args = append(args, id)
	}
	query += " ORDER BY time_updated DESC, id"
	return func(yield func(string, error) bool) {
		rows, err := d.db.QueryContext(ctx, query, args...)
		if err != nil {
			yield("", d.db.Err(err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			row, err := scan(rows, d.columns)
			if err != nil {
				yield("", d.db.Err(err))
				return
			}
			if !yield(row.info(), nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield("", d.db.Err(err))
		}
	}
}

func (d *database) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	doc, err := d.open(ctx, info.Key)
	if err != nil {
		return err
	}
	if err := convert(ctx, doc, header(doc.about, d.src), b); err != nil {
		return fmt.Errorf("%s: session %s: %w", d.path, info.ID, err)
	}
	return d.db.Verify()
}

// open notes the messages of a session.
func (d *database) open(ctx context.Context, id string) (*stored, error) {
	s := &stored{database: d, id: id}
	for about, err := range d.sessions(ctx, id) {
		if err != nil {
			return nil, err
		}
		if str(about, "id") == id {
			s.about = about
			break
		}
	}
	if s.about == "" {
		return nil, fmt.Errorf("reading %s: %w %s", d.path, formats.ErrNotFound, id)
	}
	if err := s.note(ctx); err != nil {
		return nil, err
	}
	return s, s.noteCompactions(ctx)
}

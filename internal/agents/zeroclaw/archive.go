package zeroclaw

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/session"
)

// An archive is one store, or those of a workspace.
type archive struct {
	src    *formats.Source
	stores []*store
}

// A store is a database.
type store struct {
	path   string // "" for standard input
	cwd    string
	file   *formats.File // tells size and time of the database
	db     *sqldb.DB
	layout layout
	broken error
}

// open opens a store.
func (a *archive) open(ctx context.Context, path string) (*store, error) {
	src := a.src
	if path != src.Path {
		src = &formats.Source{Path: path}
	}
	file, err := src.Open(ctx)
	if err != nil {
		return nil, err
	}
	s := &store{path: path, file: file, cwd: a.cwd(path)}
	if path == "" {
		s.db, err = sqldb.OpenStream(ctx, src.Name(), file.Reader(ctx))
	} else {
		s.db, err = sqldb.Open(ctx, path)
	}
	if err == nil {
		s.layout, err = layoutOf(ctx, s.db)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// cwd returns the working directory of the sessions in the store path: the workspace.
func (a *archive) cwd(path string) string {
	dir, err := filepath.Abs(filepath.Dir(path))
	if base := filepath.Base(dir); path == "" || err != nil || base != "memory" && base != "sessions" {
		return ""
	}
	return filepath.Dir(dir)
}

func (s *store) close() error {
	var errs []error
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	if s.file != nil {
		errs = append(errs, s.file.Close())
	}
	return errors.Join(errs...)
}

func (a *archive) Close() error {
	var errs []error
	for _, s := range a.stores {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

func (a *archive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		for i, s := range a.stores {
			for info, err := range s.list(ctx, q.ID) {
				info.Path, info.CWD, info.Version = s.path, s.cwd, 3
				if s.file != nil {
					info.Size, info.ModTime = s.file.Size, s.file.ModTime
				}
				info.Key = strconv.Itoa(i) + " " + info.Key
				if err == nil {
					info, err = a.described(ctx, q, info)
				}
				if !yield(info, err) || ctx.Err() != nil {
					return
				}
			}
		}
	}
}

// described fills in the details that were asked for.
func (a *archive) described(ctx context.Context, q formats.Query, info formats.Info) (formats.Info, error) {
	if info.Modified.IsZero() {
		info.Modified = info.ModTime
	}
	if !q.Detailed(info) {
		return info, nil
	}
	detailed, err := formats.Describe(ctx, a, info)
	if err != nil {
		return info, err
	}
	if q.ID != "" && info.Name == q.ID {
		detailed.Name = info.Name // found by its key
	}
	if detailed.Modified.IsZero() {
		detailed.Modified = info.Modified
	}
	return detailed, nil
}

// list yields the sessions of the store whose id, key or name is id, or all.
func (s *store) list(ctx context.Context, id string) iter.Seq2[formats.Info, error] {
	if s.broken != nil {
		return func(yield func(formats.Info, error) bool) { yield(formats.Info{}, s.broken) }
	}
	return s.listSessions(ctx, id)
}

func (a *archive) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	var n int
	var row int64
	if _, err := fmt.Sscanf(info.Key, "%d %d", &n, &row); err != nil || n < 0 || n >= len(a.stores) || a.stores[n].broken != nil {
		return fmt.Errorf("reading %s: no session %q", a.src.Name(), info.Key)
	}
	r := &reading{store: a.stores[n], b: b}
	if err := r.read(ctx, row); err != nil {
		return err
	}
	return r.store.db.Verify()
}

// ascending keeps watch over row numbers: a damaged database could go round in
// circles.
type ascending struct {
	last int64
	any  bool
}

func (a *ascending) next(db *sqldb.DB, row int64) error {
	if a.any && row <= a.last {
		return fmt.Errorf("reading %s: the database is damaged: row %d comes after row %d", db.Path(), row, a.last)
	}
	a.last, a.any = row, true
	return nil
}

// idOf returns the id of a session that ZeroClaw calls name.
func idOf(name string) string {
	if session.ValidSessionID(name) {
		return name
	}
	return formats.SessionID("zeroclaw", name)
}

// listSessions yields the sessions in the order in which they were made.
func (s *store) listSessions(ctx context.Context, id string) iter.Seq2[formats.Info, error] {
	query := fmt.Sprintf(`SELECT rowid, coalesce(CAST(session_id AS TEXT), ''), coalesce(CAST(%s AS TEXT), ''), coalesce(CAST(%s AS TEXT), ''),
		coalesce(CAST(created_at AS TEXT), ''), coalesce(CAST(%s AS TEXT), '') FROM sessions ORDER BY rowid`,
		s.layout.key, s.layout.column("sessions", "title"), s.layout.column("sessions", "updated_at"))
	return func(yield func(formats.Info, error) bool) {
		active, isKey, err := s.resolve(ctx, id)
		if err != nil {
			yield(formats.Info{}, err)
			return
		}
		var row int64
		var sid, key, title, created, updated string
		var order ascending
		for err := range s.db.Rows(ctx, []any{&row, &sid, &key, &title, &created, &updated}, query) {
			if err == nil {
				err = order.next(s.db, row)
			}
			if err != nil {
				yield(formats.Info{}, err)
				return
			}
			var info formats.Info
			info.ID, info.Name, info.Key = idOf(sid), nameOf(title, key), api.Int(row)
			info.Created, info.Modified = timeOf(created), timeOf(updated)
			switch {
			case isKey && sid == active:
				info.Name = id
			case isKey && info.Name == id:
				info.Name = "" // the key means the other
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

// nameOf returns the name of a session: its title, or else its key.
func nameOf(title, key string) string {
	if name := session.OneLine(title); name != "" {
		return name
	}
	return session.OneLine(key)
}

// resolve returns the id of the session in use of the first key that text may mean.
func (s *store) resolve(ctx context.Context, text string) (id string, ok bool, err error) {
	if text == "" {
		return "", false, nil
	}
	keys := []string{text}
	if strings.Contains(text, ":") { // its kind may be left out, as in "telegram:alice"
		for _, kind := range kinds {
			keys = append(keys, kind+":"+text)
		}
	}
	for _, key := range keys {
		if id, ok, err := s.active(ctx, key); ok || err != nil {
			return id, ok, err
		}
	}
	return "", false, nil
}

// active returns the id of the session of a key that is in use. Later layouts have no
// table for it: there it is the one made last.
func (s *store) active(ctx context.Context, key string) (id string, ok bool, err error) {
	if s.layout.index {
		var found sqldb.Text
		err := s.db.QueryRowContext(ctx, `SELECT CAST(active_session_id AS TEXT) FROM session_index WHERE session_key = ?`, key).Scan(&found)
		if err == nil {
			return string(found), true, nil
		}
		if err == sql.ErrNoRows {
			return "", false, nil
		}
		return "", false, s.db.Err(err)
	}
	newest := ""
	var sid, created sqldb.Text
	for err := range s.db.Rows(ctx, []any{&sid, &created}, `SELECT CAST(session_id AS TEXT), CAST(created_at AS TEXT) FROM sessions WHERE `+s.layout.key+` = ?`, key) {
		if err != nil {
			return "", false, err
		}
		if at := strings.TrimSpace(string(created)); !ok || at >= newest {
			id, newest, ok = string(sid), at, true
		}
	}
	return id, ok, nil
}

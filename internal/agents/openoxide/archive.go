package openoxide

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Open opens a database, or that of the project a directory belongs to, or the
// one called openoxide.db in it.
func (format) Open(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	path := src.Path
	if src.IsDir() {
		if path = projectDatabase(src.Path); path == "" {
			path = filepath.Join(src.Path, "openoxide.db")
		}
	}
	a := &archive{path: path}
	if path == "" {
		file, err := src.Open(ctx)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if a.db, err = sqldb.OpenStream(ctx, src.Name(), file.Reader(ctx)); err != nil {
			return nil, err
		}
		return a, a.check(ctx)
	}
	file, err := formats.OpenFile(path)
	if err != nil {
		return nil, err
	}
	a.size, a.modTime = file.Size, file.ModTime
	file.Close()
	if a.db, err = sqldb.Open(ctx, path); err != nil {
		return nil, err
	}
	if err := a.check(ctx); err != nil {
		return nil, errors.Join(err, a.db.Close())
	}
	return a, nil
}

// An archive is a database.
type archive struct {
	path    string
	size    int64
	modTime time.Time
	db      *sqldb.DB
	reverts bool // it has the column revert_oid
}

func (a *archive) Close() error { return a.db.Close() }

func (a *archive) check(ctx context.Context) error {
	s, err := a.db.Schema(ctx)
	if err != nil {
		return err
	}
	a.reverts = s.Has("session", "revert_oid")
	return a.db.Require(ctx, sqldb.Schema{
		"session": {"id", "project_id", "parent_id", "title", "directory", "model_id", "time_created", "time_updated"},
		"message": {"id", "session_id", "role", "time_created", "content"},
	})
}

// A record is a row of sessions.
type record struct {
	row                                          int64
	id, project, parent, title, directory, model string
	created, updated                             int64
	revert                                       sql.NullString
}

// records reads the sessions that a condition selects into r, one after the other.
func (a *archive) records(ctx context.Context, r *record, where string, args ...any) iter.Seq[error] {
	revert := "NULL"
	if a.reverts {
		revert = "CAST(revert_oid AS TEXT)"
	}
	query := `SELECT rowid, CAST(id AS TEXT), CAST(project_id AS TEXT), CAST(parent_id AS TEXT), CAST(title AS TEXT), CAST(directory AS TEXT), CAST(model_id AS TEXT),
		coalesce(CAST(time_created AS INTEGER), 0), coalesce(CAST(time_updated AS INTEGER), 0), ` + revert + ` FROM session ` + where
	var id, project, parent, title, directory, model sqldb.Text
	return func(yield func(error) bool) {
		for err := range a.db.Rows(ctx, []any{&r.row, &id, &project, &parent, &title, &directory, &model, &r.created, &r.updated, &r.revert}, query, args...) {
			for to, from := range map[*string]sqldb.Text{&r.id: id, &r.project: project, &r.parent: parent, &r.title: title, &r.directory: directory, &r.model: model} {
				*to = js.ValidText(string(from))
			}
			if !yield(err) {
				return
			}
		}
	}
}

// maxTime bounds the times that a Date of JavaScript can be, in milliseconds.
const maxTime = 8_640_000_000_000_000

func timely(ms int64) bool { return ms > 0 && ms < maxTime/100 }

// headerID returns the id of the session in a header.
func (r record) headerID() string {
	if session.ValidSessionID(r.id) {
		return r.id
	}
	return formats.SessionID("openoxide", r.id)
}

func (a *archive) info(r record) formats.Info {
	var info formats.Info
	info.Path, info.Size, info.ModTime, info.Key = a.path, a.size, a.modTime, strconv.FormatInt(r.row, 10)
	info.ID, info.CWD, info.Name, info.ParentSession, info.Version = r.headerID(), r.directory, session.OneLine(r.title), r.parent, session.Version
	if timely(r.created) {
		info.Created = time.UnixMilli(r.created).UTC()
	}
	info.Modified = a.modTime
	if timely(r.updated) {
		info.Modified = time.UnixMilli(r.updated).UTC()
	}
	return info
}

func (a *archive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		var r record
		last := int64(-1 << 63)
		for err := range a.records(ctx, &r, "ORDER BY rowid") {
			if err == nil && r.row <= last {
				err = a.db.Err(fmt.Errorf("the database is damaged: row %d comes after row %d", r.row, last))
			}
			if err != nil {
				yield(formats.Info{Row: a.info(record{}).Row}, err)
				return
			}
			last = r.row
			info := a.info(r)
			if q.Detailed(info) {
				modified := info.Modified
				info, err = formats.Describe(ctx, a, info)
				info.Modified = modified // which is what the database says
			}
			if !yield(info, err) || ctx.Err() != nil {
				return
			}
		}
	}
}

// OpenOxide is the format of the OpenOxide blueprint.
var OpenOxide formats.Format = format{}

type format struct{}

func (format) About() formats.About {
	return formats.About{Name: "openoxide", Summary: "databases of the OpenOxide blueprint", ReadOnly: true, Home: home, Here: here}
}

// Export is [formats.ErrReadOnly].
func (format) Export(context.Context, *session.Session, *formats.Target) error {
	return formats.ErrReadOnly
}

// here takes every session: the database is that of a project, whatever its sessions name.
func here(string) func(cwd string) bool { return func(string) bool { return true } }

// Detect takes a database whose first page tells of the blueprint's tables.
func (format) Detect(_ string, head []byte) bool {
	return bytes.HasPrefix(head, []byte(sqldb.Magic)) && bytes.Contains(head, []byte("revert_oid")) &&
		bytes.Contains(head, []byte("project_id")) && bytes.Contains(head, []byte("model_id"))
}

// home returns the database in use here: the project's own if it has one, else the
// user's.
func home(env formats.Env) (string, error) {
	if dir, err := os.Getwd(); err == nil {
		if path := projectDatabase(dir); path != "" {
			return path, nil
		}
	}
	// A directory that is not absolute does not count, as the XDG specification wants it.
	dir := env.Getenv("XDG_DATA_HOME")
	switch {
	case runtime.GOOS == "windows" && env.Getenv("APPDATA") != "":
		return filepath.Join(env.Getenv("APPDATA"), "openoxide", "openoxide", "data", "openoxide.db"), nil
	case runtime.GOOS == "darwin" && env.Home != "":
		return filepath.Join(env.Home, "Library", "Application Support", "com.openoxide.openoxide", "openoxide.db"), nil
	case runtime.GOOS != "darwin" && runtime.GOOS != "windows" && filepath.IsAbs(dir):
		return filepath.Join(dir, "openoxide", "openoxide.db"), nil
	case env.Home == "":
		return "", formats.ErrNoHome
	}
	return filepath.Join(env.Home, ".local", "share", "openoxide", "openoxide.db"), nil
}

// projectDatabase returns the database of the project that dir is in, "" if it has none. It
// is never made unasked.
func projectDatabase(dir string) string {
	root := formats.GitRoot(dir)
	if root == "" {
		return ""
	}
	path := filepath.Join(root, ".openoxide", "sessions.db")
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	return path
}

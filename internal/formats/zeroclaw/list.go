package zeroclaw

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/sqldb"
	"github.com/sess-tools/sess/pkg/session"
)

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

// listFork yields the sessions in the order in which they were made.
func (s *store) listFork(ctx context.Context, id string) iter.Seq2[formats.Info, error] {
	query := fmt.Sprintf(`SELECT rowid, coalesce(CAST(session_id AS TEXT), ''), coalesce(CAST(%s AS TEXT), ''), coalesce(CAST(%s AS TEXT), ''),
		coalesce(CAST(created_at AS TEXT), ''), coalesce(CAST(%s AS TEXT), '') FROM sessions ORDER BY rowid`,
		s.layout.key, s.layout.column("sessions", "title"), s.layout.column("sessions", "updated_at"))
	return func(yield func(formats.Info, error) bool) {
		active, isKey, err := s.resolve(ctx, id)
		if err != nil {
			yield(formats.Info{}, err)
			return
		}
		rows, err := s.db.QueryContext(ctx, query)
		if err != nil {
			yield(formats.Info{}, s.db.Err(err))
			return
		}
		defer rows.Close()
		var order ascending
		for rows.Next() {
			info, sid, err := scanSession(rows)
			if err == nil {
				err = order.next(s.db, info.row)
			}
			if err != nil {
				yield(formats.Info{}, s.db.Err(err))
				return
			}
			switch {
			case isKey && sid == active:
				info.Name = id
			case isKey && info.Name == id:
				info.Name = "" // the key means the other
			}
			if !yield(info.Info, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(formats.Info{}, s.db.Err(err))
		}
	}
}

type sessionInfo struct {
	formats.Info
	row int64
}

// scanSession returns a row of listFork, and the session's id as it is there.
func scanSession(rows *sql.Rows) (info sessionInfo, id string, err error) {
	var key, title, created, updated string
	if err := rows.Scan(&info.row, &id, &key, &title, &created, &updated); err != nil {
		return info, "", err
	}
	info.ID, info.Name, info.Key = idOf(id), nameOf(title, key), formats.Int(info.row)
	if ms, ok := milliseconds(created); ok {
		info.Created = time.UnixMilli(ms).UTC()
	}
	if ms, ok := milliseconds(updated); ok {
		info.Modified = time.UnixMilli(ms).UTC()
	}
	return info, id, nil
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
	for _, key := range keysFor(text) {
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
		return "", false, s.db.Err(none(err))
	}
	rows, err := s.db.QueryContext(ctx, `SELECT CAST(session_id AS TEXT), CAST(created_at AS TEXT) FROM sessions WHERE `+s.layout.key+` = ?`, key)
	if err != nil {
		return "", false, s.db.Err(err)
	}
	defer rows.Close()
	newest := ""
	for rows.Next() {
		var sid, created sqldb.Text
		if err := rows.Scan(&sid, &created); err != nil {
			return "", false, s.db.Err(err)
		}
		if at := strings.TrimSpace(string(created)); !ok || at >= newest {
			id, newest, ok = string(sid), at, true
		}
	}
	return id, ok, s.db.Err(rows.Err())
}

// none takes finding nothing for no error.
func none(err error) error {
	if err == sql.ErrNoRows { //nolint:errorlint // Scan returns it as it is
		return nil
	}
	return err
}

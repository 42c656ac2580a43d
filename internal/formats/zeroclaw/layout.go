package zeroclaw

import (
	"context"
	"fmt"

	"github.com/sess-tools/sess/internal/formats/sqldb"
)

// A layout is which tables a database has, and how their columns are called.
type layout struct {
	schema   sqldb.Schema
	version  int64  // PRAGMA user_version
	upstream bool   // ZeroClaw's own: table sessions holds messages
	key      string // the column of a session's key
	index    bool   // a table says which session of a key is in use
	state    bool   // a table holds state
}

// layoutOf tells the layouts apart by their tables and columns: versions of the
// fork that count otherwise look alike, and ZeroClaw itself does not count.
func layoutOf(ctx context.Context, db *sqldb.DB) (layout, error) {
	s, err := db.Schema(ctx)
	if err != nil {
		return layout{}, err
	}
	l := layout{schema: s}
	if l.version, err = db.Version(ctx); err != nil {
		return l, err
	}
	if s.Has("sessions", "id", "session_key", "role", "content", "created_at") && !s.Has("sessions", "session_id") {
		l.upstream, l.key = true, "session_key"
		return l, nil
	}
	if s.Has("sessions", "inbound_key") {
		l.key = "inbound_key"
	} else {
		l.key = "session_key"
	}
	l.index = s.Has("session_index", "session_key", "active_session_id")
	l.state = s.Has("session_state", "session_id", "key", "value_json")
	err = db.Require(ctx, sqldb.Schema{
		"sessions":         {"session_id", l.key, "created_at"},
		"session_messages": {"id", "session_id", "role", "content", "created_at"},
	})
	if err != nil {
		return l, fmt.Errorf("%w; see docs/formats/zeroclaw.md for the layouts that are known", err)
	}
	return l, nil
}

// column returns what a query selects of a table for a column that not every layout has.
func (l layout) column(table, column string) string {
	if l.schema.Has(table, column) {
		return "+" + column
	}
	return "NULL"
}

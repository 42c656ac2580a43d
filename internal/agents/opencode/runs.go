package opencode

import (
	"context"
	"iter"

	"github.com/sess-tools/sess/internal/agents/sqldb"
)

// Runs are the rows of a session that belong to its messages: one query yields those of all, in the order in which messages are
// read. The rows of a message that does not come next are asked for by themselves.
type runs struct {
	db       *sqldb.DB
	all, one string // the queries, for a session and for a message: each yields the id of the message, the row's own id, and its data
	session  string
	skipped  map[string]bool // messages that nothing asks for

	next func() (error, bool) // reads the next row of the session; nil before the first
	stop func()
	left bool // key and row are those of a message that was not asked for yet
	key  sqldb.Text
	row  column
}

// A column has the id of a row, and its data.
type column struct{ id, data sqldb.Text }

// of returns the rows of a message.
func (r *runs) of(ctx context.Context, message string) (list []column, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.next == nil {
		r.next, r.stop = iter.Pull(r.db.Rows(ctx, []any{&r.key, &r.row.id, &r.row.data}, r.all, r.session))
		err = r.advance()
	}
	for r.left && err == nil && r.skipped[string(r.key)] {
		err = r.advance()
	}
	for ; r.left && err == nil && string(r.key) == message; err = r.advance() {
		list = append(list, r.row)
	}
	if list != nil || err != nil {
		return list, err
	}
	var key sqldb.Text
	var row column
	for err := range r.db.Rows(ctx, []any{&key, &row.id, &row.data}, r.one, message) {
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, nil
}

// advance reads the next row.
func (r *runs) advance() error {
	err, ok := r.next()
	r.left = ok && err == nil
	return err
}

// close ends the query.
func (r *runs) close() {
	if r != nil && r.stop != nil {
		r.stop()
	}
}

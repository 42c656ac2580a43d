package sqldb

import (
	"cmp"
	"context"
	"iter"
	"strings"
)

// Columns returns columns as a query selects them so that each value comes as it is stored: nil, an
// int64, a float64, a string or a []byte. Their declared types would make times and truth values of
// some.
func Columns(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("+" + Quote(n))
	}
	return b.String()
}

// Quote returns a name as a query has it, whatever it is.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Rows runs a query and scans its rows into dest, one after the other: it yields nil for a row, and an error at the end if
// there was one. Its errors name the database.
func (db *DB) Rows(ctx context.Context, dest []any, query string, args ...any) iter.Seq[error] {
	return func(yield func(error) bool) {
		rows, err := db.QueryContext(ctx, query, args...)
		if err != nil {
			yield(db.Err(err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(dest...); err != nil {
				yield(db.Err(err))
				return
			}
			if !yield(nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(db.Err(err))
		}
	}
}

// A Record is a row of a query: its values, and how the columns are called.
type Record struct {
	Columns []string
	Values  []any
}

// Records runs a query and yields its rows, one after the other. Its errors name the database.
func (db *DB) Records(ctx context.Context, query string, args ...any) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		rows, err := db.QueryContext(ctx, query, args...)
		if err != nil {
			yield(Record{}, db.Err(err))
			return
		}
		defer rows.Close()
		columns, err := rows.Columns()
		for err == nil && rows.Next() {
			r, to := Record{columns, make([]any, len(columns))}, make([]any, len(columns))
			for i := range to {
				to[i] = &r.Values[i]
			}
			if err = rows.Scan(to...); err == nil && !yield(r, nil) {
				return
			}
		}
		if err = cmp.Or(err, rows.Err()); err != nil {
			yield(Record{}, db.Err(err))
		}
	}
}

// Values returns the values of the first row that a query finds, nil if it finds none.
func (db *DB) Values(ctx context.Context, query string, args ...any) ([]any, error) {
	for r, err := range db.Records(ctx, query, args...) {
		return r.Values, err
	}
	return nil, nil
}

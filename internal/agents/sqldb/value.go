package sqldb

import (
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
		b.WriteString(`+"` + strings.ReplaceAll(n, `"`, `""`) + `"`)
	}
	return b.String()
}

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

// Values returns the values of the first row that a query finds, nil if it finds none.
func (db *DB) Values(ctx context.Context, query string, args ...any) ([]any, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, db.Err(err)
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, db.Err(rows.Err())
	}
	columns, err := rows.Columns()
	if err != nil {
		return nil, db.Err(err)
	}
	values, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		to[i] = &values[i]
	}
	return values, db.Err(rows.Scan(to...))
}

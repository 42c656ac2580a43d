package sqldb

import (
	"context"
	"database/sql"
	"strings"
)

// Quote returns a name as SQL has it.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Columns returns columns as a query selects them so that each value comes as it is
// stored: nil, an int64, a float64, a string or a []byte. What they were declared
// as would make times and truth values of some.
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
	values, err := Scan(rows)
	return values, db.Err(err)
}

// Scan returns the values of the row that rows is at.
func Scan(rows *sql.Rows) ([]any, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		to[i] = &values[i]
	}
	err = rows.Scan(to...)
	return values, err
}

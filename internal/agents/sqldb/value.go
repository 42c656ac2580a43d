package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"iter"
	"strings"
)

// Quote returns a name as SQL has it.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

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

// A queryer runs queries: a connection or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// scanRows runs a query and scans its rows into dest, one after the other. It yields nil
// for a row, and an error at the end if there was one.
func scanRows(ctx context.Context, q queryer, dest []any, query string, args ...any) iter.Seq[error] {
	return func(yield func(error) bool) {
		rows, err := q.QueryContext(ctx, query, args...)
		if err != nil {
			yield(err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(dest...); err != nil {
				yield(err)
				return
			}
			if !yield(nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(err)
		}
	}
}

// Rows runs a query and scans its rows into dest, one after the other, as a range over it
// asks for them. Its errors name the database.
func (db *DB) Rows(ctx context.Context, dest []any, query string, args ...any) iter.Seq[error] {
	return func(yield func(error) bool) {
		for err := range scanRows(ctx, db, dest, query, args...) {
			if !yield(db.Err(err)) {
				return
			}
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

// Absent returns an error that matches [fs.ErrExist] if a session is in a table.
func Absent(ctx context.Context, tx *sql.Tx, table, column, id string) error {
	var n int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM `+table+` WHERE `+column+` = ?`, id).Scan(&n)
	if err == nil && n > 0 {
		err = fmt.Errorf("session %s: %w", id, fs.ErrExist)
	}
	return err
}

// Prepare makes the tables of schema in an empty database. A database that has tables must be able to select each of the
// selections, "COLUMNS FROM TABLE"; else the error matches [ErrSchema], and note is part of its text.
func Prepare(ctx context.Context, tx *sql.Tx, schema, note string, selections ...string) error {
	var tables int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return err
	}
	if tables == 0 {
		_, err := tx.ExecContext(ctx, schema)
		return err
	}
	for _, columns := range selections {
		for err := range scanRows(ctx, tx, nil, `SELECT `+columns+` LIMIT 0`) {
			return fmt.Errorf("%w%s (%w)", ErrSchema, note, err)
		}
	}
	return nil
}

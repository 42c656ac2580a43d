package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Magic begins every database.
const Magic = "SQLite format 3\x00"

// ErrSchema is the error of a database that is not laid out as it would have to be.
var ErrSchema = errors.New("the database is not laid out as expected")

// A Schema says which tables there are, and which columns those have, in lower case.
type Schema map[string][]string

// Has reports whether there is such a table with all these columns.
func (s Schema) Has(table string, columns ...string) bool {
	have, ok := s[table]
	if !ok {
		return false
	}
	for _, c := range columns {
		if !slices.Contains(have, c) {
			return false
		}
	}
	return true
}

// Schema returns the ordinary tables, and their ordinary columns. Views, virtual
// tables and generated columns are left out: reading those would run what the
// database says.
func (db *DB) Schema(ctx context.Context) (Schema, error) {
	s := Schema{}
	var table, column string
	// An fts5 table and its kind are "virtual", the tables with their data "shadow".
	for err := range db.Rows(ctx, []any{&table, &column}, `SELECT lower(l.name), lower(x.name) FROM pragma_table_list AS l, pragma_table_xinfo(l.name) AS x
		WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite^_%' ESCAPE '^' AND x.hidden = 0 ORDER BY l.name, x.cid`) {
		if err != nil {
			return nil, err
		}
		s[table] = append(s[table], column)
	}
	return s, nil
}

// Require returns an error that matches [ErrSchema] and names a missing table or column, unless the
// database has all of them.
func (db *DB) Require(ctx context.Context, want Schema) error {
	have, err := db.Schema(ctx)
	if err != nil {
		return err
	}
	return db.Err(have.lacks(want))
}

func (s Schema) lacks(want Schema) error {
	for _, table := range slices.Sorted(maps.Keys(want)) {
		if !s.Has(table) {
			return fmt.Errorf("%w: it has no table %s", ErrSchema, table)
		}
		for _, column := range want[table] {
			if !s.Has(table, column) {
				return fmt.Errorf("%w: its table %s has no column %s", ErrSchema, table, column)
			}
		}
	}
	return nil
}

// Version returns the number that its makers gave the layout: PRAGMA user_version.
func (db *DB) Version(ctx context.Context) (int64, error) {
	var v int64
	err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, db.Err(err)
}

// Text is a column that is scanned as text whatever it holds: NULL is "".
type Text string

// Scan implements [sql.Scanner].
func (t *Text) Scan(v any) error {
	var s sql.NullString
	if err := s.Scan(v); err != nil {
		return err
	}
	*t = Text(strings.Clone(s.String))
	return nil
}

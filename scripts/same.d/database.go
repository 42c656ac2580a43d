package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/sqldb"
)

// readable returns a database as text: what it says of itself in its header, and
// the schema and all rows, in the order in which they are stored. Any other text
// is returned as it is.
func readable(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte("SQLite format 3\x00")) || len(data) < 100 {
		return data
	}
	if text, err := dump(data); err == nil { // a damaged one is compared byte for byte
		return text
	}
	return data
}

func dump(data []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "sess-same-db-")
	if err != nil {
		return nil, err
	}
	defer remove(dir)
	name := filepath.Join(dir, "db")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		return nil, err
	}
	ctx := context.Background()
	db, err := sqldb.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	schema, err := db.Schema(ctx)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	// Page size, format, size, schema format, encoding and user version; not the
	// counters of changes.
	fmt.Fprintf(&out, "%s %s %s\n", hex.EncodeToString(data[16:24]), hex.EncodeToString(data[44:48]), hex.EncodeToString(data[56:72]))
	schema["sqlite_schema"] = []string{"type", "name", "tbl_name", "sql"}
	for _, table := range slices.Sorted(maps.Keys(schema)) {
		if err := dumpTable(ctx, db, &out, table, schema[table]); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

func dumpTable(ctx context.Context, db *sqldb.DB, out *bytes.Buffer, table string, columns []string) error {
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = "quote(" + sqldb.Quote(c) + ")"
	}
	rows, err := db.QueryContext(ctx, "SELECT "+strings.Join(quoted, ", ")+" FROM "+sqldb.Quote(table)) //nolint:gosec // names of the schema
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := sqldb.Scan(rows)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %v\n", table, values)
	}
	return rows.Err()
}

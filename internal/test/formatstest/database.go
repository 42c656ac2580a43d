package formatstest

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/test/must"
)

// Database makes a database of the statements, and returns its path.
func Database(t testing.TB, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.db")
	err := sqldb.Create(t.Context(), path, false, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, strings.Join(statements, ";"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Rows returns the rows of tables of a database, each as a text, in the order of their first two columns.
func Rows(t testing.TB, path string, tables ...string) map[string][]string {
	t.Helper()
	db, err := sqldb.Open(t.Context(), path)
	must.Do(t, err)
	defer db.Close()
	out := map[string][]string{}
	for _, table := range tables {
		rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+table+" ORDER BY 1, 2")
		must.Do(t, err)
		for rows.Next() {
			values, err := sqldb.Scan(rows)
			must.Do(t, err)
			for i, v := range values {
				switch v.(type) {
				case string, []byte:
					values[i] = fmt.Sprintf("%q", v)
				}
			}
			out[table] = append(out[table], fmt.Sprint(values...))
		}
		must.Do(t, rows.Err())
		rows.Close()
	}
	return out
}

// HostileDatabase reads, with f, databases that are missing, cut or damaged, made of good, and those of more:
// a name, a path and a part of the error each. A database is refused with its path, and keeps its bytes. It returns the
// paths of those that exist.
func HostileDatabase(t *testing.T, f formats.Format, good []byte, more ...[3]string) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	damaged := bytes.Clone(good)
	for i := 4096; i < len(damaged); i += 4096 {
		copy(damaged[i:], bytes.Repeat([]byte{0xff}, 64))
	}
	link := filepath.Join(dir, "dangling.db")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Skip(err)
	}
	for _, tt := range append(more, [][3]string{
		{"absent", filepath.Join(dir, "absent.db"), "no such file"},
		{"a link to nothing", link, "no such file"},
		{"empty", File(t, "e.db", ""), "empty"},
		{"truncated", File(t, "t.db", string(good[:len(good)-5000])), "truncated"},
		{"cut in its header", File(t, "h.db", string(good[:50])), "truncated"},
		{"text", File(t, "w.db", "hello, world, this is no database"), "no SQLite database"},
		{"damaged", File(t, "d.db", string(damaged)), "damaged"},
	}...) {
		name, path, want := tt[0], tt[1], tt[2]
		before := digest(path)
		if _, err := TryAll(t.Context(), f, &formats.Source{Path: path}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
		if digest(path) != before {
			t.Errorf("%s: it has changed", name)
		}
		if name != "absent" {
			paths = append(paths, path)
		}
	}
	return paths
}

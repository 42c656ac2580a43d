package sqldb_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/sqldb"
)

func (w *writer) exec(statements ...string) {
	w.t.Helper()
	for _, s := range statements {
		fmt.Fprintln(w.in, s)
		if answer, err := w.out.ReadString('\n'); answer != "ok\n" {
			w.t.Fatalf("%s: %s %v", s, answer, err)
		}
	}
}

// fresh starts a writer of a database that is not there yet.
func fresh(t *testing.T) (w *writer, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s.db")
	return startWriter(t, path), path
}

// end closes the database, kill does not.
func (w *writer) end() {
	if w.in != nil {
		w.in.Close()
		w.cmd.Wait()
		w.in = nil
	}
}

func (w *writer) kill() { fmt.Fprintln(w.in, "kill"); w.cmd.Wait() }

// names returns the column x of the table t, and that the database is left as it was.
func names(t *testing.T, path string) []string {
	t.Helper()
	before := state(t, filepath.Dir(path))
	got := read(t, path)
	if diff := cmp.Diff(before, state(t, filepath.Dir(path))); diff != "" {
		t.Errorf("reading %s left a trace: %s", path, diff)
	}
	return got
}

// opened opens a database until the test ends.
func opened(t *testing.T, path string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func read(t *testing.T, path string) []string {
	t.Helper()
	db := opened(t, path)
	got := all(t, db)
	if err := db.Verify(); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	return got
}

func all(t *testing.T, db *sqldb.DB) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT x FROM t ORDER BY rowid")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var x string
		if err := rows.Scan(&x); err != nil {
			t.Fatal(err)
		}
		got = append(got, x)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestOpen(t *testing.T) {
	t.Parallel()
	const table = "CREATE TABLE t(x)"
	insert := func(x string) string { return "INSERT INTO t VALUES('" + x + "')" }
	wal := []string{"PRAGMA journal_mode=WAL", table}
	tests := []struct {
		name string
		run  func(w *writer, path string)
		want []string
	}{
		{"rollback journal, ended", func(w *writer, _ string) {
			w.exec(table, insert("a"))
			w.end()
		}, []string{"a"}},
		{"rollback journal, writing", func(w *writer, _ string) {
			w.exec(table, insert("a"), "BEGIN IMMEDIATE", insert("b"))
		}, []string{"a"}},
		{"persistent journal", func(w *writer, _ string) {
			w.exec("PRAGMA journal_mode=PERSIST", table, insert("a"))
			w.end()
		}, []string{"a"}},
		{"rollback journal, killed", func(w *writer, _ string) {
			// More than the cache holds, so that some of it gets into the database.
			w.exec(table, insert("a"), "PRAGMA cache_size=5", "BEGIN",
				"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<300) INSERT INTO t SELECT hex(zeroblob(2000)) FROM n")
			w.kill()
		}, []string{"a"}},
		{"log, running", func(w *writer, _ string) {
			w.exec(wal...)
			w.exec(insert("a"), insert("b"))
		}, []string{"a", "b"}},
		{"log, writing", func(w *writer, _ string) {
			w.exec(wal...)
			w.exec(insert("a"), "BEGIN IMMEDIATE", insert("b"))
		}, []string{"a"}},
		{"log, checkpointed and going on", func(w *writer, _ string) {
			w.exec(wal...)
			w.exec(insert("a"), "PRAGMA wal_checkpoint(TRUNCATE)")
		}, []string{"a"}},
		{"log, ended", func(w *writer, _ string) {
			w.exec(wal...)
			w.exec(insert("a"))
			w.end()
		}, []string{"a"}},
		{"log, killed", func(w *writer, _ string) {
			w.exec(wal...)
			w.exec(insert("a"), insert("b"), "BEGIN IMMEDIATE", insert("c"))
			w.kill()
		}, []string{"a", "b"}},
		{"log, killed, without its index", func(w *writer, path string) {
			w.exec(wal...)
			w.exec(insert("a"), insert("b"))
			w.kill()
			if err := os.Remove(path + "-shm"); err != nil {
				t.Fatal(err)
			}
		}, []string{"a", "b"}},
		{"log cut off", func(w *writer, path string) {
			w.exec(wal...)
			w.exec(insert("a"), insert("b"))
			w.kill()
			fi, err := os.Stat(path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path+"-wal", fi.Size()-100); err != nil {
				t.Fatal(err)
			}
		}, []string{"a"}},
		{"index without a log", func(w *writer, path string) {
			w.exec(wal...)
			w.exec(insert("a"), "PRAGMA wal_checkpoint(TRUNCATE)")
			w.kill()
			if err := os.Remove(path + "-wal"); err != nil {
				t.Fatal(err)
			}
		}, []string{"a"}},
		{"UTF-16", func(w *writer, _ string) {
			w.exec("PRAGMA encoding='UTF-16'", table, insert("ä€😀"))
			w.end()
		}, []string{"ä€😀"}},
	}
	for _, tt := range tests {
		for _, readOnly := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, directory read-only %t", tt.name, readOnly), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				path := filepath.Join(dir, "a ?b%20#.db")
				w := startWriter(t, strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path))
				tt.run(w, path)
				if readOnly {
					seal(t, dir)
				}
				if got := names(t, path); !slices.Equal(got, tt.want) {
					t.Errorf("got %.200q, want %q", got, tt.want)
				}
			})
		}
	}
}

// seal takes the right to write from a directory and what it holds.
func seal(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Chmod(filepath.Join(dir, e.Name()), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
}

// one makes a database of one row, and returns its path.
func one(t *testing.T) string {
	t.Helper()
	w, path := fresh(t)
	w.exec("CREATE TABLE t(x)", "INSERT INTO t VALUES('a')")
	w.end()
	return path
}

func TestStream(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(one(t))
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqldb.OpenStream(t.Context(), "standard input", bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := all(t, db); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q", got)
	}
	for _, bad := range []string{"", "hello", string(whole[:3000])} {
		_, err := sqldb.OpenStream(t.Context(), "standard input", strings.NewReader(bad))
		if err == nil || strings.Count(err.Error(), "standard input") != 1 || strings.Contains(err.Error(), "stream.db") {
			t.Errorf("got %v", err)
		}
	}
}

// A value that is too large is an error, not memory; and a query ends with its context.
func TestLimits(t *testing.T) {
	t.Parallel()
	db := opened(t, one(t))
	if _, err := db.Values(t.Context(), "SELECT zeroblob(?)", sqldb.MaxValue+1); err == nil || !strings.Contains(err.Error(), "a value has more than") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	rows, err := db.QueryContext(ctx, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		cancel()
	}
	if rows.Err() == nil {
		t.Error("it ended by itself")
	}
	cancel()
}

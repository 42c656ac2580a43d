package sqldb_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/sqldb"
)

func inserting(text string) sqldb.Fill {
	return func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, text)
		return err
	}
}

var one = inserting("CREATE TABLE t(x); INSERT INTO t VALUES('a')")

func TestCreate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "n ?#%41.db")
	if err := sqldb.Create(t.Context(), path, true, one); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(path)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi, err)
	}
	if got := read(t, path); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q", got)
	}
	before := state(t, dir)
	if err := sqldb.Create(t.Context(), path, true, one); !errors.Is(err, fs.ErrExist) {
		t.Errorf("again: %v", err)
	}
	broken := errors.New("broken")
	err = sqldb.Create(t.Context(), filepath.Join(dir, "b.db"), false, func(ctx context.Context, tx *sql.Tx) error {
		if err := one(ctx, tx); err != nil {
			return err
		}
		if names, err := os.ReadDir(dir); err != nil || slices.ContainsFunc(names, func(e fs.DirEntry) bool { return e.Name() == "b.db" }) {
			t.Errorf("it can be seen already: %v, %v", names, err)
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	after := state(t, dir)
	before["."], after["."] = "", ""
	if len(after) != len(before) || after[filepath.Base(path)] != before[filepath.Base(path)] {
		t.Errorf("left behind: %v, before %v", after, before)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	if err := sqldb.Save(t.Context(), path, false, one); err != nil {
		t.Fatal(err)
	}
	if err := sqldb.Save(t.Context(), path, false, inserting("INSERT INTO t VALUES('b')")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := sqldb.Update(t.Context(), path, func(ctx context.Context, tx *sql.Tx) error {
		return errors.Join(inserting("INSERT INTO t VALUES('c')")(ctx, tx), broken)
	})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if got := read(t, path); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q", got)
	}
	if err := sqldb.Update(t.Context(), filepath.Join(t.TempDir(), "none.db"), one); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	err = sqldb.Update(t.Context(), path, inserting("PRAGMA foreign_keys; CREATE TABLE p(x PRIMARY KEY); CREATE TABLE c(x REFERENCES p(x)); INSERT INTO c VALUES(1)"))
	if err == nil || !strings.Contains(err.Error(), "FOREIGN KEY") {
		t.Errorf("foreign keys are not in force: %v", err)
	}
}

// A writer beside that has the database open sees what was added.
func TestUpdateBeside(t *testing.T) {
	t.Parallel()
	w, path := fresh(t)
	w.exec("PRAGMA journal_mode=WAL", "CREATE TABLE t(x)", "INSERT INTO t VALUES('a')")
	if err := sqldb.Update(t.Context(), path, inserting("INSERT INTO t VALUES('b')")); err != nil {
		t.Fatal(err)
	}
	w.exec("INSERT INTO t VALUES('c')")
	if got := names(t, path); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got %q", got)
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := one.WriteTo(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	db, err := sqldb.OpenStream(t.Context(), "standard input", bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := all(t, db); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q", got)
	}
	for _, bad := range []string{"", "hello", b.String()[:3000]} {
		_, err := sqldb.OpenStream(t.Context(), "standard input", strings.NewReader(bad))
		if err == nil || strings.Count(err.Error(), "standard input") != 1 || strings.Contains(err.Error(), "stream.db") {
			t.Errorf("got %v", err)
		}
	}
}

// A value that is too large is an error, not memory; and a query ends with its context.
func TestLimits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	if err := sqldb.Create(t.Context(), path, false, one); err != nil {
		t.Fatal(err)
	}
	db := opened(t, path)
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

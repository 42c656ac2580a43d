package sqldb_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/sqldb"
)

// What is read is of one moment, whatever a running agent does.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	w, path := fresh(t)
	w.exec("PRAGMA journal_mode=WAL", "CREATE TABLE t(x)", "INSERT INTO t VALUES('a')")
	db := opened(t, path)
	w.exec("INSERT INTO t VALUES('b')", "PRAGMA wal_checkpoint(PASSIVE)", "INSERT INTO t VALUES('c')")
	if got := all(t, db); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q", got)
	}
	if err := db.Verify(); err != nil {
		t.Error(err)
	}
	if got := read(t, path); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("afterwards got %q", got)
	}
}

// An agent that starts while its database is read as it is cannot be kept from
// changing it, but it is noticed.
func TestVerify(t *testing.T) {
	t.Parallel()
	w, path := fresh(t)
	w.exec("PRAGMA journal_mode=WAL", "CREATE TABLE t(x)", "INSERT INTO t VALUES('a')")
	w.end()
	db := opened(t, path)
	w = startWriter(t, path)
	w.exec("INSERT INTO t VALUES('b')")
	if err := db.Verify(); err != nil {
		t.Errorf("nothing has changed yet: %v", err)
	}
	w.exec("PRAGMA wal_checkpoint(TRUNCATE)")
	err := db.Verify()
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if got := db.Err(errors.New("odd")); got.Error() != err.Error() {
		t.Errorf("got %v", got)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	w, path := fresh(t)
	w.exec("CREATE TABLE t(x)")
	db := opened(t, path)
	for _, text := range []string{
		"INSERT INTO t VALUES(1)", "CREATE TEMP TABLE u(x)", "ATTACH 'x.db' AS x",
		"SELECT load_extension('x')", "VACUUM INTO 'x.db'", "PRAGMA journal_mode=WAL",
	} {
		rows, err := db.QueryContext(t.Context(), text)
		if err == nil {
			for rows.Next() {
				var v string
				if rows.Scan(&v); v != "delete" { // the journal's mode as it is
					t.Errorf("%s gave %q", text, v)
				}
			}
			err = rows.Err()
			rows.Close()
		}
		if err == nil && !strings.HasPrefix(text, "PRAGMA") {
			t.Errorf("%s was run", text)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	w := startWriter(t, good)
	w.exec("CREATE TABLE t(x)", "INSERT INTO t VALUES(hex(zeroblob(9000)))")
	w.end()
	b, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	page := bytes.Clone(b)
	page[16], page[17] = 3, 3
	root := bytes.Clone(b)
	copy(root[100:], bytes.Repeat([]byte{0xff}, 50))
	tests := []struct{ path, want string }{
		{filepath.Join(dir, "none.db"), "no such file or directory"},
		{dir, "is a directory"},
		{file("empty.db", nil), "is empty"},
		{file("text.db", []byte("hello\n")), "no SQLite database, or is encrypted"},
		{file("garbage.db", bytes.Repeat([]byte{0xa5}, 8192)), "no SQLite database, or is encrypted"},
		{file("head.db", b[:10]), "is truncated: 10 bytes"},
		{file("truncated.db", b[:len(b)-100]), "is truncated"},
		{file("page.db", page), "page size is impossible"},
		{file("root.db", root), "damaged"},
	}
	for _, tt := range tests {
		db, err := sqldb.Open(t.Context(), tt.path)
		if err == nil {
			db.Close()
			t.Errorf("%s was opened", tt.path)
			continue
		}
		if strings.Count(err.Error(), tt.path) != 1 || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %q, want %q", tt.path, err, tt.want)
		}
	}
}

func TestLocked(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a lock")
	}
	t.Parallel()
	w, path := fresh(t)
	w.exec("CREATE TABLE t(x)", "BEGIN EXCLUSIVE")
	if _, err := sqldb.Open(t.Context(), path); !errors.Is(err, sqldb.ErrLocked) {
		t.Errorf("got %v", err)
	}
	w.exec("COMMIT")
	if got := names(t, path); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestSymlink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.db")
	w := startWriter(t, path)
	w.exec("PRAGMA journal_mode=WAL", "CREATE TABLE t(x)", "INSERT INTO t VALUES('a')")
	link := filepath.Join(t.TempDir(), "l.db")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if got := names(t, link); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q", got)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	w, path := fresh(t)
	w.exec("CREATE TABLE T(A, b AS (a+1), c AS (a+2) STORED)", "CREATE VIEW v AS SELECT a FROM t",
		"CREATE VIRTUAL TABLE f USING fts5(x)", "PRAGMA user_version=7")
	w.end()
	db := opened(t, path)
	got, err := db.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sqldb.Schema{"t": {"a"}}, got); diff != "" {
		t.Error(diff)
	}
	if v, err := db.Version(t.Context()); v != 7 || err != nil {
		t.Errorf("version %d, %v", v, err)
	}
	for want, s := range map[string]sqldb.Schema{
		"":                {"t": {"a"}},
		"no table v":      {"v": {"a"}},
		"no table f":      {"f": nil},
		"no column b":     {"t": {"a", "b"}},
		"no column c":     {"t": {"c"}},
		"no table absent": {"absent": nil},
	} {
		err := db.Require(t.Context(), s)
		if want == "" && err != nil || want != "" && (!errors.Is(err, sqldb.ErrSchema) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%v: got %v", s, err)
		}
	}
}

package sqldb_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/formats/sqldb"
)

// writerEnv makes the test binary a program that writes to a database: it runs
// the statements that it is given, one a line, and answers each.
const writerEnv = "SQLDB_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		os.Exit(write(path))
	}
	os.Exit(m.Run())
}

func write(path string) int {
	ctx := context.Background()
	pool, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return 3
	}
	pool.SetMaxOpenConns(1)
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			pool.Close()
			return 0
		}
		if strings.HasPrefix(line, "kill") {
			os.Exit(0) // without closing anything
		}
		if _, err := pool.ExecContext(ctx, line); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println("ok")
		}
	}
}

// A writer is another process that has the database open.
type writer struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startWriter(t *testing.T, path string) *writer {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &writer{t, cmd, in, bufio.NewReader(out)}
	t.Cleanup(w.end)
	return w
}

func (w *writer) exec(statements ...string) {
	w.t.Helper()
	for _, s := range statements {
		fmt.Fprintln(w.in, s)
		if answer, err := w.out.ReadString('\n'); answer != "ok\n" {
			w.t.Fatalf("%s: %s %v", s, answer, err)
		}
	}
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

// state is what a directory holds: names, times, contents.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	s := map[string]string{}
	fi, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	s["."] = fi.ModTime().String()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fi, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		s[e.Name()] = fmt.Sprintf("%v %v %d %x", fi.ModTime(), fi.Mode(), len(b), sha256.Sum256(b))
	}
	return s
}

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

func read(t *testing.T, path string) []string {
	t.Helper()
	db, err := sqldb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
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

// What is read is of one moment, whatever a running agent does.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	w := startWriter(t, path)
	w.exec("PRAGMA journal_mode=WAL", "CREATE TABLE t(x)", "INSERT INTO t VALUES('a')")
	db, err := sqldb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
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
	path := filepath.Join(t.TempDir(), "s.db")
	w := startWriter(t, path)
	w.exec("PRAGMA journal_mode=WAL", "CREATE TABLE t(x)", "INSERT INTO t VALUES('a')")
	w.end()
	db, err := sqldb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	w = startWriter(t, path)
	w.exec("INSERT INTO t VALUES('b')")
	if err := db.Verify(); err != nil {
		t.Errorf("nothing has changed yet: %v", err)
	}
	w.exec("PRAGMA wal_checkpoint(TRUNCATE)")
	err = db.Verify()
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if got := db.Err(errors.New("odd")); got.Error() != err.Error() {
		t.Errorf("got %v", got)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	w := startWriter(t, path)
	w.exec("CREATE TABLE t(x)")
	db, err := sqldb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
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
	path := filepath.Join(t.TempDir(), "s.db")
	w := startWriter(t, path)
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
	path := filepath.Join(t.TempDir(), "s.db")
	w := startWriter(t, path)
	w.exec("CREATE TABLE T(A, b AS (a+1), c AS (a+2) STORED)", "CREATE VIEW v AS SELECT a FROM t",
		"CREATE VIRTUAL TABLE f USING fts5(x)", "PRAGMA user_version=7")
	w.end()
	db, err := sqldb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
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

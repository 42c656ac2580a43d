//go:build unix

package sqldb

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// logged makes a database that uses a log, and has none now.
func logged(t *testing.T) string {
	t.Helper()
	if err := setUp(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s.db")
	pool, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.ExecContext(t.Context(), "PRAGMA journal_mode=WAL; CREATE TABLE t(x); INSERT INTO t VALUES(1)"); err != nil {
		t.Fatal(err)
	}
	return path
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Should an agent end between looking and opening, SQLite would make a log, or take
// one away: the VFS lets it do neither.
func TestWrongWay(t *testing.T) {
	t.Parallel()
	if err := setUp(); err != nil {
		t.Fatal(err)
	}
	path := logged(t)
	dir := filepath.Dir(path)
	db := &DB{path: path}
	if err := db.connect(t.Context(), dsn(path, way{})); err == nil {
		t.Error("a log was opened that is not there")
	}
	db.Close()
	if got := files(t, dir); !slices.Equal(got, []string{"s.db"}) {
		t.Errorf("files %q", got)
	}

	empty := filepath.Join(t.TempDir(), "e.db")
	for _, suffix := range []string{"", "-wal", "-journal"} {
		text := "stale"
		if suffix == "" {
			text = ""
		}
		if err := os.WriteFile(empty+suffix, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range []way{{}, {alone: true}} {
		db := &DB{path: empty}
		_ = db.connect(t.Context(), dsn(empty, w)) // it may or may not
		db.Close()
		if got := files(t, filepath.Dir(empty)); !slices.Equal(got, []string{"e.db", "e.db-journal", "e.db-wal"}) {
			t.Errorf("%+v: files %q", w, got)
		}
	}
}

// Root reads without giving files to others.
func TestOwnersStay(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root changes owners")
	}
	path := logged(t)
	pool, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.ExecContext(t.Context(), "INSERT INTO t VALUES(2)"); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "c.db")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		data, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(copied+suffix, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(copied+"-shm", 12345, 12345); err != nil {
		t.Skip(err)
	}
	db, err := Open(t.Context(), copied)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	fi, err := os.Stat(copied + "-shm")
	if err != nil {
		t.Fatal(err)
	}
	if owner := fi.Sys().(*syscall.Stat_t).Uid; owner != 12345 {
		t.Errorf("it belongs to %d now", owner)
	}
}

// A FIFO beside a database, or in its place, is not waited for.
func TestFIFO(t *testing.T) {
	t.Parallel()
	path := logged(t)
	for _, at := range []string{path + "-wal", path + "-shm", filepath.Join(t.TempDir(), "f.db")} {
		if err := syscall.Mkfifo(at, 0o600); err != nil {
			t.Skip(err)
		}
		name := path
		if filepath.Ext(at) == ".db" {
			name = at
		}
		if _, err := Open(t.Context(), name); err == nil {
			t.Errorf("%s was read", at)
		}
		os.Remove(at)
	}
}

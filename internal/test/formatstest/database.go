package formatstest

import (
	"bytes"
	"database/sql"
	"net/url"
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
	Execute(t, path, statements...)
	return path
}

// Execute runs statements on the database path, which is made if it is not there.
func Execute(t testing.TB, path string, statements ...string) {
	t.Helper()
	Locked(t, path, statements, func() {})
}

// Locked is Execute in one transaction, which ends behind what meanwhile does.
func Locked(t testing.TB, path string, statements []string, meanwhile func()) {
	t.Helper()
	if db, err := sqldb.Open(t.Context(), path); err == nil { // whose locks have to be set up before the first one
		must.Do(t, db.Close())
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(path), OmitHost: true}
	db, err := sql.Open("sqlite", name.String())
	must.Do(t, err)
	tx, err := db.BeginTx(t.Context(), nil)
	must.Do(t, err)
	_, err = tx.ExecContext(t.Context(), strings.Join(statements, ";"))
	must.Do(t, err)
	meanwhile()
	must.Do(t, tx.Commit())
	must.Do(t, db.Close())
}

// HostileDatabase reads, with f, databases that are missing, cut or damaged, made of good, and those of more:
// a name, a path and a part of the error each. A database is refused with its path, and keeps its bytes.
func HostileDatabase(t *testing.T, f formats.Format, good []byte, more ...[3]string) {
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
	}
}

// Logged runs a statement on the database path so that what it changes is only in its log while meanwhile runs.
func Logged(t testing.TB, path, statement string, meanwhile func()) {
	t.Helper()
	if db, err := sqldb.Open(t.Context(), path); err == nil { // see [Locked]
		must.Do(t, db.Close())
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(path), OmitHost: true}
	db, err := sql.Open("sqlite", name.String())
	must.Do(t, err)
	db.SetMaxOpenConns(1)
	for _, text := range []string{"PRAGMA journal_mode = wal", "PRAGMA wal_autocheckpoint = 0", statement} {
		_, err := db.ExecContext(t.Context(), text)
		must.Do(t, err)
	}
	meanwhile()
	must.Do(t, db.Close())
}

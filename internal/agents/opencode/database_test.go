package opencode

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

// inserting puts a session into a database.
func inserting(t testing.TB, s *session.Session, path string) error {
	t.Helper()
	target := formats.NewTarget(func(l formats.Loss) { t.Error(l) })
	target.DB, target.Out = path, io.Discard
	target.Env = formats.Env{Getenv: func(string) string { return "" }}
	return Format.Export(t.Context(), s, target)
}

// database returns the path of one that opencode has made.
func databaseCopy(t testing.TB) string {
	t.Helper()
	return write(t, "opencode.db", corpus.Golden(t, "opencode/databases-1.18")["07-subagent.db"]).Path
}

// A session that was put into a database is read from it as from its export.
func TestInsert(t *testing.T) {
	t.Parallel()
	path := databaseCopy(t)
	data := exports(t)["genuine-05-compacted-auto-e03e51aedffeSpAUGWhbkIFG5n.json"]
	r := importOne(t, data)
	if err := inserting(t, r.Session(t), path); err != nil {
		t.Fatal(err)
	}
	a := formatstest.Open(t, Format, source(path))
	back := read(t, a, r.Info.ID)
	without := func(lines []string) string { // opencode's home is this machine's
		return strings.ReplaceAll(strings.Join(lines, "\n"), `"path":"tmp/oracle`, `"path":"srv/sample`)
	}
	if diff := cmp.Diff(without(r.Lines), without(back.Lines)); diff != "" {
		t.Errorf("it comes back otherwise:\n%.3000s", diff)
	}
	n := 0
	for range a.List(t.Context(), formats.Query{}) {
		n++
	}
	if n != 3 {
		t.Errorf("%d sessions", n)
	}
	if err := inserting(t, r.Session(t), path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("once more: %v", err)
	}
}

// Nothing is put into what is no database of opencode's, or is in use.
func TestInsertRefused(t *testing.T) {
	t.Parallel()
	s := formatstest.Result{Lines: []string{`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`}}.Session(t)
	dir := t.TempDir()
	other := filepath.Join(dir, "other.db")
	if err := sqldb.Create(t.Context(), other, false, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "CREATE TABLE session (id)")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	formatstest.Put(t, filepath.Join(dir, "text.db"), "hello, this is no database")
	for name, want := range map[string]string{"none.db": "opencode makes it", "text.db": "is no SQLite database", "other.db": "no such table"} {
		before := tree(t, dir)
		err := inserting(t, s, filepath.Join(dir, name))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// holdVariable has the test binary open the database that it names, and hold it until its
// standard input ends.
const holdVariable = "SESS_TEST_HOLD"

func TestMain(m *testing.M) {
	if path := os.Getenv(holdVariable); path != "" {
		os.Exit(hold(path))
	}
	os.Exit(m.Run())
}

func hold(path string) int {
	db, err := sqldb.Open(context.Background(), path)
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		return 1
	}
	defer db.Close()
	os.Stdout.WriteString("open\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// While a program has the database open, be it idle, nothing is put into it.
func TestInsertWhileOpen(t *testing.T) {
	t.Parallel()
	path := databaseCopy(t)
	s := formatstest.Result{Lines: []string{`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`}}.Session(t)
	// What sqldb opens has a lock only if the database has a log.
	for _, suffix := range []string{"-wal", "-shm"} {
		formatstest.Put(t, path+suffix, "")
	}
	holder := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	holder.Env = append(os.Environ(), holdVariable+"="+path)
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(out).ReadString('\n'); err != nil || said != "open\n" {
		t.Fatalf("%q, %v", said, err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := inserting(t, s, path); !errors.Is(err, sqldb.ErrOpen) || !strings.Contains(err.Error(), "opencode must not be running") {
		t.Errorf("while it is open: %v", err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("the database has changed")
	}
	if err := errors.Join(in.Close(), holder.Wait()); err != nil {
		t.Fatal(err)
	}
	if err := inserting(t, s, path); err != nil {
		t.Errorf("when it is closed: %v", err)
	}
}

// sameAsExport compares the sessions of a database with their exports, by the ends of
// their ids, and returns how many there were.
func sameAsExport(t *testing.T, src *formats.Source, export func(id string) []byte) int {
	t.Helper()
	n := 0
	for _, r := range formatstest.Import(t, Format, src, false) {
		data := export(r.Info.ID)
		if data == nil {
			t.Errorf("%s: no export of it", r.Info.ID)
			continue
		}
		if diff := cmp.Diff(importOne(t, data).Lines, r.Lines); diff != "" {
			t.Errorf("%s (-export +database):\n%.4000s", r.Info.ID, diff)
		}
		n++
	}
	return n
}

// The database gives the same session as what opencode exports of it.
func TestDatabase(t *testing.T) {
	t.Parallel()
	n := 0
	files := exports(t)
	for name, data := range corpus.Golden(t, "opencode/databases-1.18") {
		n += sameAsExport(t, write(t, name, data), func(id string) []byte {
			return files["genuine-"+strings.TrimSuffix(name, ".db")+"-"+strings.TrimPrefix(id, "ses_")+".json"]
		})
	}
	if n != 7 {
		t.Errorf("%d sessions", n)
	}
}

// Every database gives what opencode exported of it, and is shown to a model as
// opencode sent it.
func TestHomes(t *testing.T) {
	t.Parallel()
	home := corpus.Golden(t, "opencode/homes-1.18")
	files := map[string][]byte{}
	sessions := 0
	for name, data := range home {
		scenario, found := strings.CutSuffix(name, "/opencode.db")
		if !found {
			continue
		}
		sessions += sameAsExport(t, write(t, scenario+".db", data), func(id string) []byte {
			export := home[scenario+"/export-"+id+".json"]
			key := scenario + "__export-" + id
			files[key+".json"], files[key+".brief"] = export, home["golden/"+key+".brief"]
			if files[key+".brief"] == nil {
				t.Errorf("%s: nothing says what opencode sent", key)
			}
			return export
		})
	}
	if n := compareExports(t, files); sessions != 12 || n != sessions {
		t.Errorf("%d sessions as exported, %d as opencode sends them", sessions, n)
	}
}

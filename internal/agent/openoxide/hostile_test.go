package openoxide_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/formatstest"
	"github.com/sess-tools/sess/internal/agent/openoxide"
	"github.com/sess-tools/sess/internal/agent/sqldb"
	"github.com/sess-tools/sess/pkg/session"
)

func made(t testing.TB, statements string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "o.db")
	err := sqldb.Create(t.Context(), path, false, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statements)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// What is no such database is refused, by its name, and left alone.
func TestHostile(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "o.db")
	formatstest.ExportTo(t, openoxide.OpenOxide, formatstest.Parse(t, talk), whole)
	good, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string, data []byte) string {
		path := filepath.Join(t.TempDir(), name)
		formatstest.Put(t, path, string(data))
		return path
	}
	damaged := bytes.Clone(good)
	for i := 4096; i < len(damaged); i += 4096 {
		copy(damaged[i:], bytes.Repeat([]byte{0xff}, 64))
	}
	link := filepath.Join(t.TempDir(), "dangling.db")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Skip(err)
	}
	tests := []struct{ name, path, want string }{
		{"absent", filepath.Join(t.TempDir(), "x.db"), "no such file"},
		{"a link to nothing", link, "no such file"},
		{"empty", file("e.db", nil), "empty"},
		{"truncated", file("t.db", good[:len(good)-5000]), "truncated"},
		{"text", file("t.db", []byte("hello, world, this is no database")), "no SQLite database"},
		{"damaged", file("d.db", damaged), "damaged"},
		{"another layout", made(t, "CREATE TABLE session(id)"), "no table message"},
		{"a view", made(t, "CREATE VIEW session AS SELECT 1 AS id, 2 AS project_id; CREATE TABLE message(id, session_id, role, time_created, content)"), "no table session"},
	}
	for _, tt := range tests {
		before, _ := os.ReadFile(tt.path)
		_, err := formatstest.TryAll(t.Context(), openoxide.OpenOxide, &formats.Source{Path: tt.path})
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.path) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
		if after, _ := os.ReadFile(tt.path); sha256.Sum256(before) != sha256.Sum256(after) {
			t.Errorf("%s: it has changed", tt.name)
		}
		if _, err := formatstest.TryExportTo(t.Context(), openoxide.OpenOxide, formatstest.Parse(t, talk), tt.path); tt.name != "absent" && (err == nil || !strings.Contains(err.Error(), tt.path)) {
			t.Errorf("%s: exporting into it: %v", tt.name, err)
		}
	}
}

// What is odd is read as it is, and told.
func TestOdd(t *testing.T) {
	t.Parallel()
	path := made(t, `CREATE TABLE session(id TEXT, project_id, parent_id, title, directory, model_id, time_created, time_updated);
		CREATE TABLE message(id, session_id, role, time_created, content);
		INSERT INTO session VALUES('../x', NULL, 'gone', CAST(X'ff' AS TEXT), '/d', 7, 9223372036854775807, -5), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
		INSERT INTO message VALUES('a', '../x', 'system', 'yesterday', X'a178'), ('a', '../x', 'user', 1e300, X'a178'), (NULL, '../x', NULL, NULL, NULL)`)
	results := imported(t, path)
	if len(results) != 2 || !session.ValidSessionID(results[0].Info.ID) || results[0].Info.Name != "\ufffd" {
		t.Fatalf("%+v", results)
	}
	var kinds []string
	for _, l := range results[0].Losses {
		kinds = append(kinds, l.Kind)
	}
	if got := strings.Join(kinds, " "); got != "time damage entry" {
		t.Errorf("losses %s: %v", got, results[0].Losses)
	}
}

func TestHome(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	home := func(data string) string {
		got, err := openoxide.OpenOxide.About().Home(formats.Env{Home: "/h", Getenv: func(name string) string {
			return map[string]string{"XDG_DATA_HOME": data}[name]
		}})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if _, err := os.Stat("/h"); err == nil || os.PathSeparator != '/' {
		t.Skip("other paths")
	}
	if got := home("/data"); got != "/data/openoxide/openoxide.db" && !strings.Contains(got, "Library") {
		t.Errorf("got %s", got)
	}
	if got := home("relative"); got != "/h/.local/share/openoxide/openoxide.db" && !strings.Contains(got, "Library") {
		t.Errorf("got %s", got)
	}
	local := filepath.Join(dir, ".openoxide", "sessions.db")
	for _, d := range []string{filepath.Join(dir, ".git"), filepath.Dir(local), filepath.Join(dir, "below")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	formatstest.ExportTo(t, openoxide.OpenOxide, formatstest.Parse(t, talk), local)
	t.Chdir(filepath.Join(dir, "below"))
	if got := home("/data"); got != local {
		t.Errorf("the project's own: got %s", got)
	}
	results, err := formatstest.TryAll(t.Context(), openoxide.OpenOxide, &formats.Source{Path: dir})
	if err != nil || len(results) != 2 {
		t.Errorf("%d sessions, %v", len(results), err)
	}
}

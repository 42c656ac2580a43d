package openoxide_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/openoxide"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

// What is no such database is refused, by its name, and left alone.
func TestHostile(t *testing.T) {
	t.Parallel()
	formatstest.HostileDatabase(t, openoxide.OpenOxide, []byte(must.Read(t, talk(t))), [][3]string{
		{"another layout", formatstest.Database(t, "CREATE TABLE session(id)"), "no table message"},
		{"a view", formatstest.Database(t, "CREATE VIEW session AS SELECT 1 AS id, 2 AS project_id; CREATE TABLE message(id, session_id, role, time_created, content)"), "no table session"},
	}...)
}

// What is odd is read as it is, and told.
func TestOdd(t *testing.T) {
	t.Parallel()
	path := formatstest.Database(t, `CREATE TABLE session(id TEXT, project_id, parent_id, title, directory, model_id, time_created, time_updated);
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
	database := talk(t)
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
	must.Do(t, os.Rename(database, local))
	t.Chdir(filepath.Join(dir, "below"))
	if got := home("/data"); got != local {
		t.Errorf("the project's own: got %s", got)
	}
	results, err := formatstest.TryAll(t.Context(), openoxide.OpenOxide, &formats.Source{Path: dir})
	if err != nil || len(results) != 2 {
		t.Errorf("%d sessions, %v", len(results), err)
	}
}

// What MessagePack becomes is bounded by what it is.
func TestExpansion(t *testing.T) {
	t.Parallel()
	const n = 1 << 16
	long := func(lead byte, value ...byte) []byte {
		return append([]byte{lead, 0, 1, 0, 0}, bytes.Repeat(value, n)...)
	}
	for name, data := range map[string][]byte{
		"nulls":              long(0xdd, 0xc0),
		"small numbers":      long(0xdd, 0xe0),
		"control characters": append([]byte{0xdb, 0, 1, 0, 0}, make([]byte, n)...),
		"doubles":            long(0xdd, 0xcb, 0x80, 0x10, 0, 0, 0, 0, 0, 1),
	} {
		text, err := openoxide.Unpack(data)
		if err != nil || len(text) > 6*len(data) || len(text) < n {
			t.Errorf("%s: %d bytes become %d, %v", name, len(data), len(text), err)
		}
	}
	if _, err := openoxide.Unpack([]byte{0xdb, 0xff, 0xff, 0xff, 0xff, 'x'}); err == nil {
		t.Error("a text of four gigabytes that is not there is read")
	}
}

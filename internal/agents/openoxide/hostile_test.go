package openoxide_test

import (
	"bytes"
	"errors"
	"fmt"
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
	whole := filepath.Join(t.TempDir(), "o.db")
	formatstest.ExportTo(t, openoxide.OpenOxide, formatstest.Parse(t, talk), whole)
	for _, path := range formatstest.HostileDatabase(t, openoxide.OpenOxide, []byte(must.Read(t, whole)),
		[3]string{"another layout", formatstest.Database(t, "CREATE TABLE session(id)"), "no table message"},
		[3]string{"a view", formatstest.Database(t, "CREATE VIEW session AS SELECT 1 AS id, 2 AS project_id; CREATE TABLE message(id, session_id, role, time_created, content)"), "no table session"},
	) {
		if _, err := formatstest.TryExportTo(t.Context(), openoxide.OpenOxide, formatstest.Parse(t, talk), path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: exporting into it: %v", path, err)
		}
	}
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

// comb is a session with a branch at each of n steps: as forks they repeat n²/2 entries.
func comb(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n")
	parent := "null"
	for i := range n {
		for _, kind := range "ab" {
			fmt.Fprintf(&b, `{"type":"message","id":"%c%07d","parentId":%s,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"x"}}`+"\n", kind, i, parent)
		}
		parent = fmt.Sprintf(`"b%07d"`, i)
	}
	return b.String()
}

// Forks that would repeat too much are refused with the numbers before anything is
// made, unless it was allowed.
func TestGrowth(t *testing.T) {
	t.Parallel()
	s := formatstest.Parse(t, comb(5000))
	for growth, refused := range map[int64]bool{0: true, 100: true, 1000: true, 2000: false} {
		target := formats.NewTarget(func(formats.Loss) {})
		target.Path, target.Growth, target.Strict = filepath.Join(t.TempDir(), "x.db"), growth, true // which ends one that is allowed
		err := openoxide.OpenOxide.Export(t.Context(), s, target)
		e, large := errors.AsType[*formats.GrowthError](err)
		switch {
		case large != refused || !large && !errors.Is(err, formats.ErrLossy):
			t.Errorf("up to %d times: %v", growth, err)
		case large && (e.Size < 1<<20 || e.Made < 1000*e.Size || e.Times() > 1999 || len(target.Made) > 0):
			t.Errorf("%v", e)
		}
	}
	few := formatstest.Parse(t, comb(20))
	if _, err := formatstest.TryExportTo(t.Context(), openoxide.OpenOxide, few, filepath.Join(t.TempDir(), "x.db")); err != nil {
		t.Errorf("a small one: %v", err)
	}
}

// The lengths of paths are right where parents form a cycle, too: it costs nothing to ask.
func TestGrowthOfCycles(t *testing.T) {
	t.Parallel()
	entry := func(id, parent string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"x"}}`+"\n", id, parent)
	}
	header, _, _ := strings.Cut(comb(0), "\n")
	s := formatstest.Parse(t, header+"\n"+entry("a", "c")+entry("b", "a")+entry("c", "b")+entry("d", "c")+entry("e", "e")+entry("f", "gone"))
	if _, err := formatstest.TryExportTo(t.Context(), openoxide.OpenOxide, s, filepath.Join(t.TempDir(), "x.db")); err != nil {
		t.Error(err)
	}
}

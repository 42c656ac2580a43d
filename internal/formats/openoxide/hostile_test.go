package openoxide_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/formatstest"
	"github.com/sess-tools/sess/internal/formats/openoxide"
	"github.com/sess-tools/sess/internal/formats/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// readAll reads every session of a database; the first error is returned.
func readAll(ctx context.Context, path string) (results []formatstest.Result, err error) {
	f := openoxide.OpenOxide
	a, err := f.Open(ctx, &formats.Source{Path: path})
	if err != nil {
		return nil, err
	}
	defer a.Close()
	for info, lerr := range a.List(ctx, formats.Query{}) {
		if lerr != nil {
			return results, lerr
		}
		r, rerr := formatstest.Try(ctx, f, a, info)
		if rerr != nil && err == nil {
			err = rerr
		}
		results = append(results, r)
	}
	return results, err
}

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
	export(t, parse(t, talk), whole)
	good, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string, data []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
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
		_, err := readAll(t.Context(), tt.path)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.path) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
		if after, _ := os.ReadFile(tt.path); sha256.Sum256(before) != sha256.Sum256(after) {
			t.Errorf("%s: it has changed", tt.name)
		}
		if _, err := tryExport(t.Context(), parse(t, talk), tt.path); tt.name != "absent" && (err == nil || !strings.Contains(err.Error(), tt.path)) {
			t.Errorf("%s: exporting into it: %v", tt.name, err)
		}
	}
}

// A database with a few bytes changed is read, or refused by its name.
func TestMutants(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "o.db")
	export(t, parse(t, talk), path)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		data := bytes.Clone(good)
		for range 1 + r.IntN(8) {
			data[r.IntN(len(data))] = byte(r.Uint32())
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err := readAll(ctx, path)
		if ctx.Err() != nil || err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%v", err)
		}
		cancel()
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
			t.Error("it has changed")
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
	export(t, parse(t, talk), local)
	t.Chdir(filepath.Join(dir, "below"))
	if got := home("/data"); got != local {
		t.Errorf("the project's own: got %s", got)
	}
	results, err := readAll(t.Context(), dir)
	if err != nil || len(results) != 2 {
		t.Errorf("%d sessions, %v", len(results), err)
	}
}

// Every session comes back, and its database with it.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		b.WriteString(header)
		n := rapid.IntRange(0, 10).Draw(rt, "entries")
		value := rapid.SampledFrom([]string{`1`, `1.0`, `-0`, `1e3`, `"\ud800"`, `"\u00e9"`, `{"a":1,"a":2}`, `[[],{}]`, `null`, `"x\ny"`, `0.1`, `1e-9`})
		for i := range n {
			parent := "null"
			if i > 0 {
				parent = fmt.Sprintf(`"e%d"`, rapid.IntRange(max(0, i-3), i-1).Draw(rt, "parent"))
			}
			body := rapid.SampledFrom([]string{
				`"type":"message","message":{"role":"user","content":"q","x":%s}`, `"type":"message","message":{"role":"assistant","content":[],"x":%s}`,
				`"type":"custom","customType":"c","data":%s`, `"type":"poem","x":%s`, `"type":"session_info","name":"n","x":%s`,
				`"type":"compaction","summary":"s","firstKeptEntryId":"e0","tokensBefore":1,"details":%s`,
			}).Draw(rt, "body")
			fmt.Fprintf(&b, `{"id":"e%d","parentId":%s,"timestamp":"2026-01-02T03:%02d:06.000Z",`+body+"}\n", i, parent,
				rapid.IntRange(0, 59).Draw(rt, "minute"), value.Draw(rt, "value"))
		}
		s, err := session.Read(strings.NewReader(b.String()))
		if err != nil {
			rt.Fatal(err)
		}
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		first, second := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
		export(t, s, first)
		results, err := readAll(t.Context(), first)
		if err != nil {
			rt.Fatal(err)
		}
		back := results[0].Session(t)
		if diff := cmp.Diff(view(s), view(back)); diff != "" {
			rt.Errorf("%s\n(-before +after) %s", b.String(), diff)
		}
		lines := map[string]bool{}
		for _, r := range results {
			for _, e := range r.Session(t).Entries {
				lines[e.WithParent("").Raw()] = true
			}
			export(t, r.Session(t), second)
		}
		leaf, ok := s.Leaf()
		path, _ := s.Path(leaf)
		for _, e := range path {
			if ok && !lines[e.WithParent("").Raw()] {
				rt.Errorf("%s is gone", e.Raw())
			}
		}
		if diff := cmp.Diff(dump(t, first), dump(t, second)); diff != "" {
			rt.Errorf("%s\n(-first +second) %s", b.String(), diff)
		}
	})
}

func FuzzImport(f *testing.F) {
	f.Add([]byte{0xa1, 'x'}, "user")
	f.Add([]byte{0x82, 0xa1, 'v', 1, 0xa5, 'e', 'n', 't', 'r', 'y', 0x81, 0xa2, 'i', 'd', 0xa1, 'a'}, "tool")
	f.Add(bytes.Repeat([]byte{0x91}, 1000), "assistant")
	// Laws: no content makes reading panic or fail; what is read twice is the same, each
	// line an object; and an export has the content again.
	f.Fuzz(func(t *testing.T, content []byte, role string) {
		if role != "user" && role != "assistant" && role != "tool" {
			return
		}
		path := packed(t, content)
		first, err := readAll(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		second, err := readAll(t.Context(), path)
		if err != nil || first[0].Text() != second[0].Text() {
			t.Fatalf("not the same: %v", err)
		}
		for _, line := range first[0].Lines {
			if !js.Valid([]byte(line)) || line[0] != '{' {
				t.Errorf("no line: %q", line)
			}
		}
		again := filepath.Join(t.TempDir(), "again.db")
		s, err := session.Read(strings.NewReader(first[0].Text()))
		if err != nil {
			t.Fatal(err)
		}
		export(t, s, again)
		if diff := cmp.Diff(dump(t, path), dump(t, again)); diff != "" {
			t.Error(diff)
		}
	})
}

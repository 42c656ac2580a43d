package jqmap_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/agent"
)

// talks is a map over a database.
const talks = `module {
  interface: 1, name: "test", summary: "tests", homes: ["~/.test"], files: ["talks.db", "more/*/talks.db"], registry: ["places.json", "places", "at"], signs: ["CREATE TABLE talks", "who"],
  kind: ["who"], id: "id", time: ["at"],
  sqlite: {
    tables: {talks: ["id", "name", "?cwd", "?told", "made"], Words: ["id", "talk", "who", "text", "?at", "rowid", "?extra"], "?marks": ["talk", "mark"]},
    sessions: "SELECT id AS key, name, cwd, told, made, (SELECT count(*) FROM marks WHERE talk = talks.id) AS marked FROM talks ORDER BY made DESC, id",
    values: "SELECT id, who, text AS \"text:zstd:hex:base64:json\", at, extra FROM words WHERE talk = ?1 ORDER BY rowid"
  }
};
def detect: true;
def info: .values[0] as $s | {id: $s.key, title: $s.name, cwd: $s.cwd, created: $s.made, modified: $s.told, marked: $s.marked};
def value: if $kind == "me" then user([text(.text | str)]) elif $kind == "it" then assistant([text("\(.text | str) \($info.marked) \(.extra)")]; {}) elif has("key")? or $kind == "end" then skip else empty end;
`

var talksSchema = []string{
	`CREATE TABLE talks (id TEXT PRIMARY KEY, name TEXT, cwd TEXT, told INTEGER, made TIMESTAMP)`,
	`CREATE TABLE words (id INTEGER PRIMARY KEY, talk TEXT, who TEXT, text BLOB, at DATETIME, extra BOOLEAN)`,
	`CREATE TABLE marks (talk TEXT, mark TEXT)`,
	`INSERT INTO talks VALUES ('t1', 'First', '/w', 1793613605, '2026-11-02T10:00:00Z'), ('t2', 'Second', NULL, NULL, '2026-11-02T09:00:00Z'), ('a/b', 'Third', NULL, NULL, '2026-11-02T08:00:00Z')`,
	`INSERT INTO marks VALUES ('t1', 'x')`,
	`INSERT INTO words (talk, who, text, at, extra) VALUES ('t1', 'me', 'hi', '2026-11-02T10:00:01Z', NULL), ('t1', 'it', 'hello', '2026-11-02T10:00:02Z', 1), ('t2', 'me', 'other', NULL, NULL)`,
}

// talksMap loads the map, with its text changed.
func talksMap(t *testing.T, changes ...string) *jqmap.Map {
	t.Helper()
	m, err := jqmap.Load(formatstest.File(t, "test.jq", strings.NewReplacer(changes...).Replace(talks)))
	must.Do(t, err)
	return m
}

// saidIn returns the sessions of a database, each with the texts of its messages.
func saidIn(t *testing.T, f formats.Format, path string) (out []string) {
	t.Helper()
	for _, r := range formatstest.Import(t, f, source(path), false) {
		line := r.Info.ID + " " + r.Info.Name + ":"
		for _, e := range r.Session(t).Entries {
			if m, ok := e.Message(); ok {
				line += " " + m.Text("|")
			}
		}
		out = append(out, line)
	}
	return out
}

// A session is a row, its values are the rows that name it, and its id, if the row has none that a file can have, is made of its key.
func TestDatabase(t *testing.T) {
	t.Parallel()
	m, path := talksMap(t), formatstest.Database(t, talksSchema...)
	results := formatstest.Import(t, m, source(path), false)
	got := saidIn(t, m, path)
	third := results[2].Info
	want(t, got, "t1 First: hi hello 1 1", "t2 Second: other", third.ID+" Third:")
	if third.Key != "a/b" || !formats.IsUUID(third.ID) {
		t.Errorf("%+v", third)
	}
	first := results[0]
	if i := first.Info; i.CWD != "/w" || i.Created.UnixMilli() != 1793613600000 || i.Modified.UnixMilli() != 1793613605000 || !i.Dated || i.Alone || results[1].Info.Dated {
		t.Errorf("%+v", i)
	}
	if e := first.Session(t).Entries[1]; !strings.Contains(e.Raw(), `"timestamp":"2026-11-02T10:00:01.000Z"`) {
		t.Errorf("%s", e.Raw())
	}
	a := formatstest.Open(t, m, source(path))
	for id, want := range map[string]string{"t1": "t1", "Second": "t2", third.ID: third.ID, third.ID[:8]: third.ID, "t": "", "none": ""} {
		info, err := formats.Find(t.Context(), a, id)
		if info.ID != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", id, info.ID, err)
		}
	}
	if err := a.Read(t.Context(), formats.Info{Key: "gone"}, formats.NewBuilder("x", nil, nil)); err == nil || !strings.Contains(err.Error(), "no such session") {
		t.Error(err)
	}
}

// A value is what its forms say, one behind the other, as far as it is of them; else it stays as it is.
func TestDatabaseForms(t *testing.T) {
	t.Parallel()
	packer, err := zstd.NewWriter(nil)
	must.Do(t, err)
	packed := func(text string) string { return fmt.Sprintf("x'%x'", packer.EncodeAll([]byte(text), nil)) }
	for value, want := range map[string]string{
		`'plain'`:                 `"plain"`,
		`x'68656c6c6f'`:           `"hello"`,
		`x'ff00'`:                 `"/wA="`,
		`CAST(x'61ff' AS TEXT)`:   "\"a\ufffd\"",
		`'68656c6c6f21'`:          `"hello!"`,
		`'aGVsbG8h'`:              `"hello!"`,
		`'{"a": [1.0, 1e400]}'`:   `{"a": [1.0, 1e400]}`,
		packed(`{"z":1}`):         `{"z":1}`,
		packed("words"):           `"words"`,
		packed(`7b7d`):            `{}`,
		`x'28b52ffd00'`:           `"KLUv/QA="`,
		`42`:                      `42`,
		`1.5`:                     `1.5`,
		`9e999`:                   `null`,
		`1e21`:                    `1e+21`,
		`NULL`:                    `null`,
		`'[' || char(10) || '1]'`: "[1]",
	} {
		m := talksMap(t, `user([text(.text | str)])`, `assistant([call("c"; "n"; {v: .text})]; {})`)
		path := formatstest.Database(t, append(talksSchema, `DELETE FROM words`, `INSERT INTO words (talk, who, text) VALUES ('t1', 'me', `+value+`)`)...)
		text := formatstest.Import(t, m, source(path), false)[0].Text()
		wanted := `"arguments":{"v":` + want + `}`
		if want == "null" {
			wanted = `"arguments":{}`
		}
		if !strings.Contains(text, wanted) {
			t.Errorf("%s is not %s:\n%s", value, want, text)
		}
	}
}

// What a map says may be missing is NULL, or has no rows; what it needs is an error that names it, and a view or a generated column is none.
func TestDatabaseMissing(t *testing.T) {
	t.Parallel()
	m := talksMap(t)
	for change, want := range map[string]string{
		`ALTER TABLE talks DROP COLUMN cwd`:                                                       "t1 First: hi hello 1 1",
		`ALTER TABLE words DROP COLUMN extra`:                                                     "t1 First: hi hello 1 null",
		`DROP TABLE marks`:                                                                        "t1 First: hi hello 0 1",
		`ALTER TABLE marks DROP COLUMN mark`:                                                      "t1 First: hi hello 1 1",
		`ALTER TABLE words RENAME TO Words2; ALTER TABLE Words2 RENAME TO WORDS`:                  "t1 First: hi hello 1 1",
		`DROP TABLE marks; CREATE VIEW marks AS SELECT 't1' AS talk, randomblob(9) AS mark`:       "t1 First: hi hello 0 1",
		`ALTER TABLE words DROP COLUMN extra; ALTER TABLE words ADD COLUMN extra AS (upper(who))`: "t1 First: hi hello 1 null",
		`ALTER TABLE talks DROP COLUMN name`:                                                      "its table talks has no column name",
		`DROP TABLE words`:                                                                        "it has no table words",
		`ALTER TABLE words RENAME TO others; CREATE VIEW words AS SELECT * FROM others`:           "it has no table words",
		`ALTER TABLE talks RENAME COLUMN name TO n; ALTER TABLE talks ADD COLUMN name AS (n)`:     "its table talks has no column name",
	} {
		path := formatstest.Database(t, append(talksSchema, change)...)
		_, err := formatstest.TryAll(t.Context(), m, source(path))
		if err != nil {
			if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", change, err)
			}
		} else if got := saidIn(t, m, path); got[0] != want {
			t.Errorf("%s: %s, want %s", change, got[0], want)
		}
	}
}

// A query of a map sees the columns that it names and no other ones, and nothing of other tables.
func TestDatabaseSeesLittle(t *testing.T) {
	t.Parallel()
	path := formatstest.Database(t, append(talksSchema, `ALTER TABLE words ADD COLUMN secret TEXT DEFAULT 'hush'`, `CREATE TABLE others (x TEXT)`)...)
	for query, told := range map[string]string{
		"secret FROM words":       "no such column: secret",
		"main.words.secret":       "no such column",
		"writefile('x', 'y')":     "no such function",
		"load_extension('x')":     "",
		"x FROM other_database.t": "no such table",
	} {
		m := talksMap(t, `SELECT id, who, text AS \"text:zstd:hex:base64:json\", at, extra FROM words WHERE talk = ?1 ORDER BY rowid`, "SELECT "+query)
		if _, err := formatstest.TryAll(t.Context(), m, source(path)); err == nil || !strings.Contains(err.Error(), told) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// A row that is only in the log of a writer is read, and no byte beside the database changes.
func TestDatabaseLog(t *testing.T) {
	t.Parallel()
	m, path := talksMap(t), formatstest.Database(t, append(talksSchema, `PRAGMA user_version = 1`)...)
	formatstest.Logged(t, path, `INSERT INTO words (talk, who, text, extra) VALUES ('t1', 'me', 'in the log', 0)`, func() {
		before := map[string]string{}
		for _, suffix := range []string{"", "-wal"} {
			before[suffix] = must.Read(t, path+suffix)
		}
		if got := saidIn(t, m, path)[0]; got != "t1 First: hi hello 1 1 in the log" {
			t.Error(got)
		}
		for suffix, was := range before {
			if must.Read(t, path+suffix) != was {
				t.Errorf("%s%s has changed", path, suffix)
			}
		}
	})
}

// Below a home there may be several databases, in its registry others: one that cannot be read is listed with its error, and ends no listing.
func TestDatabases(t *testing.T) {
	t.Parallel()
	home, elsewhere := t.TempDir(), t.TempDir()
	good := must.Read(t, formatstest.Database(t, talksSchema...))
	one := strings.ReplaceAll(strings.Join(talksSchema[:3], ";"), "\n", "") + `;INSERT INTO talks VALUES ('x1', 'Elsewhere', NULL, NULL, NULL)`
	formatstest.Put(t, filepath.Join(home, "talks.db"), good)
	formatstest.Put(t, filepath.Join(home, "more/a/talks.db"), "no database, and long enough to be read as one, if it were one of the kind that there is here")
	formatstest.Put(t, filepath.Join(home, "more/b/talks.db"), must.Read(t, formatstest.Database(t, `CREATE TABLE other (x)`)))
	formatstest.Put(t, filepath.Join(elsewhere, "talks.db"), must.Read(t, formatstest.Database(t, one)))
	formatstest.Put(t, filepath.Join(home, "places.json"), fmt.Sprintf(`{"places":[{"at":%q},{"at":%q},{"at":"/nowhere"},{"at":"more"},7,{"at":%q}]}`, elsewhere, home, elsewhere))
	m := talksMap(t)
	var got []string
	a := formatstest.Open(t, m, source(home))
	for info, err := range a.List(t.Context(), formats.Query{}) {
		name := info.Name
		if err != nil {
			name = err.Error()[strings.LastIndex(err.Error(), ": ")+2:]
		}
		got = append(got, strings.NewReplacer(home, "HOME", elsewhere, "ELSEWHERE").Replace(info.Path)+" "+name)
		if err == nil {
			if _, rerr := formatstest.Try(t.Context(), m, a, info); rerr != nil {
				t.Error(rerr)
			}
		}
	}
	want(t, got, "HOME/more/a/talks.db is no SQLite database, or is encrypted", "HOME/more/b/talks.db it has no table talks",
		"HOME/talks.db First", "HOME/talks.db Second", "HOME/talks.db Third", "ELSEWHERE/talks.db Elsewhere")
	info, err := formats.Find(t.Context(), a, "x1")
	if err != nil || info.Path != filepath.Join(elsewhere, "talks.db") || !info.Undated || info.Created.IsZero() {
		t.Errorf("%+v, %v", info, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Open(ctx, source(home)); err == nil {
		t.Error("it is opened though nobody wants it")
	}
}

// Of a database that still grows the last row is left out.
func TestDatabaseClosed(t *testing.T) {
	t.Parallel()
	m, path := talksMap(t), formatstest.Database(t, talksSchema...)
	a := formatstest.Open(t, m, source(path))
	for growth, want := range map[formats.Growth]string{formats.Closed: "hi", formats.Quiet: "hi hello 1 1"} {
		info, err := formats.Find(t.Context(), a, "t1")
		must.Do(t, err)
		r, err := formatstest.Grown(t.Context(), m, a, info, growth)
		must.Do(t, err)
		var got []string
		for _, e := range r.Session(t).Entries {
			if m, ok := e.Message(); ok {
				got = append(got, m.Text(""))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%v: %q, want %q", growth, got, want)
		}
	}
}

// A query that finds nothing in time ends, and so does one that finds more rows than a database of its size can have.
func TestDatabaseEndless(t *testing.T) {
	jqmap.SetPatience(t, 200*time.Millisecond)
	path := formatstest.Database(t, talksSchema...)
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
	for query, told := range map[string]string{
		"SELECT max(i) AS key FROM (" + endless + "i FROM n)":  "no row was found in time",
		"SELECT i || '' AS key FROM (" + endless + "i FROM n)": "more rows than bytes",
	} {
		begun := time.Now()
		m := talksMap(t, `SELECT id AS key, name, cwd, told, made, (SELECT count(*) FROM marks WHERE talk = talks.id) AS marked FROM talks ORDER BY made DESC, id`, query,
			`def info: .values[0] as $s | {id: $s.key, title: $s.name, cwd: $s.cwd, created: $s.made, modified: $s.told, marked: $s.marked};`, `def info: null;`)
		var err error
		n := 0
		for _, lerr := range formatstest.Open(t, m, source(path)).List(t.Context(), formats.Query{ID: "none"}) {
			n++
			err = lerr
		}
		if err == nil || !strings.Contains(err.Error(), told) || !strings.Contains(err.Error(), path) || n > 1 {
			t.Errorf("%s: %v after %v and %d", query, err, time.Since(begun), n)
		}
	}
}

// A header that contradicts itself says so.
func TestDatabaseHeader(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{
		{`sessions: "SELECT`, `other: "SELECT`, "the member sqlite of the header is not an object of tables, and of the queries sessions and values"},
		{`"talk", "who"`, `7, "who"`, "the member sqlite of the header is not a list of strings"},
		{`kind: ["who"]`, `kind: ["who"], each: "x"`, "are of files, and not of sqlite"},
		{`kind: ["who"]`, `kind: ["who"], beside: ["x"]`, "are of files, and not of sqlite"},
		{`registry: ["places.json", "places", "at"]`, `registry: ["places.json"]`, "the member registry of the header is not a file, a list and a member"},
		{`kind: ["who"]`, `kind: ["who"], except: ["x"]`, "the member except of the header is of like"},
	} {
		if _, err := jqmap.Load(formatstest.File(t, "test.jq", strings.Replace(talks, tt[0], tt[1], 1))); err == nil || !strings.Contains(err.Error(), tt[2]) {
			t.Errorf("%s: %v", tt[1], err)
		}
	}
}

// A database that is not one, or is cut or damaged, is refused by its name.
func TestDatabaseHostile(t *testing.T) {
	t.Parallel()
	path := formatstest.Database(t, append(talksSchema, `INSERT INTO words (talk, who, text) SELECT 't1', 'me', hex(randomblob(3000)) FROM json_each('[1,2,3,4,5,6,7,8]')`)...)
	pipe := filepath.Join(t.TempDir(), "dir.db")
	must.Do(t, os.Mkdir(pipe, 0o755))
	formatstest.HostileDatabase(t, talksMap(t), []byte(must.Read(t, path)), [3]string{"another's", formatstest.Database(t, `CREATE TABLE x (y)`), "it has no table"})
	if got, err := formatstest.TryAll(t.Context(), talksMap(t), source(pipe)); err != nil || len(got) > 0 {
		t.Errorf("a directory without any: %v, %v", got, err)
	}
	m := talksMap(t)
	for key, row := range map[string]string{"NULL": "has no key", "x'00ff'": "no such session", "7": "", "''": ""} {
		path := formatstest.Database(t, append(talksSchema, `DELETE FROM talks`, `CREATE TABLE t2 (id, name TEXT, cwd TEXT, told INTEGER, made TEXT)`, `DROP TABLE talks`, `ALTER TABLE t2 RENAME TO talks`, `INSERT INTO talks (id) VALUES (`+key+`)`)...)
		if _, err := formatstest.TryAll(t.Context(), m, source(path)); row != "" && (err == nil || !strings.Contains(err.Error(), row)) {
			t.Errorf("the key %s: %v", key, err)
		}
	}
	if data := base64.StdEncoding.EncodeToString([]byte("x")); !m.Detect("x", []byte(must.Read(t, path))[:4096]) || m.Detect("x", []byte(data)) {
		t.Error("it is detected by the texts that made its tables, and by nothing else")
	}
}

// A text that speaks of the tables of a database is none of its maps.
func TestTextsAreNoDatabases(t *testing.T) {
	t.Parallel()
	for _, f := range jqmap.Embedded() {
		head := `{"type":"user","text":"CREATE TABLE`
		for _, sign := range agentSigns(f.About().Name) {
			head += " " + strings.ReplaceAll(sign, `"`, `\"`)
		}
		if head += `"}` + "\n"; f.Detect("x.jsonl", []byte(head)) && slices.Contains([]string{"zed", "crush", "goose", "hermes", "cursoride"}, f.About().Name) {
			t.Errorf("%s takes %s", f.About().Name, head)
		}
	}
}

// agentSigns are the signs of an agent's sessions.
func agentSigns(name string) []string {
	for _, a := range agent.All() {
		if a.Name == name {
			return a.Signs
		}
	}
	return nil
}

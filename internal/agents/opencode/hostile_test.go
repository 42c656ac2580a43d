package opencode

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
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

// tree returns what is in a directory: a digest for each name, and times.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		out[e.Name()] = fmt.Sprintf("%x %v %v", sha256.Sum256(data), fi.ModTime(), fi.Mode())
	}
	return out
}

const (
	info     = `"info":{"id":"ses_1","slug":"s","title":"t","version":"1","time":{"created":1,"updated":2}}`
	user     = `{"info":{"id":"msg_1","role":"user","time":{"created":3}},"parts":[{"id":"prt_1","type":"text","text":"hello"}]}`
	aTool    = `{"info":{"id":"msg_2","role":"assistant","time":{"created":4}},"parts":[{"id":"prt_2","type":"tool","callID":"c","tool":"t","state":%s}]}`
	session1 = `{` + info + `,"messages":[` + user + `]}`
)

// Sources that are not what they should be: an error that says where, or all that can be
// read, and never a change.
func TestHostile(t *testing.T) {
	t.Parallel()
	db := corpus.Golden(t, "opencode/databases-1.18")["07-subagent.db"]
	deep := strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999)
	for name, c := range map[string]struct {
		file, data string
		err        string   // in the message; "" for none
		said       []string // if it can be read
		losses     int
	}{
		"empty":                   {"e.json", "", "e.json: at byte 0: the JSON ends too early", nil, 0},
		"a status line in front":  {"e.json", "Exporting session: ses_1\r\n" + session1, "", []string{`["user","hello"]`}, 1},
		"a status without a line": {"e.json", "\x1b[0mExporting session: ses_1" + session1, "", []string{`["user","hello"]`}, 1},
		"another line in front":   {"e.json", "Exported: ses_1\n" + session1, "at byte", nil, 0},
		"white space":             {"e.json", " \n", "the JSON ends too early", nil, 0},
		"words":                   {"e.json", "hello", "'h' where '{' has to be", nil, 0},
		"truncated":               {"e.json", session1[:len(session1)-20], "at byte ", nil, 0},
		"truncated behind":        {"e.json", session1[:len(session1)-2], "the JSON ends too early", nil, 0},
		"something behind":        {"e.json", session1 + "{}", "behind the end of the export", nil, 0},
		"no info":                 {"e.json", `{"messages":[` + user + `]}`, "it has no info", nil, 0},
		"no session":              {"e.json", `[]`, "it has no info", nil, 0},
		"info is a list":          {"e.json", `{"info":[],"messages":[]}`, "it has no info", nil, 0},
		"messages an object":      {"e.json", `{` + info + `,"messages":{}}`, "'{' where '[' has to be", nil, 0},
		"bare words":              {"e.json", `{` + info + `,"messages":[nil]}`, "not JSON", nil, 0},
		"deep":                    {"e.json", `{` + info + `,"messages":[` + deep + `]}`, "nested deeper", nil, 0},
		"deep without end":        {"e.json", `{` + info + `,"messages":[` + strings.Repeat(`[{"a":`, 100_000), "nested deeper", nil, 0},
		"a long number":           {"e.json", `{` + info + `,"x":` + strings.Repeat("1", 5000) + `}`, "no number is that long", nil, 0},
		"huge numbers":            {"e.json", `{"info":{"id":"ses_1","time":{"created":1e400,"updated":-99999999999999999999}},"messages":[` + strings.ReplaceAll(user, ":3}", ":1e99}") + `]}`, "", []string{`["user","hello"]`}, 0},
		"not UTF-8":               {"e.json", strings.ReplaceAll(session1, "hello", "h\xff\xc0llo"), "", []string{`["user","h�llo"]`}, 1},
		"NUL":                     {"e.json", strings.ReplaceAll(session1, "hello", `a\u0000b`), "", []string{line("user", "a\x00b")}, 0},
		"half a pair":             {"e.json", strings.ReplaceAll(session1, "hello", `a\ud800`), "", []string{`["user","a�"]`}, 0},
		"byte order mark":         {"e.json", "\xef\xbb\xbf" + session1, "", []string{`["user","hello"]`}, 0},
		"messages that are none":  {"e.json", `{` + info + `,"messages":[1,null,"x",[],{},{"info":{"role":"user"}},` + user + `]}`, "", []string{`["user","hello"]`}, 6},
		"twice":                   {"e.json", `{` + info + `,"messages":[` + user + `,` + user + `]}`, "", []string{`["user","hello"]`}, 1},
		"another role":            {"e.json", `{` + info + `,"messages":[` + user + `,{"info":{"id":"msg_9","role":"robot"},"parts":[]}]}`, "", []string{`["user","hello"]`}, 1},
		"parts of nobody":         {"e.json", `{` + info + `,"messages":[` + strings.ReplaceAll(user, `"type"`, `"messageID":"msg_7","type"`) + `]}`, "", nil, 1},
		"parts that are none":     {"e.json", `{` + info + `,"messages":[` + strings.ReplaceAll(user, `"parts":[`, `"parts":[1,null,[],{},`) + `]}`, "", []string{`["user","hello"]`}, 0},
		"a tool without state": {
			"e.json", `{` + info + `,"messages":[` + user + `,` + fmt.Sprintf(aTool, "7") + `]}`, "",
			[]string{`["user","hello"]`, `["assistant","",[["c","t","{}"]]]`, `["tool","c","[Tool execution was interrupted]"]`},
			0,
		},
		"a session without name": {"e.json", `{"info":{},"messages":[` + user + `]}`, "", []string{`["user","hello"]`}, 0},
		"a name that leads out":  {"e.json", strings.ReplaceAll(session1, "ses_1", "../../x"), "", []string{`["user","hello"]`}, 0},

		"an empty database":       {"opencode.db", "", "is empty", nil, 0},
		"no database":             {"opencode.db", "hello", "'h' where", nil, 0},
		"a truncated database":    {"opencode.db", string(db[:len(db)/2]), "opencode.db: is truncated", nil, 0},
		"half a header":           {"opencode.db", string(db[:50]), "is truncated", nil, 0},
		"a database with garbage": {"opencode.db", string(db[:100]) + strings.Repeat("x", len(db)-100), "opencode.db", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			src := source(filepath.Join(dir, c.file))
			formatstest.Put(t, src.Path, c.data)
			before := tree(t, dir)
			r, err := open(t, src)
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("something changed:\n%s", diff)
			}
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Count(err.Error(), c.file) != 1 {
					t.Errorf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.said, said(t, r.Session(t))); diff != "" || len(r.Losses) < c.losses || c.losses == 0 && len(r.Losses) > 1 {
				t.Errorf("losses %v, want %d\n%s", r.Losses, c.losses, diff)
			}
			if !session.ValidSessionID(r.Info.ID) {
				t.Errorf("id %q", r.Info.ID)
			}
			text, _ := export(t, r)
			importable(t, text)
		})
	}
}

// Each session of a directory or through a link is the same.
func TestWhereItIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := corpus.Golden(t, "opencode/databases-1.18")["01-plain.db"]
	if db == nil {
		db = corpus.Golden(t, "opencode/databases-1.18")["07-subagent.db"]
	}
	formatstest.Put(t, filepath.Join(dir, "opencode.db"), string(db))
	if err := os.Symlink(filepath.Join(dir, "opencode.db"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	direct, err := open(t, source(filepath.Join(dir, "opencode.db")))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "link")} {
		if r, err := open(t, source(path)); err != nil || r.Text() != direct.Text() {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := open(t, source(filepath.Join(dir, "none.json"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := open(t, source(t.TempDir())); err == nil {
		t.Error("a directory without a database")
	}
}

// A database that is laid out otherwise, or whose values are not what they should be.
func TestStrangeDatabases(t *testing.T) {
	t.Parallel()
	const tables = `CREATE TABLE session (id, slug, directory, title, version, time_created, time_updated, parent_id);
		CREATE TABLE message (id, session_id, time_created, data); CREATE TABLE part (id, message_id, session_id, data);
		INSERT INTO session VALUES ('ses_1','sl','/w','t','1',5,6,NULL), (NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL), (7,x'ff00',8.5,'t','1','x',1e300,NULL);
		INSERT INTO message VALUES ('msg_1','ses_1',5,'{"role":"user"}'), ('msg_2','ses_1','x','no JSON'), (3,'ses_1',NULL,NULL), ('msg_4','ses_1',9,'{"role":"user"}');
		INSERT INTO part VALUES ('prt_2','msg_1','ses_1','{"type":"text","text":" world"}'), ('prt_1','msg_1','ses_1','{"type":"text","text":"hello"}'), ('prt_3','msg_4','ses_1','['), ('prt_4','msg_4','ses_1',x'7b2274797065223a2274657874222c2274657874223a22ff227d');`
	for name, c := range map[string]struct{ sql, err string }{
		"strange values": {tables, ""},
		"no parts":       {`CREATE TABLE session (id, slug, directory, title, version, time_created, time_updated); CREATE TABLE message (id, session_id, time_created, data);`, "it has no table part"},
		"a column less":  {`CREATE TABLE session (id); CREATE TABLE message (id, session_id, time_created, data); CREATE TABLE part (id, message_id, session_id, data);`, "has no column directory"},
		"a view":         {`CREATE TABLE x (id); CREATE VIEW session AS SELECT id, id AS slug, id AS directory, id AS title, id AS version, id AS time_created, id AS time_updated FROM x; CREATE TABLE message (id, session_id, time_created, data); CREATE TABLE part (id, message_id, session_id, data);`, "it has no table session"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := formatstest.Database(t, c.sql)
			a, err := Format.Open(t.Context(), source(path))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || !errors.Is(err, sqldb.ErrSchema) {
					t.Errorf("%v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			info, err := formats.Find(t.Context(), a, "sl")
			if err != nil || info.ID != "ses_1" {
				t.Fatalf("%+v, %v", info, err)
			}
			n := 0
			for info, err := range a.List(t.Context(), formats.Query{Details: true}) {
				if n++; err != nil || !session.ValidSessionID(info.ID) && info.Key == "ses_1" {
					t.Errorf("%+v, %v", info, err)
				}
			}
			r := read(t, a, "ses_1")
			if got := said(t, r.Session(t)); n != 3 || len(r.Losses) != 3 || strings.Join(got, "") != `["user","hello ⏎  world"]["user","�"]` {
				t.Errorf("%d sessions, %v\n%v", n, got, r.Losses)
			}
		})
	}
}

// What opencode refuses to import is read as far as it can be, and then written as
// opencode takes it.
func TestRefused(t *testing.T) {
	t.Parallel()
	whole := []string{`["user","q1"]`, `["assistant","a1"]`, `["user","q2"]`, `["assistant","a2"]`}
	want := map[string][]string{
		"o02-no-slug":             whole,
		"o03-no-version":          whole,
		"o05-null-optionals":      whole,
		"o06-id-wrong-prefix":     whole,
		"o11-msg-times-float":     whole,
		"o19-tool-no-title":       {`["user","q1"]`, `["assistant","",[["c1","bash","{\"command\":\"ls\"}"]]]`, `["tool","c1","OUT"]`},
		"o20-tool-input-string":   {`["user","q1"]`, `["assistant","",[["c1","bash","{\"input\":\"raw string\"}"]]]`, `["tool","c1","OUT"]`},
		"o23-reasoning-no-time":   {`["user","q1"]`, `["assistant","a"]`},
		"o27-user-no-model":       {`["user","q1"]`, `["assistant","a"]`},
		"o29-assistant-no-parent": {`["user","q1"]`, `["assistant","a"]`},
		"o30-assistant-no-tokens": {`["user","q1"]`, `["assistant","a"]`},
		"o33-unknown-part-type":   {`["user","q1"]`, `["assistant","a"]`},
		"o48-jsonl-not-json":      nil,
		"o49-share-format":        whole,
	}
	files := exports(t)
	for _, name := range names(files, ".refused") {
		list, ok := want[name]
		switch data := files[name+".json"]; {
		case !ok:
			t.Errorf("%s: nothing is said of it", name)
		case list == nil:
			_, err := open(t, write(t, "e.json", data))
			if err == nil || !strings.Contains(err.Error(), "e.json: at byte ") {
				t.Errorf("%s: %v", name, err)
			}
		default:
			r := importOne(t, data)
			if diff := cmp.Diff(list, said(t, r.Session(t))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
	if got := len(names(files, ".refused")); got != len(want) {
		t.Errorf("%d samples are refused, %d are known", got, len(want))
	}
}

// open reads the only session of a source.
func open(t testing.TB, src *formats.Source) (r formatstest.Result, err error) {
	t.Helper()
	rs, err := formatstest.TryAll(t.Context(), Format, src)
	return append(rs, r)[0], err
}

// Every sample that can be read says the same when it was written, and after that ceases to
// change.
func TestSamplesThereAndBack(t *testing.T) {
	t.Parallel()
	files := exports(t)
	for _, name := range names(files, ".json") {
		if name == "o48-jsonl-not-json" {
			continue
		}
		first := importOne(t, files[name+".json"])
		text, _ := export(t, first)
		second := importOne(t, []byte(text))
		again, losses := export(t, second)
		if diff := cmp.Diff(said(t, first.Session(t)), said(t, second.Session(t))); diff != "" {
			t.Errorf("%s: what is said changes:\n%s", name, diff)
		}
		if again != text || len(losses) > 0 {
			t.Errorf("%s: it goes on changing: %q\n%s", name, losses, cmp.Diff(text, again))
		}
	}
}

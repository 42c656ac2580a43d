package zeroclaw_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/zeroclaw"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

// What is no database of ZeroClaw's is refused, by its name, and left alone.
func TestHostile(t *testing.T) {
	t.Parallel()
	formatstest.HostileDatabase(t, zeroclaw.ZeroClaw, corpus.Session(t, "zeroclaw/memory.db"), [][3]string{
		{"another layout", formatstest.Database(t, "CREATE TABLE t(x)"), "no table session_messages"},
		{"sessions that are messages", formatstest.Database(t, "CREATE TABLE sessions(id, session_id, session_key, role, content, created_at)"), "no table session_messages"},
		{"a view for messages", formatstest.Database(t, `CREATE TABLE sessions(session_id, session_key, created_at);
			CREATE VIEW session_messages AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i AS id, 's' AS session_id, 'user' AS role, 'x' AS content, 't' AS created_at FROM n`), "no table session_messages"},
		{"a generated column", formatstest.Database(t, `CREATE TABLE sessions(session_id, session_key, created_at);
			CREATE TABLE session_messages(id, session_id, role, content AS (hex(zeroblob(100000000))), created_at)`), "no column content"},
		{"messages without numbers", formatstest.Database(t, strings.ReplaceAll(tables, "id INTEGER PRIMARY KEY", "id TEXT"), `INSERT INTO session_messages VALUES('x', 's1', 'user', 'y', 't', NULL)`), "converting driver.Value type"},
		{"messages twice", formatstest.Database(t, strings.ReplaceAll(tables, "id INTEGER PRIMARY KEY", "id INTEGER"), `INSERT INTO session_messages VALUES(1, 's1', 'user', 'y', 't', NULL), (1, 's1', 'user', 'z', 't', NULL)`), "row 1 comes after row 1"},
	}...)
}

// What is odd in a database is read as it is, and told.
func TestOdd(t *testing.T) {
	t.Parallel()
	path := formatstest.Database(t, tables, `INSERT INTO session_messages VALUES
		(1, 's1', 'user', CAST(X'ff61' AS TEXT), '2026-01-01T00:00:00+00:00', NULL),
		(2, 's1', 'assistant', 'a'||char(0)||'b', '2026-01-01T00:00:00+00:00', X'00ff'),
		(3, 's1', 'user', X'62', 'yesterday', NULL),
		(4, 's1', 'tool', '{"tool_call_id":"c"', '+292277026596-12-04T15:30:07Z', NULL),
		(5, 's1', 'user', 12.5, '2026-01-01T00:00:00+00:00', NULL)`,
		"INSERT INTO sessions VALUES('../../x', 'k', 'active', 'a'||char(10)||'b', NULL, NULL, NULL)",
		"INSERT INTO sessions VALUES(NULL, NULL, NULL, NULL, 5, 7, X'01')",
		`INSERT INTO session_state VALUES('s1', 'compaction_after_message_id', '[[[[', 't'), ('s1', 'deep', '`+strings.Repeat("[", 5000)+`', 't')`)
	results := imported(t, path)
	if len(results) != 3 {
		t.Fatalf("%d sessions", len(results))
	}
	var kinds []string
	for _, l := range results[0].Losses {
		kinds = append(kinds, l.Kind)
	}
	if got := strings.Join(kinds, " "); got != "text time time" {
		t.Errorf("losses %s: %v", got, results[0].Losses)
	}
	if !strings.Contains(results[0].Text(), `"created_at":"yesterday"`) {
		t.Errorf("the time that is none is not kept: %s", results[0].Text())
	}
	want := []said{{"user", "\ufffda"}, {"assistant", "a\x00b"}, {"user", "b"}, {"tool", `{"tool_call_id":"c"`}, {"user", "12.5"}}
	for i, m := range history(results[0].Session(t)) {
		if m != want[i] {
			t.Errorf("message %d: %q", i, m)
		}
	}
	if !session.ValidSessionID(results[1].Info.ID) || results[1].Info.Name != "a b" {
		t.Errorf("%+v", results[1].Info)
	}
}

// A workspace has several stores, and one that cannot be read hides no other.
func TestWorkspace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"memory/sessions.db":     corpus.Session(t, "zeroclaw/memory.db"),
		"sessions/sessions.db":   corpus.Session(t, "zeroclaw/memory-v12.db")[:5000],
		"sessions/sub/deeper.db": []byte("{}"),
		"sessions/notes.txt":     []byte("x"),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		formatstest.Put(t, path, string(data))
	}
	a := formatstest.Open(t, zeroclaw.ZeroClaw, &formats.Source{Path: dir})
	good, bad := 0, 0
	for info, err := range a.List(t.Context(), formats.Query{Details: true}) {
		if err != nil {
			bad++
			if !strings.Contains(err.Error(), filepath.Join(dir, "sessions", "sessions.db")) || info.Path == "" {
				t.Errorf("%v of %q", err, info.Path)
			}
			continue
		}
		good++
		if info.CWD != dir {
			t.Errorf("%s: cwd %s", info.ID, info.CWD)
		}
	}
	if good != 6 || bad != 1 {
		t.Errorf("%d sessions, %d errors", good, bad)
	}
}

func TestHome(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	with := filepath.Join(dir, "with")
	formatstest.Put(t, filepath.Join(with, "config.toml"), "")
	home := filepath.Join(dir, "home")
	marker := "# which\nconfig_dir = \"" + filepath.Join(dir, "active") + "\"\n"
	formatstest.Put(t, filepath.Join(home, ".zeroclaw", "active_workspace.toml"), marker)
	tests := []struct{ workspace, config, home, want string }{
		{"", "", filepath.Join(dir, "none"), filepath.Join(dir, "none", ".zeroclaw", "workspace")},
		{"", "", home, filepath.Join(dir, "active", "workspace")},
		{"", "/c", home, "/c/workspace"},
		{"/ws", "/c", home, "/ws"},
		{"~/ws", "", "/h", "/h/ws"},
		{with, "", home, filepath.Join(with, "workspace")},
		{"", "", "", ""},
	}
	for _, tt := range tests {
		env := formats.Env{Home: tt.home, Getenv: func(name string) string {
			return map[string]string{"ZEROCLAW_WORKSPACE": tt.workspace, "ZEROCLAW_CONFIG_DIR": tt.config}[name]
		}}
		got, err := zeroclaw.ZeroClaw.About().Home(env)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%+v: got %q, %v", tt, got, err)
		}
	}
}

func FuzzImport(f *testing.F) {
	for _, name := range []string{"memory.db", "memory-v12.db"} {
		f.Add(corpus.Session(f, "zeroclaw/"+name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = formatstest.Twice(t, zeroclaw.ZeroClaw, &formats.Source{Path: formatstest.File(t, "sessions.db", string(data))}) // or it is none
	})
}

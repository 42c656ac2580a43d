package zeroclaw_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/corpus"
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/formatstest"
	"github.com/sess-tools/sess/internal/formats/sqldb"
	"github.com/sess-tools/sess/internal/formats/zeroclaw"
	"github.com/sess-tools/sess/pkg/session"
)

// said is a message as ZeroClaw shows it to a model.
type said struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// golden is what ZeroClaw's rules for loading make of a session.
type golden struct {
	Session  string   `json:"session"`
	Key      string   `json:"key"`
	Active   bool     `json:"active"`
	Boundary *int64   `json:"boundary"`
	History  []said   `json:"history"`
	States   []string `json:"stateKeys"`
	Tokens   int64    `json:"tokens"`
}

// sample copies a sample to where it may be opened.
func sample(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(path, corpus.Session(t, "zeroclaw/"+name), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func goldens(t testing.TB, data []byte) map[string]golden {
	t.Helper()
	var list []golden
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	out := map[string]golden{}
	for _, g := range list {
		out[g.Session] = g
	}
	return out
}

// history is what a session shows a model, as ZeroClaw would have it: a
// summary is an assistant's message, and messages of one role that follow one another
// are one.
func history(s *session.Session) []said {
	leaf, ok := s.Leaf()
	if !ok {
		return nil
	}
	path, _ := s.Path(leaf)
	var out []said
	for _, m := range session.BuildContext(path).Messages {
		next := said{Role: m.Role(), Content: m.Text("")}
		switch m.Role() {
		case session.RoleToolResult:
			next.Role = "tool"
		case session.RoleCompactionSummary:
			next = said{"assistant", "[Session Compaction Summary]\n" + m.Str("summary")}
		}
		if n := len(out); n > 0 && out[n-1].Role == next.Role {
			out[n-1].Content += "\n\n" + strings.TrimSpace(next.Content)
			continue
		}
		out = append(out, next)
	}
	return out
}

func imported(t testing.TB, path string) []formatstest.Result {
	t.Helper()
	return formatstest.Import(t, zeroclaw.ZeroClaw, &formats.Source{Path: path, CWD: "/w"}, false)
}

// compare holds the sessions of a database to what ZeroClaw loads of them, and
// returns how many there were.
func compare(t *testing.T, path string, want map[string]golden) int {
	t.Helper()
	results := imported(t, path)
	for _, r := range results {
		g, ok := want[r.Info.ID]
		if !ok {
			t.Errorf("%s is not expected", r.Info.ID)
			continue
		}
		for i, m := range g.History {
			var tool struct{ Content string }
			if m.Role == "tool" && json.Unmarshal([]byte(m.Content), &tool) == nil {
				g.History[i].Content = tool.Content // without the id of the call
			}
		}
		if r.Info.ID == oldStyle {
			// The build that wrote this showed the summary of the state; the one
			// whose rules these are ignores it.
			g.History = append([]said{{"assistant", "[Session Compaction Summary]\nold style summary"}}, g.History...)
		}
		if diff := cmp.Diff(g.History, history(r.Session(t))); diff != "" && len(g.History) > 0 {
			t.Errorf("%s: (-zeroclaw +sess)\n%s", r.Info.ID, diff)
		}
		for _, l := range r.Losses {
			t.Errorf("%s: lost: %s", r.Info.ID, l)
		}
	}
	if len(results) != len(want) {
		t.Errorf("%s: %d sessions of %d", path, len(results), len(want))
	}
	return len(results)
}

const oldStyle = "44444444-4444-4444-8444-444444444444"

func TestHistory(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"memory", "memory-v12"} {
		compare(t, sample(t, name+".db"), goldens(t, corpus.Session(t, "zeroclaw/"+name+".expected.json")))
	}
}

// TestSharedFixtures reads all samples there are, where they lie.
func TestSharedFixtures(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("SESS_SHARED")
	if dir == "" {
		t.Skip("$SESS_SHARED does not name the directory of fixtures")
	}
	dir = filepath.Join(dir, "fixtures", "zeroclaw", "sample")
	compared := 0
	for _, name := range []string{"memory", "memory-v12"} {
		data, err := os.ReadFile(filepath.Join(dir, name+".expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		compared += compare(t, filepath.Join(dir, name, "sessions.db"), goldens(t, data))
	}
	more := imported(t, filepath.Join(dir, "sessions"))
	if len(more) != 3 {
		t.Errorf("%d sessions of ZeroClaw's own", len(more))
	}
	t.Logf("%d sessions equal, %d of ZeroClaw's own read", compared, len(more))
}

func TestUpstream(t *testing.T) {
	t.Parallel()
	got := imported(t, sample(t, "sessions.db"))
	want := []struct {
		name    string
		history []said
	}{
		{"greeting", []said{{"user", "hi"}, {"assistant", "hello"}}},
		{"discord_clamps_room_9_bob", []said{{"user", "ping"}, {"assistant", "[Session interrupted — not continuing this request]"}}},
	}
	if len(got) != len(want) {
		t.Fatalf("%d sessions", len(got))
	}
	for i, w := range want {
		if got[i].Info.Name != w.name {
			t.Errorf("name %q", got[i].Info.Name)
		}
		if diff := cmp.Diff(w.history, history(got[i].Session(t))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestOldBackend(t *testing.T) {
	t.Parallel()
	got := imported(t, sample(t, "legacy_chat_user.jsonl"))
	if len(got) != 1 || got[0].Info.Name != "legacy_chat_user" {
		t.Fatalf("%v", got)
	}
	if diff := cmp.Diff([]said{{"user", "legacy q"}, {"assistant", "legacy a"}}, history(got[0].Session(t))); diff != "" {
		t.Error(diff)
	}
	if len(got[0].Losses) != 1 || got[0].Losses[0].Kind != formats.KindDamage {
		t.Errorf("losses %v", got[0].Losses)
	}
}

// A key means its session in use.
func TestFindByKey(t *testing.T) {
	t.Parallel()
	tests := []struct{ file, id, want string }{
		{"memory.db", "direct:telegram:alice", "11111111-1111-4111-8111-111111111111"},
		{"memory.db", "group:discord:chan-88", "33333333-3333-4333-8333-333333333333"},
		{"memory.db", "old", "22222222-2222-4222-8222-222222222222"},
		{"memory.db", "2222", "22222222-2222-4222-8222-222222222222"},
		{"memory-v12.db", "channel:telegram:chat-123", "88888888-8888-4888-8888-888888888888"},
		{"memory.db", "direct:telegram:nobody", ""},
	}
	for _, tt := range tests {
		a, err := zeroclaw.ZeroClaw.Open(t.Context(), &formats.Source{Path: sample(t, tt.file)})
		if err != nil {
			t.Fatal(err)
		}
		info, err := formats.Find(t.Context(), a, tt.id)
		if info.ID != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s: got %q, %v", tt.id, info.ID, err)
		}
		a.Close()
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		route zeroclaw.Route
		want  string
	}{
		{zeroclaw.Route{Channel: "telegram", Sender: "alice", Conversation: "chat-1"}, "direct:telegram:alice"},
		{zeroclaw.Route{Channel: "discord", ChatType: "Group", Conversation: "c", Sender: "bob"}, "group:discord:c"},
		{zeroclaw.Route{Channel: "x", ChatType: "supergroup", Conversation: "c:d"}, "group:x:c:d"},
		{zeroclaw.Route{Channel: "x", ChatType: "channel", Conversation: "c", Thread: "17"}, "thread:x:c:17"},
		{zeroclaw.Route{Channel: "x", ChatType: "private", Conversation: "c", Sender: "s"}, "direct:x:s"},
	}
	for _, tt := range tests {
		if got := tt.route.Key(); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.route, got, tt.want)
		}
	}
}

// export writes a session into the database path.
func export(t testing.TB, s *session.Session, path string) []formats.Loss {
	t.Helper()
	var losses []formats.Loss
	target := formats.NewTarget(func(l formats.Loss) { losses = append(losses, l) })
	target.Path = path
	if err := zeroclaw.ZeroClaw.Export(t.Context(), s, target); err != nil {
		t.Fatal(err)
	}
	return losses
}

// dump returns the rows of the fork's tables.
func dump(t testing.TB, path string) map[string][]string {
	t.Helper()
	db, err := sqldb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	out := map[string][]string{}
	for _, table := range []string{"sessions", "session_index", "session_messages", "session_state"} {
		rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+table+" ORDER BY 1, 2")
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values, err := sqldb.Scan(rows)
			if err != nil {
				t.Fatal(err)
			}
			out[table] = append(out[table], fmt.Sprintf("%q", values))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	return out
}

// What was imported goes back as it was: every row of every table.
func TestExportGivesBack(t *testing.T) {
	t.Parallel()
	path := sample(t, "memory.db")
	made := filepath.Join(t.TempDir(), "made.db")
	for _, r := range imported(t, path) {
		for _, l := range export(t, r.Session(t), made) {
			t.Errorf("%s: lost: %s", r.Info.ID, l)
		}
	}
	if diff := cmp.Diff(dump(t, path), dump(t, made)); diff != "" {
		t.Errorf("(-original +exported)\n%s", diff)
	}
}

// An existing database gets the session added, once, and what is in it stays.
func TestExportInto(t *testing.T) {
	t.Parallel()
	path := sample(t, "memory.db")
	before := dump(t, path)
	s := read(t, `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"one"}}`)
	export(t, s, path)
	after := dump(t, path)
	for table, rows := range before {
		for _, row := range rows {
			if !strings.Contains(strings.Join(after[table], "\n"), row) {
				t.Errorf("%s: %s is gone", table, row)
			}
		}
	}
	if n := len(after["session_messages"]) - len(before["session_messages"]); n != 1 {
		t.Errorf("%d messages more", n)
	}
	target := formats.NewTarget(func(formats.Loss) {})
	target.Path = path
	if err := zeroclaw.ZeroClaw.Export(t.Context(), s, target); err == nil || !strings.Contains(err.Error(), "session s1: file already exists") {
		t.Errorf("a second time: %v", err)
	}
	target.Path = sample(t, "sessions.db")
	if err := zeroclaw.ZeroClaw.Export(t.Context(), s, target); err == nil || !strings.Contains(err.Error(), "not laid out") {
		t.Errorf("another layout: %v", err)
	}
	if diff := cmp.Diff(after, dump(t, path)); diff != "" {
		t.Error(diff)
	}
}

func read(t testing.TB, lines ...string) *session.Session {
	t.Helper()
	s, err := session.Read(strings.NewReader(`{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" + strings.Join(lines, "\n") + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a compaction keeps stands behind its summary, where ZeroClaw shows it.
func TestExportKeeps(t *testing.T) {
	t.Parallel()
	s := read(t,
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"one"}}`,
		`{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"two"}]}}`,
		`{"type":"compaction","id":"c","parentId":"b","timestamp":"2026-01-02T03:04:08.000Z","summary":"sum","firstKeptEntryId":"b","tokensBefore":1}`,
		`{"type":"message","id":"d","parentId":"c","timestamp":"2026-01-02T03:04:09.000Z","message":{"role":"user","content":"three"}}`,
		`{"type":"model_change","id":"e","parentId":"d","timestamp":"2026-01-02T03:04:09.000Z","provider":"p","modelId":"m"}`)
	path := filepath.Join(t.TempDir(), "s.db")
	losses := export(t, s, path)
	if len(losses) != 2 || losses[0].Kind != formats.KindEntry || losses[1].Kind != formats.KindThinking {
		t.Errorf("losses %v", losses)
	}
	if diff := cmp.Diff(history(s), history(imported(t, path)[0].Session(t))); diff != "" {
		t.Error(diff)
	}
}

// database makes a database by SQL.
func database(t testing.TB, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sessions.db")
	err := sqldb.Create(t.Context(), path, false, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, strings.Join(statements, ";"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

const tables = `CREATE TABLE sessions(session_id TEXT PRIMARY KEY, session_key TEXT, status TEXT, title TEXT, created_at TEXT, updated_at TEXT, meta_json TEXT);
	CREATE TABLE session_messages(id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, created_at TEXT, meta_json TEXT);
	CREATE TABLE session_state(session_id TEXT, key TEXT, value_json TEXT, updated_at TEXT);
	INSERT INTO sessions VALUES('s1', 'k', 'active', NULL, '2026-01-01T00:00:00+00:00', '2026-01-01T00:00:00+00:00', NULL)`

// Where the messages begin that are shown.
func TestBoundary(t *testing.T) {
	t.Parallel()
	rows := func(roles ...string) string {
		var b strings.Builder
		for i, r := range roles {
			role, content, _ := strings.Cut(r, ":")
			content = strings.ReplaceAll(content, "S", "[Session Compaction Summary]'||char(10)||'")
			fmt.Fprintf(&b, "INSERT INTO session_messages VALUES(%d, 's1', '%s', '%s', '2026-01-01T00:00:0%d+00:00', NULL);", i+1, role, content, i)
		}
		return b.String()
	}
	state := func(value string) string {
		return "INSERT INTO session_state VALUES('s1', 'compaction_after_message_id', '" + value + "', 't')"
	}
	const sum = "[Session Compaction Summary]\n"
	tests := []struct {
		name, rows, state string
		want              []said
	}{
		{"none", rows("user:a", "assistant:b"), "", []said{{"user", "a"}, {"assistant", "b"}}},
		{"with a summary", rows("user:a", "assistant:Sx", "user:b"), state("1"), []said{{"assistant", sum + "x"}, {"user", "b"}}},
		{"quoted", rows("user:a", "assistant:Sx", "user:b"), state(`"1"`), []said{{"assistant", sum + "x"}, {"user", "b"}}},
		{"without a summary", rows("user:a", "assistant:b", "user:c"), state("2"), []said{{"user", "c"}}},
		{"at the end", rows("user:a", "assistant:b"), state("9"), nil},
		{"no number", rows("user:a", "assistant:b"), state("x"), []said{{"user", "a"}, {"assistant", "b"}}},
		{"negative", rows("user:a"), state("-1"), []said{{"user", "a"}}},
		{"a fraction", rows("user:a"), state("1.5"), []said{{"user", "a"}}},
		{"a summary and no boundary", rows("user:a", "assistant:Sx", "user:b"), "", []said{{"user", "a"}, {"assistant", sum + "x"}, {"user", "b"}}},
		{"a later summary", rows("user:a", "user:b", "assistant:Sx"), state("1"), []said{{"user", "b"}, {"assistant", sum + "x"}}},
		{"two compactions", rows("user:a", "assistant:Sx", "user:b", "assistant:Sy", "user:c"), state("3"), []said{{"assistant", sum + "y"}, {"user", "c"}}},
		{"a summary and an assistant", rows("user:a", "assistant:Sx", "assistant: y "), state("1"), []said{{"assistant", sum + "x\n\ny"}}},
		{"a system message first", rows("user:a", "system:q", "assistant:Sx"), state("1"), []said{{"assistant", sum + "x"}}},
		{"of others", rows("system:q", "user:a"), state("1"), []said{{"user", "a"}}},
	}
	for _, tt := range tests {
		path := database(t, tables, tt.rows, tt.state)
		r := imported(t, path)[0]
		if diff := cmp.Diff(tt.want, history(r.Session(t))); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		made := filepath.Join(t.TempDir(), "made.db")
		export(t, r.Session(t), made)
		for _, table := range []string{"session_messages", "session_state"} {
			if diff := cmp.Diff(dumpOne(t, path, table), dumpOne(t, made, table)); diff != "" {
				t.Errorf("%s: given back otherwise: %s", tt.name, diff)
			}
		}
	}
}

func dumpOne(t testing.TB, path, table string) []string {
	t.Helper()
	db, err := sqldb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+table+" ORDER BY 1, 2")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		values, err := sqldb.Scan(rows)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%q", values))
	}
	return out
}

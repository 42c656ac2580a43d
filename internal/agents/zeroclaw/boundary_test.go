package zeroclaw_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/zeroclaw"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

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
		path := formatstest.Database(t, tables, tt.rows, tt.state)
		r := imported(t, path)[0]
		if diff := cmp.Diff(tt.want, history(r.Session(t))); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// A place that has a thread, a group and a talk of its own means the thread, then the
// group.
func TestKeyKinds(t *testing.T) {
	t.Parallel()
	insert := func(id, key string) string {
		return "INSERT INTO sessions VALUES('" + id + "', '" + key + "', 'active', NULL, '2026-01-0" + id[4:] + "T00:00:00+00:00', NULL, NULL)"
	}
	all := []string{tables, insert("sess1", "direct:x:p"), insert("sess2", "group:x:p"), insert("sess3", "thread:x:p"), insert("sess4", "direct:x:p")}
	for n, want := range map[int]string{5: "sess3", 3: "sess2", 2: "sess1"} {
		a := formatstest.Open(t, zeroclaw.ZeroClaw, &formats.Source{Path: formatstest.Database(t, all[:n]...)})
		if info, err := formats.Find(t.Context(), a, "x:p"); info.ID != want || err != nil {
			t.Errorf("of %d: %s, %v", n, info.ID, err)
		}
		if info, err := formats.Find(t.Context(), a, "direct:x:p"); err != nil || n == 5 && info.ID != "sess4" {
			t.Errorf("of %d: %s, %v", n, info.ID, err)
		}
	}
}

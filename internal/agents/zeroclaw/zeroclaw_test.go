package zeroclaw_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/zeroclaw"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

// said is a message as ZeroClaw shows it to a model.
type said struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// golden is what ZeroClaw's rules for loading make of a session.
type golden struct {
	Session string `json:"session"`
	Key     string `json:"key"`
	Active  bool   `json:"active"`
	History []said `json:"history"`
}

// sample copies a sample to where it may be opened.
func sample(t testing.TB, name string) string {
	t.Helper()
	return formatstest.File(t, filepath.Base(name), string(corpus.Session(t, "zeroclaw/"+name)))
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
	var out []said
	for _, m := range formatstest.Shown(s) {
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
	return formatstest.Import(t, zeroclaw.ZeroClaw, &formats.Source{Path: path}, false)
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

// A key means the session that is in use, of all that have it.
func TestActive(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"memory", "memory-v12"} {
		a := formatstest.Open(t, zeroclaw.ZeroClaw, &formats.Source{Path: sample(t, name+".db")})
		for id, g := range goldens(t, corpus.Session(t, "zeroclaw/"+name+".expected.json")) {
			info, err := formats.Find(t.Context(), a, g.Key)
			if err != nil || (info.ID == id) != g.Active {
				t.Errorf("%s means %s, %v; %s is in use: %t", g.Key, info.ID, err, id, g.Active)
			}
		}
	}
}

// A quarter of the characters of what was summarized, and 4 for each message.
func TestTokensBefore(t *testing.T) {
	t.Parallel()
	for _, e := range imported(t, sample(t, "memory.db"))[0].Session(t).Entries {
		if e.Type() == session.TypeCompaction && e.Get("tokensBefore") != "39" {
			t.Errorf("%s", e.Raw())
		}
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
		{"memory.db", "telegram:alice", "11111111-1111-4111-8111-111111111111"},
		{"memory.db", "telegram:chat-42:17", "44444444-4444-4444-8444-444444444444"},
		{"memory-v12.db", "telegram:chat-123", "88888888-8888-4888-8888-888888888888"},
	}
	for _, tt := range tests {
		a := formatstest.Open(t, zeroclaw.ZeroClaw, &formats.Source{Path: sample(t, tt.file)})
		info, err := formats.Find(t.Context(), a, tt.id)
		if info.ID != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s: got %q, %v", tt.id, info.ID, err)
		}
	}
}

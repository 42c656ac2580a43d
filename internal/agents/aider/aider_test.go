package aider_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/aider"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
)

// A said message is one as aider's reader gives it, but for the framing.
type said struct{ Role, Content string }

func sample(name string) string { return filepath.Join(corpus.Dir(), "aider", name) }

// model returns what a model sees of sessions, one behind the other.
func model(t *testing.T, results []formatstest.Result) []said {
	t.Helper()
	var out []said
	for _, r := range results {
		s := r.Session(t)
		for _, m := range convo.ToLLM(formatstest.Shown(s)) {
			out = append(out, said{m.Role(), m.Text("")})
		}
	}
	return out
}

// plain is the normalisation under which aider's reader and we agree: no framing,
// no blank lines, and no lines of replies that begin with "# ".
func plain(messages []said, framed bool) []said {
	var out []said
	for _, m := range messages {
		var kept []string
		for l := range strings.SplitSeq(m.Content, "\n") {
			if m.Role == "user" && framed {
				l = strings.TrimSuffix(l, "  ")
			}
			if strings.TrimSpace(l) != "" && (m.Role == "user" || !strings.HasPrefix(l, "# ")) {
				kept = append(kept, l)
			}
		}
		text := strings.TrimSpace(strings.Join(kept, "\n"))
		if text != "" {
			out = append(out, said{m.Role, text})
		}
	}
	return out
}

func golden(t *testing.T, path string) []said {
	t.Helper()
	var out []said
	if err := json.Unmarshal([]byte(must.Read(t, path)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// What aider's reader gave for a history is what a model sees of its sessions.
func TestModelView(t *testing.T) {
	t.Parallel()
	got := formatstest.Import(t, aider.Aider, &formats.Source{Path: sample("sample1.md")}, false)
	if len(got) != 2 {
		t.Fatalf("%d sessions", len(got))
	}
	if diff := cmp.Diff(plain(golden(t, sample("sample1.json")), true), plain(model(t, got), false)); diff != "" {
		t.Error(diff)
	}
	for _, r := range got {
		if len(r.Losses) > 0 {
			t.Errorf("%v", r.Losses)
		}
	}
}

// The reader gives what aider's own gave.
func TestReader(t *testing.T) {
	t.Parallel()
	for name, tools := range map[string]bool{"sample1.json": false, "sample1.tool.json": true} {
		var got []said
		for _, m := range aider.Readers(must.Read(t, sample("sample1.md")), tools) {
			got = append(got, said{m[0], m[1]})
		}
		if diff := cmp.Diff(golden(t, sample(name)), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The history of aider's own tests: aider's reader made 2990 messages of it, 5806
// with the notes.
func TestLargeHistory(t *testing.T) {
	t.Parallel()
	path := formatstest.File(t, "chat-history.md", string(corpus.Session(t, "aider/chat-history.md")))
	history := must.Read(t, path)
	if n, all := len(aider.Readers(history, false)), len(aider.Readers(history, true)); n != 2990 || all != 5806 {
		t.Errorf("%d messages, %d with notes", n, all)
	}
	var want []said
	for _, m := range aider.Readers(history, false) {
		want = append(want, said{m[0], m[1]})
	}
	results := formatstest.Import(t, aider.Aider, &formats.Source{Path: path}, false)
	got := model(t, results)
	if diff := cmp.Diff(plain(want, true), plain(got, false)); diff != "" {
		t.Error(diff)
	}
	t.Logf("%d sessions, %d messages here, %d of aider's; %d are compared", len(results), len(got), len(want), len(plain(want, true)))
}

// A line of a reply that begins with "# " stays, and a note behind the last message does.
func TestStays(t *testing.T) {
	t.Parallel()
	path := formatstest.File(t, "h.md", "\n# aider chat started at 2025-06-14 09:32:41\n\n\n#### hi  \n\n# Title\ntext\n\n> a note  \n")
	s := formatstest.Import(t, aider.Aider, &formats.Source{Path: path}, false)[0].Session(t)
	var got []string
	for _, e := range s.Entries {
		if m, ok := e.Message(); ok {
			got = append(got, m.Text(""))
		} else {
			got = append(got, js.Value(e.Get("data")).Get("text").Str())
		}
	}
	if diff := cmp.Diff([]string{"hi", "# Title\ntext", "a note"}, got); diff != "" {
		t.Error(diff)
	}
}

// What aider wrote needs no layout kept: that there is one is for hand-made files.
func TestLayout(t *testing.T) {
	t.Parallel()
	for _, r := range formatstest.Import(t, aider.Aider, &formats.Source{Path: sample("sample1.md")}, false) {
		for _, e := range r.Session(t).Entries {
			raw := js.Value(e.Get("data")).Get("raw").Str()
			if e.Str("customType") == "aider:start" || raw != "" && !strings.Contains(raw, "quoted by the model") &&
				!strings.Contains(raw, "a heading that parses") && !strings.Contains(raw, "end\n") && !strings.Contains(raw, "after ff") {
				t.Errorf("%s", e.Raw())
			}
		}
	}
}

package opencode

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// exports returns the samples and what opencode made of them.
func exports(t testing.TB) map[string][]byte {
	t.Helper()
	return corpus.Golden(t, "opencode/exports-1.18")
}

func names(files map[string][]byte, suffix string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			out = append(out, base)
		}
	}
	return out
}

// write puts a file where a source can be.
func write(t testing.TB, name string, data []byte) *formats.Source {
	t.Helper()
	return source(formatstest.File(t, name, string(data)))
}

func source(path string) *formats.Source {
	return &formats.Source{Path: path, Env: formats.Env{Getenv: func(string) string { return "" }}}
}

// importOne imports an export.
func importOne(t testing.TB, data []byte) formatstest.Result {
	t.Helper()
	return formatstest.One(t, Format, write(t, "e.json", data))
}

// said is what is sent for a session, a line for each message, in the words of the
// goldens: without thinking, which a view of ours never has, and with the text of
// a user's several blocks in one. A compaction is what opencode makes of one.
func said(t testing.TB, s *session.Session) []string {
	t.Helper()
	path := formatstest.Path(s)
	var out []string
	for _, p := range convo.Project(path) {
		if p.Entry.Type() == session.TypeCompaction && len(p.Messages) > 0 {
			out = append(out, line("user", textCompaction), line("assistant", p.Entry.Str("summary")))
		}
	}
	messages := convo.MessagesOf(convo.Project(path))
	messages = slices.DeleteFunc(messages, func(m session.Message) bool { return m.Role() == session.RoleCompactionSummary })
	sent, _ := render.OpenAI(messages, render.Options{})
	var list []chatMessage
	if err := json.Unmarshal([]byte(sent.String()), &list); err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		out = append(out, m.line())
	}
	return out
}

// A chatMessage is a message that is sent.
type chatMessage struct {
	Role    string
	Content any
	Call    string `json:"tool_call_id"`
	Calls   []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

func line(v ...any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

func (m chatMessage) line() string {
	text := ""
	switch c := m.Content.(type) {
	case string:
		text = c
	case []any:
		var parts []string
		for _, p := range c {
			part, _ := p.(map[string]any)
			if part["type"] == "text" {
				said := fmt.Sprint(part["text"])
				if strings.HasPrefix(said, "Images of the result of call ") {
					said = "Attached media from tool result:" // another sentence for the same
				}
				parts = append(parts, said)
			} else {
				parts = append(parts, "["+fmt.Sprint(part["type"])+"]")
			}
		}
		text = strings.Join(parts, " ⏎ ")
	}
	switch {
	case m.Role == "tool":
		return line("tool", m.Call, text)
	case len(m.Calls) > 0:
		var calls [][]string
		for _, c := range m.Calls {
			calls = append(calls, []string{c.ID, c.Function.Name, c.Function.Arguments})
		}
		return line(m.Role, text, calls)
	}
	return line(m.Role, text)
}

// brief returns a golden without reasoning and without the question that was added.
func brief(t testing.TB, golden []byte) []string {
	t.Helper()
	var out []string
	for raw := range strings.Lines(string(golden)) {
		if raw = strings.TrimSpace(raw); raw == "" {
			continue
		}
		var list []any
		if err := json.Unmarshal([]byte(raw), &list); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		list = slices.DeleteFunc(list, func(v any) bool {
			object, ok := v.(map[string]any)
			return ok && object["reasoning"] != nil
		})
		if l := line(list...); l != `["user","RESUME-PROBE"]` {
			out = append(out, l)
		}
	}
	return out
}

// shownOtherwise are the samples of which a model is shown something else than by opencode, and
// what.
var shownOtherwise = map[string][]string{
	// The thinking of a model that is not the one in use is plain text to opencode.
	"o25-reasoning-other-model": {`["user","q1"]`, `["assistant","a"]`},
	// opencode 1.18 was not started, since it does not know the model.
	"o26-user-model-unknown": {`["user","q1"]`, `["assistant","a"]`},
}

// compareExports compares what our view of each sample is with what opencode sent, and
// returns how many were compared.
func compareExports(t *testing.T, files map[string][]byte) int {
	n := 0
	for _, name := range names(files, ".json") {
		if files[name+".refused"] != nil {
			continue
		}
		want := brief(t, files[name+".brief"])
		if other, ok := shownOtherwise[name]; ok {
			want = other
		}
		if diff := cmp.Diff(want, said(t, importOne(t, files[name+".json"]).Session(t))); diff != "" {
			t.Errorf("%s (-opencode +sess):\n%s", name, diff)
		}
		n++
	}
	return n
}

func TestModelView(t *testing.T) {
	t.Parallel()
	if n := compareExports(t, exports(t)); n < 47 {
		t.Errorf("only %d samples", n)
	}
}

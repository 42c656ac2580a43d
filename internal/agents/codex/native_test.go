package codex_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

var flavours = []string{"legacy", "paginated"}

// talk returns what sess-path --as openai prints as a list of what was said: which message
// of an assistant a text or a call is in does not count, and ids of calls are numbers.
func talk(t testing.TB, s *session.Session) [][]string {
	t.Helper()
	var messages []struct {
		Role       string
		Content    json.RawMessage
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal([]byte(openAI(s)), &messages); err != nil {
		t.Fatal(err)
	}
	var out [][]string
	ids := map[string]string{}
	for _, m := range messages {
		content := string(m.Content)
		if strings.HasPrefix(content, `"`) {
			content = js.Unquote(content)
		}
		switch m.Role {
		case "tool":
			out = append(out, []string{"result", ids[m.ToolCallID], content})
			continue
		case "user":
			for id, n := range ids {
				content = strings.ReplaceAll(content, "of call "+id+":", "of call "+n+":")
			}
			out = append(out, []string{"user", content})
			continue
		}
		if content != "null" {
			if n := len(out); n > 0 && out[n-1][0] == "assistant" {
				out[n-1][1] += content
			} else {
				out = append(out, []string{"assistant", content})
			}
		}
		for _, c := range m.ToolCalls {
			ids[c.ID] = fmt.Sprint(len(ids) + 1)
			out = append(out, []string{"call", ids[c.ID], c.Function.Name, c.Function.Arguments})
		}
	}
	return out
}

// exported returns a rollout of s.
func exported(t testing.TB, s *session.Session, flavour string) string {
	t.Helper()
	out, _ := formatstest.Export(t, codex.Format, s, flavour)
	return out
}

// imported reads a rollout from standard input.
func imported(t testing.TB, text string) *session.Session {
	t.Helper()
	rs := formatstest.Import(t, codex.Format, &formats.Source{Stdin: strings.NewReader(text)}, false)
	return rs[0].Session(t)
}

// differs says what of a session is another after it went to codex and back.
func differs(t testing.TB, s *session.Session, flavour string) string {
	t.Helper()
	out := exported(t, s, flavour)
	back := imported(t, out)
	if diff := cmp.Diff(talk(t, s), talk(t, back)); diff != "" {
		return fmt.Sprintf("%s: what is said (-before +after):\n%s", flavour, diff)
	}
	if back.Header.CWD != s.Header.CWD || js.Quote(back.Header.Timestamp) != js.Quote(s.Header.Timestamp) || back.Name != session.OneLine(s.Name) {
		return fmt.Sprintf("%s: %s, named %q, for %s, named %q", flavour, back.Header.Raw(), back.Name, s.Header.Raw(), s.Name)
	}
	if again := exported(t, back, flavour); again != out {
		return fmt.Sprintf("%s: written again it is another:\n%s", flavour, cmp.Diff(out, again))
	}
	return ""
}

func TestThereAndBack(t *testing.T) {
	t.Parallel()
	paths := append(corpus.Sessions(t, "pi/genuine"), corpus.Sessions(t, "pi/sessions")...)
	paths = append(paths, corpus.Sessions(t, "omp/genuine")...)
	for _, path := range paths {
		s, err := session.Read(strings.NewReader(string(corpus.Session(t, path))))
		if err != nil || len(s.Entries) == 0 || strings.Contains(path, "messy") {
			continue // no session, or one of damage
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			for _, flavour := range flavours {
				if diff := differs(t, s, flavour); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestGenerated(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSession(t, rt)
		for _, flavour := range flavours {
			if diff := differs(t, s, flavour); diff != "" {
				rt.Fatalf("%s\n%s", diff, raws(s))
			}
		}
	})
}

// drawSession makes a session of all that a context is made of.
func drawSession(t *testing.T, rt *rapid.T) *session.Session {
	var lines []string
	b := formats.NewBuilder("codex", func(l string) error { lines = append(lines, l); return nil }, func(formats.Loss) {})
	ok := func(id string, err error) string {
		if err != nil {
			rt.Fatal(err)
		}
		return id
	}
	_ = ok("", b.Header(session.HeaderFields{ID: "019b7ca9-8f2e-7063-834b-74487a82aa03", Time: 1767323045679, CWD: "/w"}))
	text := rapid.SampledFrom([]string{"one", "two\nlines", "é 😀 \u2028", `"quoted" \`, "", "<b>&", "0"})
	image := api.Image("image/png", "iVBORw0K")
	var messages, open []string
	for i := range rapid.IntRange(0, 12).Draw(rt, "entries") {
		p := formats.Place{Time: 1767323046000 + int64(i)}
		if len(messages) > 0 && rapid.IntRange(0, 9).Draw(rt, "branch") == 0 {
			p.Parent = rapid.SampledFrom(messages).Draw(rt, "parent")
		}
		switch rapid.IntRange(0, 9).Draw(rt, "kind") {
		case 0, 1:
			blocks := []string{api.Text(text.Draw(rt, "text"))}
			if rapid.Bool().Draw(rt, "image") {
				blocks = append(blocks, image)
			}
			messages = append(messages, ok(b.Message(p, api.User(blocks))))
		case 2, 3, 4:
			id := fmt.Sprintf("call_%d", i)
			blocks := rapid.SliceOfN(rapid.SampledFrom([]string{
				api.Text("said"), api.Text(""), api.Thinking("thought", ""), api.ToolCall(id, "bash", `{"command":"ls"}`),
				api.Thinking("t", `{"type":"reasoning","summary":[{"type":"summary_text","text":"t"}]}`),
			}), 0, 4).Draw(rt, "blocks")
			stop := rapid.SampledFrom([]string{"stop", "stop", "stop", "aborted", "error"}).Draw(rt, "stop")
			if n := strings.Count(strings.Join(blocks, ""), id); n > 1 {
				blocks = blocks[:0] // one id for two calls is another matter
			} else if n == 1 {
				open = append(open, id)
			}
			messages = append(messages, ok(b.Message(p, api.Assistant(blocks,
				js.StringField("api", "openai-responses"), js.StringField("stopReason", stop)))))
		case 5, 6:
			if len(open) > 0 {
				id := open[0]
				open = open[1:]
				blocks := []string{api.Text(text.Draw(rt, "result"))}
				if rapid.IntRange(0, 4).Draw(rt, "image") == 0 {
					blocks = append(blocks, image)
				}
				ok(b.Message(p, api.ToolResult(id, "bash", blocks, rapid.Bool().Draw(rt, "failed"))))
			}
		case 7:
			kept := ""
			if len(messages) > 0 && rapid.Bool().Draw(rt, "keeps") {
				kept = rapid.SampledFrom(messages).Draw(rt, "kept")
			}
			ok(b.Compaction(p, text.Draw(rt, "summary"), kept, 7))
		case 8:
			if len(messages) > 0 {
				replacement := rapid.SampledFrom([]string{"null", `{"content":[{"type":"text","text":"pruned"}]}`}).Draw(rt, "edit")
				ok(b.Add(p, session.TypeContextEdit, js.StringField("targetId", rapid.SampledFrom(messages).Draw(rt, "target")),
					js.RawField("replacement", replacement)))
			}
		case 9:
			ok(b.Add(p, session.TypeCustomMessage, js.StringField("customType", "x"),
				js.StringField("content", text.Draw(rt, "custom")), js.RawField("display", "true")))
		}
	}
	if name := text.Draw(rt, "name"); name != "" {
		ok(b.Add(formats.Place{}, session.TypeSessionInfo, js.StringField("name", name)))
	}
	s := formatstest.Parse(t, strings.Join(lines, "\n")+"\n")
	return s
}

func raws(s *session.Session) string {
	out := ""
	for _, e := range s.Entries {
		out += e.Raw() + "\n"
	}
	return out
}

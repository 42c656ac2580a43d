package claude_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// row is a line of the tree: its uuid, the parent's, further members, a role and a
// content.
func row(uuid, parent, more, role, content string) string {
	up := "null"
	if parent != "" {
		up = `"` + parent + `"`
	}
	id := ""
	if role == "assistant" {
		id = `"id":"msg_` + uuid[:1] + `",`
	}
	return fmt.Sprintf(`{"parentUuid":%s,%s"type":%q,"message":{%s"role":%q,"content":%s},"uuid":%q,"timestamp":"2026-11-21T10:00:01.000Z","cwd":"/w","sessionId":"s"}`+"\n",
		up, more, role, id, role, content, uuid)
}

// words are the texts that a model is shown, results among them.
func wordsOf(t *testing.T, s *session.Session) []string {
	t.Helper()
	var out []string
	for _, m := range formatstest.Shown(s) {
		out = append(out, m.Text(""))
	}
	return out
}

// A sidechain that was written last is not where the conversation goes on.
func TestSidechain(t *testing.T) {
	t.Parallel()
	const side = `"isSidechain":true,`
	text := row("a", "", "", "user", `"one"`) + row("s1", "", side, "user", `"aside"`) + row("b", "a", "", "assistant", `[{"type":"text","text":"two"}]`) +
		row("s2", "s1", side, "assistant", `[{"type":"text","text":"beside"}]`)
	s, lost := imported(t, text)
	if diff := cmp.Diff([]string{"one", "two"}, wordsOf(t, s)); diff != "" || len(lost) > 0 {
		t.Errorf("%v %s", lost, diff)
	}
	if out := exported(t, s); out != text {
		t.Errorf("became %s", out)
	}
	if i, ok := s.Index("s1"); !ok || s.Entries[i].ParentID() != "" {
		t.Error("the sidechain is no branch of its own")
	}
}

// Results that come a second time are a branch: the reply was gone on from once
// more.
func TestResultsTwice(t *testing.T) {
	t.Parallel()
	call := `[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]`
	result := func(text string) string {
		return `[{"tool_use_id":"t1","type":"tool_result","content":"` + text + `"}]`
	}
	text := row("a", "", "", "user", `"one"`) + row("b1", "a", "", "assistant", call) + row("c", "b1", "", "user", result("first")) +
		row("d", "b1", "", "user", result("second")) + row("e", "d", "", "assistant", `[{"type":"text","text":"end"}]`)
	s, lost := imported(t, text)
	if diff := cmp.Diff([]string{"one", "", "second", "end"}, wordsOf(t, s)); diff != "" || len(lost) > 0 {
		t.Errorf("%v %s", lost, diff)
	}
	if out := exported(t, s); out != text {
		t.Errorf("became %s", out)
	}
}

// What a tool printed is a text as JavaScript spells it, however the line does.
func TestResultIsSpelled(t *testing.T) {
	t.Parallel()
	s, _ := imported(t, row("a", "", "", "user", `"go"`)+row("b", "a", "", "assistant", `[{"type":"tool_use","id":"t","name":"Bash","input":{}}]`)+
		row("c", "b", "", "user", `[{"type":"tool_result","tool_use_id":"t","content":"\u0041\/\u00e9\n\u001b"}]`))
	if last := s.Entries[len(s.Entries)-1].Raw(); !strings.Contains(last, `"content":[{"type":"text","text":"A/é\n\u001b"}]`) {
		t.Error(last)
	}
}

// A line that is another one when it is read again, as it is not held in memory, is an error.
func TestChangedWhileRead(t *testing.T) {
	t.Parallel()
	text := row("a", "", "", "user", `"one"`) + row("b", "a", "", "user", `"`+strings.Repeat("x", 5<<20)+`"`) + row("c", "b", "", "user", `"two"`)
	path := formatstest.File(t, "f.jsonl", text)
	a := formatstest.Open(t, claude.Claude, &formats.Source{Path: path})
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		b := formats.NewBuilder("claude", func(line string) error {
			if strings.Contains(line, `"one"`) {
				return os.WriteFile(path, []byte(strings.Replace(text, `"two"`, `"six"`, 1)), 0o600)
			}
			return nil
		}, func(formats.Loss) {})
		if err := b.Read(t.Context(), a, info); err == nil || !strings.Contains(err.Error(), "f.jsonl:3: the file has changed while it was read") {
			t.Errorf("%v", err)
		}
	}
}

// A line that is kept whole is not written once its message says something else.
func TestChangedWhole(t *testing.T) {
	t.Parallel()
	text := strings.Replace(row("a", "", "", "user", `"one"`), `"content":`, `"content": `, 1)
	s, _ := imported(t, text)
	if out := exported(t, s); out != text {
		t.Errorf("became %s", out)
	}
	var lines strings.Builder
	lines.WriteString(s.Header.Raw() + "\n")
	for _, e := range s.Entries {
		lines.WriteString(strings.Replace(e.Raw(), `"text":"one"`, `"text":"REDACTED"`, 1) + "\n")
	}
	s = formatstest.Parse(t, lines.String())
	if out := exported(t, s); strings.Contains(out, "one") || strings.Count(out, "REDACTED") != 1 {
		t.Errorf("became %s", out)
	}
}

func TestLaws(t *testing.T) {
	t.Parallel()
	sources := map[string]string{"redacted": redacted}
	for _, path := range samples(t) {
		sources[strings.TrimSuffix(filepath.Base(path), ".jsonl")] = must.Read(t, path)
	}
	formatstest.Laws(t, claude.Claude, formatstest.Corpus{
		Sources: sources, File: "s.jsonl", Lines: true, Usage: usage,
		Blocks: []string{"user", "assistant", "system", "summary", "custom-title", "message", "text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image", "base64"},
		IDs:    []*regexp.Regexp{regexp.MustCompile(`"uuid":"([^"]+)"`), regexp.MustCompile(`"tool_use_id":"([^"]+)"`)},
	})
}

// usage sums up the replies of a file: lines of one reply say the same.
func usage(source string) (input, output int64) {
	last := map[string]js.Value{}
	for line := range strings.Lines(source) {
		m := js.Value(strings.TrimSpace(line)).Get("message")
		if u := m.Get("usage"); u.IsObject() {
			last[m.Get("id").Str()] = u
		}
	}
	for _, u := range last {
		input, output = input+u.Get("input_tokens").Int(), output+u.Get("output_tokens").Int()
	}
	return input, output
}

// redacted is a session from which a redactor has taken all ids.
const redacted = `{"type":"user","uuid":"REDACTED","parentUuid":null,"isSidechain":false,"timestamp":"2026-01-02T03:04:05.000Z","sessionId":"s1","cwd":"/w","message":{"role":"user","content":"TEXT 1"}}
{"type":"assistant","uuid":"REDACTED","parentUuid":"REDACTED","isSidechain":false,"timestamp":"2026-01-02T03:04:06.000Z","sessionId":"s1","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"TEXT 2"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":1}}}
{"type":"user","uuid":"REDACTED","parentUuid":"REDACTED","isSidechain":false,"timestamp":"2026-01-02T03:04:07.000Z","sessionId":"s1","cwd":"/w","message":{"role":"user","content":"TEXT 3"}}
{"type":"assistant","uuid":"REDACTED","parentUuid":"REDACTED","isSidechain":false,"timestamp":"2026-01-02T03:04:08.000Z","sessionId":"s1","message":{"id":"msg_2","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"TEXT 4"}],"stop_reason":"end_turn","usage":{"input_tokens":20,"output_tokens":1}}}
`

// Ids that are alike tear nothing off: every entry is on the path to the leaf.
func TestRedactedPath(t *testing.T) {
	t.Parallel()
	s, _ := imported(t, redacted)
	leaf, _ := s.Leaf()
	if path, _ := s.Path(leaf); len(path) != len(s.Entries) {
		t.Errorf("%d of %d entries are on the path", len(path), len(s.Entries))
	}
}

package claude_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/convo"
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
	leaf, _ := s.Leaf()
	path, _ := s.Path(leaf)
	var out []string
	for _, m := range convo.MessagesOf(convo.Project(path)) {
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
	s, err := session.Read(strings.NewReader(lines.String()))
	if err != nil {
		t.Fatal(err)
	}
	if out := exported(t, s); strings.Contains(out, "one") || strings.Count(out, "REDACTED") != 1 {
		t.Errorf("became %s", out)
	}
}

package codex_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// probe is what codex was asked after it had resumed a rollout.
const probe = "RESUME-PROBE"

// readBrief reads a golden answer: a JSON array for each item that codex sent, without its
// own context and the prompt.
func readBrief(t *testing.T, data []byte) [][]string {
	t.Helper()
	var out [][]string
	for line := range bytes.Lines(data) {
		var raw []any
		if err := json.Unmarshal(line, &raw); err != nil {
			t.Fatal(err)
		}
		var item []string
		for _, v := range raw {
			text, ok := v.(string)
			if !ok {
				text = fmt.Sprint(v)
			}
			item = append(item, text)
		}
		if item[0] == "local_shell_call" {
			var call struct {
				CallID string          `json:"call_id"`
				Action json.RawMessage `json:"action"`
			}
			if err := json.Unmarshal([]byte(item[1]), &call); err != nil {
				t.Fatal(err)
			}
			item = []string{"call", call.CallID, "local_shell", withoutNulls(string(call.Action))}
		}
		out = append(out, normal(item))
	}
	if n := len(out); n == 0 || out[n-1][1] != probe {
		t.Fatalf("no prompt at the end of %v", out)
	}
	return out[:len(out)-1]
}

// normal gives an item of either side the same form: the two kinds of calls and of outputs
// are one, and arguments are JSON.
func normal(item []string) []string {
	switch item[0] {
	case "function_call":
		return []string{"call", item[1], item[2], js.Stringify(item[3])}
	case "custom_tool_call":
		return []string{"call", item[1], item[2], js.Stringify(`{"input":` + js.Quote(item[3]) + "}")}
	case "function_call_output", "custom_tool_call_output":
		return []string{"output", item[1], item[2]}
	case "reasoning":
		return item[:2]
	}
	return item
}

func withoutNulls(raw string) string {
	var out []string
	for k, v := range js.Members(raw) {
		if v != "null" {
			out = append(out, k+":"+v)
		}
	}
	return js.Stringify("{" + strings.Join(out, ",") + "}")
}

// briefOf returns the context of a session as a golden answer has it.
func briefOf(s *session.Session) [][]string {
	var out [][]string
	for _, m := range messages(s) {
		if own(m) {
			continue
		}
		switch m.Role() {
		case session.RoleUser:
			out = append(out, []string{"user", joined(m)})
		case session.RoleToolResult:
			out = append(out, []string{"output", m.Str("toolCallId"), joined(m)})
		case session.RoleAssistant:
			for b := range m.Blocks() {
				switch b.Type {
				case "text":
					out = append(out, []string{"assistant", b.Str("text")})
				case "thinking":
					out = append(out, []string{"reasoning", summaryOf(b.Str("thinkingSignature"))})
				case "toolCall":
					out = append(out, []string{"call", b.Str("id"), b.Str("name"), js.Stringify(b.Get("arguments"))})
				}
			}
		}
	}
	return out
}

// own reports whether codex has put a message in itself: the golden answers have
// none.
func own(m session.Message) bool {
	text := m.Text("\n")
	return m.Role() == session.RoleDeveloper || strings.HasPrefix(text, "# AGENTS.md instructions") || strings.HasPrefix(text, "<environment_context>")
}

// summaryOf returns the summary of an item of reasoning: what it says in full is
// not sent.
func summaryOf(item string) string {
	var reasoning struct{ Summary []struct{ Text string } }
	_ = json.Unmarshal([]byte(item), &reasoning)
	var texts []string
	for _, s := range reasoning.Summary {
		texts = append(texts, s.Text)
	}
	return strings.Join(texts, "\n")
}

func joined(m session.Message) string {
	var texts []string
	for b := range m.Blocks() {
		if b.Type == "image" {
			texts = append(texts, "input_image")
			continue
		}
		texts = append(texts, b.Str("text"))
	}
	return strings.Join(texts, "\n")
}

// messages returns what a model is shown at the leaf.
func messages(s *session.Session) []session.Message {
	return convo.ToLLM(formatstest.Shown(s))
}

// openAI returns the context as sess-path --as openai prints it.
func openAI(s *session.Session) string {
	raw, _ := render.OpenAI(messages(s), render.Options{})
	return raw.String()
}

func one(t testing.TB, path string) formatstest.Result {
	t.Helper()
	return formatstest.One(t, codex.Format, &formats.Source{Path: path})
}

var cutOut = regexp.MustCompile(`(?s)^(.*)…(\d+) (chars|tokens) truncated…(.*)$`)

// shortened cuts out of results what codex has cut out of them when it read the rollout.
func shortened(got, want [][]string) {
	for i, w := range want {
		m := cutOut.FindStringSubmatch(w[len(w)-1])
		if m == nil || w[0] != "output" || i >= len(got) || len(got[i]) != 3 {
			continue
		}
		text := got[i][2]
		if len(text) > len(m[1])+len(m[4]) && strings.HasPrefix(text, m[1]) && strings.HasSuffix(text, m[4]) {
			got[i][2] = w[2]
		}
	}
}

// usersOf returns what the user has said, without summaries.
func usersOf(items [][]string) [][]string {
	var out [][]string
	for _, item := range items {
		if item[0] == "user" && !strings.HasPrefix(item[1], "Another language model started") {
			out = append(out, item)
		}
	}
	return out
}

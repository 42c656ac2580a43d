package all_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A talk is lines of an agent that say numbered words, each line one.
type talk struct {
	agent, file, header string
	line                func(n int, user bool) string
	split               func(line, head, tail string) string // the lines of a reply whose words an API cut in two; nil if it cannot
}

var talks = []talk{
	{"claude", grownID + ".jsonl", "", func(n int, user bool) string {
		up := ""
		if n > 0 {
			up = fmt.Sprintf("u%d", n-1)
		}
		if user {
			return claudeLine(fmt.Sprintf("u%d", n), up, claudeUser(word(n)))
		}
		return claudeLine(fmt.Sprintf("u%d", n), up, claudeReply(fmt.Sprintf("m%d", n), "end_turn", textBlock(word(n))))
	}, func(line, head, tail string) string {
		return strings.Replace(line, textBlock(head+tail), textBlock(head)+","+textBlock(tail), 1)
	}},
	{"codex", "rollout-2026-01-02T03-04-05-" + grownID + ".jsonl", codexMeta, func(n int, user bool) string {
		if user {
			return codexUser(word(n))
		}
		return codexLine("response_item", `"type":"message","role":"assistant","content":[{"type":"output_text","text":"`+word(n)+`"}]`)
	}, func(line, head, tail string) string {
		return strings.Replace(line, head+tail, head+`"},{"type":"output_text","text":"`+tail, 1)
	}},
	{"qwen", grownID + ".jsonl", "", func(n int, user bool) string {
		up, typ, role := "null", "assistant", "model"
		if n > 0 {
			up = fmt.Sprintf(`"u%d"`, n-1)
		}
		if user {
			typ, role = "user", "user"
		}
		return fmt.Sprintf(`{"uuid":"u%d","parentUuid":%s,"sessionId":%q,"timestamp":"2026-01-02T03:04:05.000Z","type":%q,"message":{"role":%q,"parts":[{"text":%q}]}}`, n, up, grownID, typ, role, word(n))
	}, func(line, head, tail string) string {
		return strings.Replace(line, head+tail, head+`"},{"text":"`+tail, 1)
	}},
	{"copilot", "events.jsonl", `{"type":"session.start","data":{"sessionId":"` + grownID + `","copilotVersion":"1.0.102","startTime":"2026-01-02T03:04:05.000Z"},"id":"s","timestamp":"2026-01-02T03:04:05.000Z"}`, func(n int, user bool) string {
		typ := "assistant.message"
		if user {
			typ = "user.message"
		}
		return fmt.Sprintf(`{"type":%q,"data":{"content":%q},"id":"u%d","timestamp":"2026-01-02T03:04:05.000Z"}`, typ, word(n), n)
	}, nil},
}

func word(n int) string { return fmt.Sprintf("wordnumber%dx", n) }

// Each word of a line is in a message on the path, in one text, or a loss is told: whatever member of the line is missing, where it is
// torn, and where an API cut the words of a reply.
func TestDrawnWordsAreShownOrLost(t *testing.T) {
	t.Parallel()
	for _, talk := range talks {
		t.Run(talk.agent, func(t *testing.T) {
			t.Parallel()
			f, ok := formats.Lookup(all.Formats(), talk.agent)
			if !ok {
				t.Fatalf("no %s", talk.agent)
			}
			for _, r := range drawn.Cases(t, 300) {
				lines := []string{talk.header}
				if talk.header == "" {
					lines = nil
				}
				n, cut := 3+r.IntN(5), map[int]string{}
				for i := range n {
					user := i == 0 || r.IntN(2) == 0
					line := talk.line(i, user)
					if at := 1 + r.IntN(len(word(i))-1); !user && talk.split != nil && r.IntN(2) == 0 {
						line = talk.split(line, word(i)[:at], word(i)[at:])
						cut[i] = line
					}
					lines = append(lines, line)
				}
				at := 1 + r.IntN(len(lines)-1)
				damaged := true
				switch r.IntN(3) {
				case 0: // a member is missing
					var names []string
					for name := range js.Value(lines[at]).Members() {
						names = append(names, name)
					}
					lines[at] = string(js.Value(lines[at]).Without(names[r.IntN(len(names))]))
				case 1: // it is torn, and the next one stands behind it
					lines[at] = lines[at][:1+r.IntN(len(lines[at])-1)]
					if at+1 < len(lines) {
						lines = append(lines[:at], append([]string{lines[at] + lines[at+1]}, lines[at+2:]...)...)
					}
				default:
					damaged = f.About().ReadOnly
				}
				source := strings.Join(lines, "\n") + "\n"
				results := formatstest.Import(t, f, &formats.Source{Path: formatstest.File(t, talk.file, source), Env: formats.Env{Getenv: func(string) string { return "" }}}, true)
				if !damaged {
					if back, _ := formatstest.Export(t, f, results[0].Session(t), ""); back != source {
						t.Fatalf("it came back as\n%s\nand not\n%s", back, source)
					}
				}
				shown, losses := "", 0
				for _, result := range results {
					losses += len(result.Losses)
					for _, m := range formatstest.Shown(result.Session(t)) {
						if m.Role() == session.RoleUser || m.Role() == session.RoleAssistant {
							shown += m.Text("\n") + "\n"
						}
					}
				}
				for i := range n {
					said := strings.Contains(source, word(i)) || cut[i] != "" && strings.Contains(source, cut[i])
					if said && !strings.Contains(shown, word(i)) && losses == 0 {
						t.Fatalf("%s is in no message and among no losses:\n%s\nbecame\n%s", word(i), source, results[0].Text())
					}
				}
			}
		})
	}
}

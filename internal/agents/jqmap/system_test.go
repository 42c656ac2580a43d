package jqmap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// The system prompt of a context is the one that Copilot told last, once, however often it told it and wherever the conversation went back to.
func TestDrawnSystemPrompts(t *testing.T) {
	t.Parallel()
	f := format(t, "copilot")
	for _, r := range drawn.Cases(t, 300) {
		lines, now := []string{copilotStart}, ""
		var questions []int         // lines of the user
		inForce := map[int]string{} // the system prompt in front of each
		line := func(typ, data string) {
			lines = append(lines, fmt.Sprintf(`{"type":%q,"data":%s,"id":"e%d","timestamp":"2026-03-04T05:06:08.000Z"}`, typ, data, len(lines)))
		}
		for n := range 2 + r.IntN(12) {
			switch r.IntN(8) {
			case 0:
				if len(questions) > 0 {
					at := questions[r.IntN(len(questions))]
					line("session.snapshot_rewind", fmt.Sprintf(`{"upToEventId":"e%d"}`, at))
					now = inForce[at]
				}
			case 1:
				line("session.context_cleared", `{}`)
				now = ""
			case 2, 3, 4:
				told := fmt.Sprintf("You are number %d.", r.IntN(3))
				line("system.message", fmt.Sprintf(`{"content":%q,"role":"system"}`, told))
				now = told
			default:
				questions, inForce[len(lines)] = append(questions, len(lines)), now
				line("user.message", fmt.Sprintf(`{"content":"question %d"}`, n))
			}
		}
		line("user.message", `{"content":"the last question"}`)
		result := read(t, f, "events.jsonl", lines...)
		if len(result.Losses) > 0 {
			t.Fatalf("%v of\n%s", result.Losses, strings.Join(lines, "\n"))
		}
		got := ""
		for _, m := range convo.MessagesOf(convo.Project(formatstest.Path(result.Session(t)))) {
			if m.Role() == session.RoleSystem {
				got += m.Text("")
			}
		}
		if got != now {
			t.Fatalf("the system prompt is %q, want %q, of\n%s\n%s", got, now, strings.Join(lines, "\n"), result.Text())
		}
	}
}

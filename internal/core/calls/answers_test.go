package calls_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// TestAnswers: what a user was asked stands beside the answer, however an agent tells it.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const two = `{"questions":[{"question":"Which port?","header":"Port"},{"question":"Say \"yes\"?","id":"q2"}]}`
	for name, tt := range map[string]struct{ tool, arguments, text, more, want string }{
		"by the question":         {"AskUserQuestion", two, "x", `,"details":{"answers":{"Which port?":"80","Say \"yes\"?":["yes","no"]}}`, `Which port? → 80|Say "yes"? → yes, no`},
		"in words":                {"AskUserQuestion", two, `User has answered your questions: "Which port?"="80", "Say \"yes\"?"="no". Go on.`, "", `Which port? → 80|Say "yes"? → no`},
		"by the id, in the text":  {"request_user_input", two, `{"answers":{"q2":{"answers":["no"]},"0":"443"}}`, "", `Which port? → 443|Say "yes"? → no`},
		"one question":            {"ask_user", `{"question":"Go on?"}`, "Yes.\nAnd be quick.", "", "Go on? → Yes."},
		"an answer not found":     {"AskUserQuestion", two, "ok", "", `Which port? → ?|Say "yes"? → ?`},
		"refused":                 {"AskUserQuestion", two, "The user doesn't want to proceed with this tool use", `,"isError":true`, `Which port? → refused|Say "yes"? → refused`},
		"a plan":                  {"ExitPlanMode", `{"plan":"# Mend it\n\n1. look"}`, "User has approved your plan.", "", "# Mend it → approved"},
		"a plan that was refused": {"ExitPlanMode", `{"plan":"# Mend it"}`, "The user doesn't want to proceed with this tool use", `,"isError":true`, "# Mend it → refused"},
		"no result":               {"ask_user", `{"question":"Go on?"}`, "", "none", "Go on? → not answered"},
		"no question":             {"Bash", `{"question":"Go on?"}`, "x", "", ""},
		"nothing in it":           {"AskUserQuestion", `7`, "x", "", ""},
	} {
		var result session.Message
		if tt.more != "none" {
			result = session.NewMessage(`{"role":"toolResult","toolName":"` + tt.tool + `","content":[{"type":"text","text":` + js.Quote(tt.text) + `}]` + tt.more + `}`)
		}
		got := strings.Join(calls.Answers(session.ToolCall{Name: tt.tool, Arguments: tt.arguments}, result), "|")
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

package codex_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/pkg/session"
)

// The reply that an interrupted turn ends with was cut short. One whose calls ran was not.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	note := strings.Replace(asked, "q1", `<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>`, 1)
	aborted := event("turn_aborted", `,"reason":"interrupted"`)
	for text, want := range map[string]string{
		asked + reply("half") + aborted:                                   "aborted",
		asked + item(thought) + aborted:                                   "aborted",
		asked + reply("half") + note + aborted:                            "aborted",
		asked + calling("c", "x") + output("c", "y") + reply("h") + note:  "toolUse aborted",
		asked + calling("c", "x") + aborted:                               "toolUse",
		asked + calling("c", "x") + output("c", "y") + aborted:            "toolUse",
		asked + reply("whole") + event("task_complete", "") + aborted:     "stop",
		asked + reply("whole") + asked + aborted:                          "stop",
		asked + reply("whole") + event("task_complete", "") + note + note: "stop",
	} {
		var got []string
		for _, e := range imported(t, meta+text).Entries {
			if m, _ := e.Message(); m.Role() == session.RoleAssistant {
				got = append(got, m.Str("stopReason"))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q, want %q of\n%s", got, want, text)
		}
	}
}

// A call failed if codex says so, in its output or in an event on either side of that.
func TestFailedCalls(t *testing.T) {
	t.Parallel()
	mcp := func(result string) string { return event("mcp_tool_call_end", `,"call_id":"c","result":`+result) }
	ended := func(typ, status string) string {
		return event("item_completed", fmt.Sprintf(`,"item":{"type":%q,"id":"c","status":%q}`, typ, status))
	}
	bad := mcp(`{"Ok":{"content":[],"isError":true}}`)
	tests := []struct{ tool, before, output, after, want string }{
		{"apply_patch", "", "apply_patch verification failed: no such lines in /p/a", "", calls.Fail},
		{"apply_patch", "", "patch rejected by user", "", calls.Denied},
		{"apply_patch", event("patch_apply_end", `,"call_id":"c","success":false`), "it did not apply", "", calls.Fail},
		{"apply_patch", event("patch_apply_end", `,"call_id":"d","success":false`), "it did not apply", "", calls.OK},
		{"apply_patch", ended("FileChange", "failed"), "it did not apply", "", calls.Fail},
		{"apply_patch", "", "Success. Updated the following files:", "", calls.OK},
		{"write_stdin", "", "write_stdin failed: stdin is closed for this session", "", calls.Fail},
		{"exec_command", "", "exec_command failed for `ls`: no such directory", "", calls.Fail},
		{"exec_command", "", "failed to parse function arguments: missing field `cmd`", "", calls.Fail},
		{"gone", "", "unsupported call: gone", "", calls.Fail},
		{"docs__find", bad, "no index", "", calls.Fail},
		{"docs__find", "", "no index", bad, calls.Fail},
		{"docs__find", mcp(`{"Err":"it timed out"}`), "tool call error: it timed out", "", calls.Fail},
		{"docs__find", mcp(`{"Ok":{"content":[],"isError":false}}`), "apply_patch verification", "", calls.OK},
		{"docs__find", ended("McpToolCall", "failed"), "no index", "", calls.Fail},
		{"docs__find", ended("McpToolCall", "completed"), "no index", "", calls.OK},
		{"ask", event("dynamic_tool_call_response", `,"call_id":"c","success":false`), "no", "", calls.Fail},
	}
	for _, tt := range tests {
		text := meta + asked + calling("c", tt.tool) + tt.before + output("c", tt.output) + tt.after
		s := imported(t, text)
		for _, e := range s.Entries {
			if m, _ := e.Message(); m.Role() == session.RoleToolResult {
				if got := calls.End(m).Outcome; got != tt.want {
					t.Errorf("%s: %q is %s, want %s", tt.tool, tt.output, got, tt.want)
				}
			}
		}
		if back := exported(t, s, "legacy"); back != text {
			t.Errorf("comes back as\n%s", back)
		}
	}
}

package stream_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/internal/core/calls"
)

// What codex completes without telling how it ended is open, as in its rollout: only an exit code says that a command ended well.
func TestCodexOpen(t *testing.T) {
	t.Parallel()
	for item, want := range map[string]string{
		`"type":"command_execution","command":"make","exit_code":null,"status":"completed"`:   calls.Open,
		`"type":"command_execution","command":"make","exit_code":null,"status":"in_progress"`: calls.Open,
		`"type":"command_execution","command":"make","exit_code":null,"status":"failed"`:      calls.Fail,
		`"type":"command_execution","command":"make","exit_code":0,"status":"completed"`:      "0",
		`"type":"command_execution","command":"make","exit_code":-1,"status":"failed"`:        "-1",
		`"type":"mcp_tool_call","server":"den","tool":"dig","status":"in_progress"`:           calls.Open,
		`"type":"mcp_tool_call","server":"den","tool":"dig","status":"completed"`:             calls.OK,
		`"type":"file_change","changes":[{"path":"a","kind":"add"}],"status":"in_progress"`:   calls.Open,
		`"type":"file_change","changes":[{"path":"a","kind":"add"}],"status":"completed"`:     calls.OK,
	} {
		lines := `{"type":"thread.started","thread_id":"t"}` + "\n" + `{"type":"turn.started"}` + "\n" +
			`{"type":"item.completed","item":{"id":"item_0",` + item + "}}\n" +
			`{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"So."}}` + "\n" + `{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}` + "\n"
		got := calls.Open
		for _, m := range recorded(record(t, []byte(lines), stream.Options{})) {
			if end := calls.End(m); end.Outcome != "" {
				got = end.String()
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", strings.Trim(item, `"`), got, want)
		}
	}
}

// Texts that follow each other in a turn of codex are of several replies, or several messages of one: they are never glued.
func TestCodexTexts(t *testing.T) {
	t.Parallel()
	said := func(text string) string {
		return `{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"` + text + `"}}` + "\n"
	}
	lines := `{"type":"thread.started","thread_id":"t"}` + "\n" + `{"type":"turn.started"}` + "\n" + said("Done.") + said("fine") +
		`{"type":"item.completed","item":{"id":"i","type":"reasoning","text":"Hm."}}` + "\n" + said("So.") + `{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":3}}` + "\n"
	var texts []string
	for _, m := range recorded(record(t, []byte(lines), stream.Options{})) {
		texts = append(texts, m.Text("|"))
	}
	if got := strings.Join(texts, "\n"); got != "Done.\nfine\nSo." {
		t.Errorf("%q", got)
	}
}

package codex_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/codex"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/formatstest"
)

const exits = `{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"session_id":"019b7ca9-8f2e-7063-834b-74487a82aa03","id":"019b7ca9-8f2e-7063-834b-74487a82aa03","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","originator":"codex","cli_version":"0.169.0","source":"cli"}}
{"timestamp":"2026-01-02T03:04:06.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"exit 3\"}","call_id":"c1"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"true\"]}","call_id":"c2"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"false\"]}","call_id":"c3"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"false\"]}","call_id":"c4"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"read","arguments":"{}","call_id":"c5"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{}","call_id":"c6"}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOriginal token count: 0\nOutput:\n"}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c2","output":"Exit code: 0\nWall time: 0 seconds\nOutput:\nExit code: 7"}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c3","output":"Exit code: 1\nWall time: 0 seconds\nOutput:\n"}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c4","output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":0.1}}"}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c5","output":"Exit code: 1 is what it says"}}
{"timestamp":"2026-01-02T03:04:09.000Z","type":"event_msg","payload":{"type":"error","message":"You've hit your usage limit.","codex_error_info":"usage_limit_exceeded"}}
`

// A command that failed is an error by its exit code, one that never answered is neither a
// result nor a failure, and an error of the provider's is the answer.
func TestExits(t *testing.T) {
	t.Parallel()
	path := formatstest.File(t, "rollout-2026-01-02T03-04-05-019b7ca9-8f2e-7063-834b-74487a82aa03.jsonl", exits)
	s := formatstest.Import(t, codex.Format, &formats.Source{Path: path}, false)[0].Session(t)
	var got []string
	for _, e := range s.Entries {
		m, ok := e.Message()
		switch {
		case !ok:
		case m.Role() == "toolResult":
			got = append(got, m.Str("toolCallId")+" "+m.Get("isError")+" "+map[bool]string{true: "failed", false: "-"}[m.IsError()]+" "+m.Get("details"))
		case m.Failed():
			got = append(got, m.Str("stopReason")+" "+m.Str("errorMessage"))
		}
	}
	want := []string{
		`c6 true - {"madeUp":true}`, `c1 true failed {"exitCode":3}`, `c2 false - {"exitCode":0}`, `c3 true failed {"exitCode":1}`, `c4 true failed {"exitCode":2}`,
		`c5 false - `, `error You've hit your usage limit.`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	back, losses := formatstest.Export(t, codex.Format, s, "")
	if back != exits || len(losses) > 0 {
		t.Errorf("it came back as\n%s\n%v", back, losses)
	}
}

package claude_test

import (
	"strings"
	"testing"
)

// Why a reply ended, in the API's words, and in ours.
func TestStopReasons(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"end_turn": `"stopReason":"stop"`, "tool_use": `"stopReason":"toolUse"`, "max_tokens": `"stopReason":"length"`,
		"model_context_window_exceeded": `"stopReason":"length"`, "pause_turn": `"stopReason":"stop"`,
		"refusal": `"stopReason":"error","errorMessage":"refusal"`,
	} {
		text := `{"parentUuid":null,"isSidechain":false,"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"I"}],"stop_reason":"` +
			reason + `","usage":{"input_tokens":1,"output_tokens":1}},"uuid":"00000000-0000-4000-8000-000000000002","timestamp":"2026-01-02T03:04:06.000Z","cwd":"/w","sessionId":"00000000-0000-4000-8000-00000000000a","version":"2.1.330"}` + "\n"
		s, lost := imported(t, text)
		if raw := s.Entries[0].Raw(); !strings.Contains(raw, want) || len(lost) > 0 {
			t.Errorf("%s: %v %s", reason, lost, raw)
		}
		if back := exported(t, s); back != text {
			t.Errorf("%s: back it is\n%s", reason, back)
		}
	}
}

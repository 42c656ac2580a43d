package claude_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/show/view"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// What a background task says is no word of the user's, though it stands in a line of
// the user's; it comes back byte for byte.
func TestNotification(t *testing.T) {
	t.Parallel()
	const text = `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"go"},"uuid":"00000000-0000-4000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","sessionId":"00000000-0000-4000-8000-00000000000a","version":"2.1.330"}
{"parentUuid":"00000000-0000-4000-8000-000000000001","isSidechain":false,"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"started"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}},"uuid":"00000000-0000-4000-8000-000000000002","timestamp":"2026-01-02T03:04:06.000Z","cwd":"/w","sessionId":"00000000-0000-4000-8000-00000000000a","version":"2.1.330"}
{"parentUuid":"00000000-0000-4000-8000-000000000002","isSidechain":false,"type":"user","origin":{"kind":"task-notification"},"message":{"role":"user","content":"<task-notification>done</task-notification>"},"uuid":"00000000-0000-4000-8000-000000000003","timestamp":"2026-01-02T03:04:07.000Z","cwd":"/w","sessionId":"00000000-0000-4000-8000-00000000000a","version":"2.1.330"}
`
	s, lost := imported(t, text)
	if len(lost) > 0 {
		t.Errorf("%v", lost)
	}
	leaf, _ := s.Leaf()
	path, _ := s.Path(leaf)
	request, _ := view.Anthropic(convo.MessagesOf(convo.Project(path)), view.Options{})
	const want = `{"type":"text","text":"<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\n<task-notification>done</task-notification>\n</system-reminder>"}`
	if !strings.Contains(request.String(), want) || strings.Count(request.String(), "task-notification>done") != 1 {
		t.Errorf("%s", request)
	}
	for _, e := range path {
		if e.Role() == session.RoleUser && strings.Contains(e.Raw(), "task-notification") {
			t.Errorf("the user says %s", e.Raw())
		}
	}
	if back := exported(t, s); back != text {
		t.Errorf("back it is\n%s", back)
	}
}

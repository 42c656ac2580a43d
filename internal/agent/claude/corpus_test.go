package claude_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/claude"
	"github.com/sess-tools/sess/internal/agent/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	sources := map[string]string{"redacted": redacted}
	for _, path := range samples(t) {
		sources[strings.TrimSuffix(filepath.Base(path), ".jsonl")] = formatstest.Content(t, path)
	}
	formatstest.Laws(t, claude.Claude, formatstest.Corpus{
		Sources: sources, File: "s.jsonl", Lines: true, Usage: usage,
		Blocks: []string{"user", "assistant", "system", "summary", "custom-title", "message", "text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image", "base64"},
		IDs:    []*regexp.Regexp{regexp.MustCompile(`"uuid":"([^"]+)"`), regexp.MustCompile(`"tool_use_id":"([^"]+)"`)},
	})
}

// usage sums up the replies of a file: lines of one reply say the same.
func usage(source string) (input, output int64) {
	last := map[string]js.Value{}
	for line := range strings.Lines(source) {
		m := js.Value(strings.TrimSpace(line)).Get("message")
		if u := m.Get("usage"); u.IsObject() {
			last[m.Get("id").Str()] = u
		}
	}
	for _, u := range last {
		input, output = input+u.Get("input_tokens").Int(), output+u.Get("output_tokens").Int()
	}
	return input, output
}

// redacted is a session from which a redactor has taken all ids.
const redacted = `{"type":"user","uuid":"REDACTED","parentUuid":null,"isSidechain":false,"timestamp":"2026-01-02T03:04:05.000Z","sessionId":"s1","cwd":"/w","message":{"role":"user","content":"TEXT 1"}}
{"type":"assistant","uuid":"REDACTED","parentUuid":"REDACTED","isSidechain":false,"timestamp":"2026-01-02T03:04:06.000Z","sessionId":"s1","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"TEXT 2"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":1}}}
{"type":"user","uuid":"REDACTED","parentUuid":"REDACTED","isSidechain":false,"timestamp":"2026-01-02T03:04:07.000Z","sessionId":"s1","cwd":"/w","message":{"role":"user","content":"TEXT 3"}}
{"type":"assistant","uuid":"REDACTED","parentUuid":"REDACTED","isSidechain":false,"timestamp":"2026-01-02T03:04:08.000Z","sessionId":"s1","message":{"id":"msg_2","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"TEXT 4"}],"stop_reason":"end_turn","usage":{"input_tokens":20,"output_tokens":1}}}
`

// Ids that are alike tear nothing off: every entry is on the path to the leaf.
func TestRedactedPath(t *testing.T) {
	t.Parallel()
	s, _ := imported(t, redacted)
	leaf, _ := s.Leaf()
	if path, _ := s.Path(leaf); len(path) != len(s.Entries) {
		t.Errorf("%d of %d entries are on the path", len(path), len(s.Entries))
	}
}

package selection

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/session"
)

// A line that is dropped unread is of no sub-agent, however its marks are spelled.
func TestOfSubagent(t *testing.T) {
	t.Parallel()
	const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p"}` + "\n"
	for line, want := range map[string]bool{
		`{"type":"session_init","id":"a","task":"x"}`:                                                      true,
		`{"type":"session\u005finit","id":"a","task":"x"}`:                                                 true,
		`{"type":"custom","id":"a","customType":"opencode:session","data":{"parentID":"ses_1"}}`:           true,
		`{"type":"custom","id":"a","customType":"\u006fpencode\u003asession","data":{"parentID":"ses_1"}}`: true,
		`{"type":"custom","id":"a","customType":"opencode:session","data":{"id":"ses_1"}}`:                 false,
		`{"type":"message","id":"a","message":{"role":"user","content":"\u0041 session_init codex:meta"}}`: false,
		`not JSON session_init`: false,
	} {
		for _, text := range []string{header + line, header + line + "\n", header + "\n" + line + "\r\n"} {
			got, err := OfSubagent("", session.Header{ID: "s"}, strings.NewReader(text))
			if got != want || err != nil {
				t.Errorf("%q: %v, %v, want %v", text, got, err, want)
			}
		}
	}
}

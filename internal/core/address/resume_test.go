package address

import "testing"

// TestResumeLine: each agent goes on with a session in its own words, where the session was; sub-agents and agents that take no
// id have none.
func TestResumeLine(t *testing.T) {
	t.Parallel()
	for _, c := range [][4]string{
		{"claude", "4b1f", "", "claude --resume 4b1f"},
		{"claude", "4b1f", "/a b", "cd '/a b' && claude --resume 4b1f"},
		{"claude", "agent-4b1f", "", ""},
		{"codex", "4b1f", "", "codex resume 4b1f"},
		{"opencode", "ses_1", "", "opencode -s ses_1"},
		{"pi", "4b1f", "", "pi --session 4b1f"},
		{"omp", "4b1f", "", "omp --resume 4b1f"},
		{"qwen", "4b1f", "", "qwen --resume 4b1f"},
		{"copilot", "4b1f", "", "copilot --resume 4b1f"},
		{"gemini", "4b1f", "", ""},
		{"", "4b1f", "", ""},
	} {
		if got := ResumeLine(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%q of %q in %q: %q, want %q", c[1], c[0], c[2], got, c[3])
		}
	}
}

package compact

import (
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

// FromCodex reports whether codex takes a text that is part of a user message for
// one that it put there itself.
func FromCodex(text string) bool { return contextualText(strings.TrimSpace(text)) }

// CodexSummary takes apart the text in which codex hands on a summary; ok is false
// for any other text.
func CodexSummary(text string) (summary string, ok bool) {
	return strings.CutPrefix(text, codexSummary)
}

// CodexKept returns the user messages that codex keeps when it compacts, of all user
// messages of a context: see [KeepUser].
func CodexKept(messages []session.Message, tokens int64) []session.Message {
	all := make([]Part, len(messages))
	for i, m := range messages {
		all[i].Message = m
	}
	var out []session.Message
	for _, p := range copies(all, tokens) {
		out = append(out, p.Message)
	}
	return out
}

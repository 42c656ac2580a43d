package compact

import "github.com/sess-tools/sess/pkg/session"

// SerializeBranch shows tests the text of a branch by any rules.
func SerializeBranch(b *Branch, rules Rules) string {
	var messages []session.Message
	for _, p := range b.Parts {
		messages = append(messages, p.Message)
	}
	return serialize(messages, rules)
}

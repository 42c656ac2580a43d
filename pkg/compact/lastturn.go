package compact

import "github.com/sess-tools/sess/pkg/session"

// lastTurn cuts in front of the last user message, or of the call before it that
// is answered behind it. Without a user message nothing is cut off.
func lastTurn(span []candidate) cut {
	bindCalls(span)
	for i := len(span) - 1; i > 0; i-- {
		if !asks(span[i]) {
			continue
		}
		for i > 0 && !span[i].cuts {
			i--
		}
		return cut{first: i}
	}
	return cut{}
}

// asks reports whether the candidate is a user message in the context.
func asks(c candidate) bool {
	for _, m := range c.messages {
		if m.Role() == session.RoleUser {
			return true
		}
	}
	return false
}

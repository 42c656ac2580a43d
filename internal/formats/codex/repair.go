package codex

import (
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// A repair says what becomes of a message in a request, where each call has one
// result.
type repair struct {
	drop       bool // no model is shown it
	moved      bool // a result, which is told with its call
	results    []int
	unanswered []session.ToolCall
}

// repairs returns the repair of each message, by the pairing of [convo.Pair].
func repairs(messages []session.Message) []repair {
	out := make([]repair, len(messages))
	for i, p := range convo.Pair(messages) {
		switch messages[i].Role() {
		case session.RoleAssistant:
			out[i].drop = messages[i].Failed()
			for _, r := range p.Results {
				out[i].results = append(out[i].results, r.Message)
			}
			for _, n := range p.Unanswered() {
				out[i].unanswered = append(out[i].unanswered, p.Calls[n])
			}
		case session.RoleToolResult:
			out[i].moved = p.Reply >= 0
			out[i].drop = p.Reply < 0 || messages[p.Reply].Failed()
		}
	}
	return out
}

package compact

import "github.com/sess-tools/sess/pkg/session"

// bindCalls takes the places between a tool call and the result that answers
// it out of the places where a cut may fall: a result without its call is
// refused by the providers' interfaces. Pi gets by without, since it puts
// nothing else between the two; extensions and other programs do.
func bindCalls(span []candidate) {
	call := map[string]int{}          // where the unanswered calls are, by id
	bound := make([]int, len(span)+1) // +1 where pairs begin, -1 behind their end
	for i, c := range span {
		for _, m := range c.messages {
			for _, t := range m.ToolCalls() {
				call[t.ID] = i
			}
			if m.Role() != session.RoleToolResult {
				continue
			}
			id := m.Str("toolCallId")
			if at, ok := call[id]; ok && id != "" {
				bound[at+1]++
				bound[i+1]--
				delete(call, id)
			}
		}
	}
	open := 0
	for i := range span {
		open += bound[i]
		if open > 0 {
			span[i].cuts = false
		}
	}
}

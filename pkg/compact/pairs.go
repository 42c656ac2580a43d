package compact

import (
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// bindCalls takes the places between a tool call and the result that answers
// it out of the places where a cut may fall: a result without its call is
// refused by the providers' interfaces. Pi gets by without, since it puts
// nothing else between the two; extensions and other programs do.
func bindCalls(span []candidate) {
	var messages []session.Message
	var at []int // the candidate of each message
	for i, c := range span {
		for _, m := range c.messages {
			messages, at = append(messages, m), append(at, i)
		}
	}
	bound := make([]int, len(span)+1) // +1 where pairs begin, -1 behind their end
	for result, p := range convo.Pair(messages) {
		if p.Reply >= 0 {
			bound[at[min(p.Reply, result)]+1]++
			bound[at[max(p.Reply, result)]+1]--
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

package render

import (
	"slices"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// starts are the roles of messages that a context may be cut in front of: the
// places where a compaction may cut (docs/formats/pi.md, compaction).
var starts = map[string]bool{
	session.RoleUser: true, session.RoleAssistant: true, session.RoleBashExecution: true,
	session.RoleCustom: true, session.RoleBranchSummary: true, session.RoleCompactionSummary: true,
	session.RoleHookMessage: true, session.RoleDeveloper: true,
	session.RolePythonExecution: true, session.RoleFileMention: true,
}

// Budget returns the longest legal tail of a projection whose estimate is at
// most tokens, in the order of the projection. It never begins with a tool
// result, whose call would be gone.
//
// In front of the tail stay, and count, the summary of the compaction that
// leads the projection and all system messages: what a tail is not understood
// without. A caller that does not want system messages takes them out before.
// Entries without messages stay if what follows them does.
//
// If not even the shortest legal tail fits, ok is false and kept is that one:
// its Tokens tell what would have been needed.
func Budget(projection []convo.Projected, tokens int64) (kept []convo.Projected, ok bool) {
	var fixed int64
	for i, p := range projection {
		if stays(i, p) {
			fixed += cost(p)
		}
	}
	first, total, found := len(projection), fixed, false
	for i := len(projection) - 1; i >= 0; i-- {
		p := projection[i]
		if stays(i, p) || len(p.Messages) == 0 {
			continue
		}
		total += cost(p)
		if found && total > tokens {
			break
		}
		if starts[p.Messages[0].Role()] {
			first, ok, found = i, total <= tokens, true
		}
	}
	if !found {
		ok = fixed <= tokens
	}
	return tail(projection, first), ok
}

// Last returns the shortest legal tail of a projection with at least n messages,
// by the rules of [Budget]. Messages that always stay are not counted.
func Last(projection []convo.Projected, n int) []convo.Projected {
	return newest(projection, n, func(p convo.Projected) (counts int, begins bool) {
		return len(p.Messages), starts[p.Messages[0].Role()]
	})
}

// Turns returns the last n turns of a projection: from the n-th user message from
// the end on. System messages and the summary of a compaction stay as in [Budget].
func Turns(projection []convo.Projected, n int) []convo.Projected {
	return newest(projection, n, func(p convo.Projected) (counts int, begins bool) {
		if p.Messages[0].Role() == session.RoleUser {
			return 1, true
		}
		return 0, false
	})
}

// newest returns the tail that begins with the first entry, from the end, in front
// of which it may begin and from which on at least n are counted; all of the
// projection if there is none.
func newest(projection []convo.Projected, n int, count func(convo.Projected) (counts int, begins bool)) []convo.Projected {
	have := 0
	for i := len(projection) - 1; i >= 0; i-- {
		if p := projection[i]; !stays(i, p) && len(p.Messages) > 0 {
			counts, begins := count(p)
			if have += counts; begins && have >= n {
				return tail(projection, i)
			}
		}
	}
	return projection
}

// tail returns the projection from first on, with the entries in front of it that have no messages,
// and those that always stay.
func tail(projection []convo.Projected, first int) []convo.Projected {
	for first > 0 && len(projection[first-1].Messages) == 0 {
		first--
	}
	var kept []convo.Projected
	for i, p := range projection {
		if i >= first || stays(i, p) {
			kept = append(kept, p)
		}
	}
	return kept
}

// stays reports whether a budget may not drop the i-th entry.
func stays(i int, p convo.Projected) bool {
	return i == 0 && p.Entry.Type() == session.TypeCompaction ||
		slices.ContainsFunc(p.Messages, func(m session.Message) bool { return m.Role() == session.RoleSystem })
}

// Tokens returns the estimate of a projection, in tokens.
func Tokens(projection []convo.Projected) int64 {
	var n int64
	for _, p := range projection {
		n += cost(p)
	}
	return n
}

func cost(p convo.Projected) int64 {
	var n int64
	for _, m := range p.Messages {
		n += convo.Estimate(m)
	}
	return n
}

package usage

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// ContextKeys are what the parts of a context can be grouped by.
func ContextKeys() []string { return []string{"role", "tool", "file", "entry", "kind"} }

// The kinds of parts.
const (
	KindText     = "text"
	KindThinking = "thinking"
	KindCall     = "call"
	KindResult   = "result"
	KindImage    = "image"
	KindSummary  = "summary"
	KindSystem   = "system"
	KindContext  = "context" // a role alone: what an agent says in the user's name
	KindOutside  = "outside" // what a model is given that is not in the session: the prompt and the tools of the agent
)

// A Part is a block of a message in a context.
type Part struct {
	Role, Kind string
	Tool, File string // of a call, and of its result
	Entry      string // the id

	Tokens   int64 // by the usage that the model reported, where it did
	Estimate int64 // by the estimator alone
	Bytes    int64 // of the block as it is stored
}

// Key returns what a part has for one of [ContextKeys].
func (p *Part) Key(name string) string {
	switch name {
	case "role":
		return p.Role
	case "tool":
		return p.Tool
	case "file":
		return p.File
	case "entry":
		return p.Entry
	}
	return p.Kind
}

// A Context is what a model is given of a path, in parts.
type Context struct {
	Parts     []Part
	Tokens    int64 // the sum of the parts' tokens, as [convo.MeasureProjection] has it
	Estimates int64 // the sum of their estimates, as [convo.EstimateContext] has it

	// Reported is what the model counted up to its last reply, and Estimated what the
	// estimator says of that; both are 0 if no usage holds for the context.
	Reported, Estimated int64
	// Factor is by how much the model counts more than the estimator, as far as its replies tell.
	// Tokens that are reported beyond that are outside of the session.
	Factor float64
	// Calibrated says that Reported is likely to be all of them. A reply to a thread, which
	// the provider remembers, reports only what was new.
	Calibrated bool
}

// ContextOf takes the context at the end of a path apart.
func ContextOf(path []session.Entry) Context {
	projection := convo.Project(path)
	messages := convo.MessagesOf(projection)
	pairs := convo.Pair(messages)
	size := convo.MeasureProjection(projection, path, convo.Estimate)
	c := Context{Parts: make([]Part, 0, len(messages)+len(messages)/2)} // to grow takes more than twice the room
	ends := make([]int, 0, len(messages))                               // where the parts of each message end
	for _, p := range projection {
		for _, m := range p.Messages {
			c.Parts = appendParts(c.Parts, m, p.Entry.ID(), pairs, len(ends))
			ends = append(ends, len(c.Parts))
		}
	}
	c.foldSystem(messages)
	for i := range c.Parts {
		c.Parts[i].Tokens = c.Parts[i].Estimate
		c.Estimates += c.Parts[i].Estimate
	}
	c.Tokens = size.Tokens
	if size.LastUsage < 0 {
		return c
	}
	counted := ends[size.LastUsage]
	c.Reported, c.Estimated = size.Usage, c.estimated(counted)
	c.Calibrated = c.Reported >= c.Estimated/2
	c.calibrate(firstUsage(projection, path), ends)
	inside := min(c.Reported, int64(c.Factor*float64(c.Estimated)+0.5))
	spread(c.Parts[:counted], inside)
	// A system message behind the reply is folded into those in front of it, and counts with its
	// estimate here.
	spread(c.Parts[counted:], size.Trailing)
	if outside := size.Tokens - inside - size.Trailing; outside > 0 {
		c.Parts = append(c.Parts, Part{Role: KindOutside, Kind: KindOutside, Tokens: outside})
	}
	return c
}

// estimated is the estimate of the first parts.
func (c *Context) estimated(parts int) (sum int64) {
	for i := range c.Parts[:parts] {
		sum += c.Parts[i].Estimate
	}
	return sum
}

// The factor is taken from two replies that are so many tokens apart, in these bounds.
const (
	apart       = 2000
	leastFactor = 0.8
	mostFactor  = 2
)

// A usageAt is what the reply at a message reported.
type usageAt struct {
	message int
	tokens  int64
}

// calibrate finds the factor. The difference between two replies tells it, since the difference is
// without the tokens outside of the session; one reply alone tells only that there is less than
// estimated.
func (c *Context) calibrate(first usageAt, ends []int) {
	c.Factor = 1
	if first.tokens > 0 {
		if grown := c.Estimated - c.estimated(ends[first.message]); grown >= apart {
			c.Factor = min(max(float64(c.Reported-first.tokens)/float64(grown), leastFactor), mostFactor)
		}
	}
	if most := float64(c.Reported) / float64(max(c.Estimated, 1)); c.Estimated > 0 && c.Factor > most {
		c.Factor = most
	}
}

// firstUsage returns the first reply of a context that reported its usage, none of those
// from before a compaction or an edit.
func firstUsage(projection []convo.Projected, path []session.Entry) usageAt {
	last := len(path) - 1
	for last >= 0 && path[last].Type() != session.TypeCompaction && path[last].Type() != session.TypeContextEdit {
		last--
	}
	before := map[string]bool{} // those behind it are many more where nothing was compacted
	for _, e := range path[:last+1] {
		before[e.ID()] = true
	}
	at := 0
	for _, p := range projection {
		for _, m := range p.Messages {
			if tokens, ok := convo.ReportedContext(m); ok && !before[p.Entry.ID()] {
				return usageAt{at, tokens}
			}
			at++
		}
	}
	return usageAt{}
}

// appendParts appends the blocks of message i, each with its share of the estimate.
func appendParts(parts []Part, m session.Message, entry string, pairs []convo.Paired, i int) []Part {
	whole := Part{Role: m.Role(), Entry: entry, Kind: KindText}
	if m.Harness() != "" {
		whole.Role = KindContext
	}
	switch m.Role() {
	case session.RoleSystem:
		whole.Kind = KindSystem
	case session.RoleCompactionSummary, session.RoleBranchSummary:
		whole.Kind = KindSummary
	case session.RoleToolResult:
		whole.Kind, whole.Tool = KindResult, m.Str("toolName")
		if call, ok := convo.CallOf(pairs, i); ok {
			whole.Tool, whole.File = cmp.Or(call.Name, whole.Tool), call.File()
		}
	}
	all, before := convo.Estimate(m), len(parts)
	if whole.Kind == KindText || whole.Kind == KindResult {
		for b := range m.Blocks() {
			p := whole
			p.Bytes = int64(len(b.Raw()))
			if p.Estimate = all; len(m.Get("content")) != len("[")+len(b.Raw())+len("]") { // it is not alone
				p.Estimate = convo.EstimateBlock(m, b)
			}
			switch b.Type {
			case session.BlockThinking, session.BlockEncrypted:
				p.Kind = KindThinking
			case session.BlockImage:
				p.Kind = KindImage
			case session.BlockToolCall:
				call := session.ToolCall{Name: b.Str("name"), Arguments: b.Get("arguments")}
				p.Kind, p.Tool, p.File = KindCall, call.Name, call.File()
			}
			if b.Harness() != "" {
				p.Role = KindContext
			}
			parts = append(parts, p)
		}
	}
	if len(parts) == before {
		whole.Bytes = int64(len(m.Raw()))
		parts = append(parts, whole)
	}
	spreadEstimate(parts[before:], all)
	return parts
}

// foldSystem gives the system messages together the estimate of the one that they are
// folded into.
func (c *Context) foldSystem(messages []session.Message) {
	system, ok := convo.FoldSystem(messages)
	if !ok {
		return
	}
	var at []int
	var parts []Part
	for i := range c.Parts {
		if c.Parts[i].Kind == KindSystem {
			at, parts = append(at, i), append(parts, c.Parts[i])
		}
	}
	spreadEstimate(parts, convo.Estimate(system))
	for i, p := range at {
		c.Parts[p].Estimate = parts[i].Estimate
	}
}

// spreadEstimate makes the estimates of parts add up to a total.
func spreadEstimate(parts []Part, total int64) {
	for i, n := range shares(parts, total) {
		parts[i].Estimate = n
	}
}

// spread gives parts tokens in the proportion of their estimates, total in all.
func spread(parts []Part, total int64) {
	for i, n := range shares(parts, total) {
		parts[i].Tokens = n
	}
}

// shares divides a total by the estimates of parts, in whole numbers that add up to it: the rest
// goes to the largest remainders. Without estimates the last gets all.
func shares(parts []Part, total int64) []int64 {
	var sum uint64
	for i := range parts {
		sum += uint64(parts[i].Estimate)
	}
	out := make([]int64, len(parts))
	if len(parts) == 0 {
		return out
	}
	if sum == 0 {
		out[len(out)-1] = total
		return out
	}
	type left struct {
		rest uint64
		at   int
	}
	rests := make([]left, len(parts))
	given := int64(0)
	for i := range parts {
		hi, lo := bits.Mul64(uint64(parts[i].Estimate), uint64(total))
		n, rest := bits.Div64(hi, lo, sum)
		out[i], rests[i] = int64(n), left{rest, i}
		given += int64(n)
	}
	slices.SortStableFunc(rests, func(a, b left) int { return cmp.Compare(b.rest, a.rest) })
	for _, r := range rests[:total-given] {
		out[r.at]++
	}
	return out
}

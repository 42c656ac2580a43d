package account

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/sess-tools/sess/pkg/compact"
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

	// Reported is what the model counted for the parts up to its last reply, and Estimated
	// what the estimator says of them; both are 0 if no usage holds for the context.
	Reported, Estimated int64
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
	var c Context
	at, counted := 0, 0 // counted parts are those that the usage is of
	for _, p := range projection {
		for _, m := range p.Messages {
			c.Parts = append(c.Parts, partsOf(m, p.Entry.ID(), pairs, at)...)
			if at == size.LastUsage {
				counted = len(c.Parts)
			}
			at++
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
	for i := range c.Parts[:counted] {
		c.Estimated += c.Parts[i].Estimate
	}
	c.Reported = size.Usage
	c.Calibrated = c.Reported >= c.Estimated/2
	spread(c.Parts[:counted], size.Usage)
	// A system message behind the reply is folded into those in front of it, and counts
	// as what it says here.
	var rest int64
	for i := range c.Parts[counted:] {
		rest += c.Parts[counted+i].Estimate
	}
	if rest != size.Trailing {
		spread(c.Parts[counted:], size.Trailing)
	}
	return c
}

// partsOf returns the blocks of message i, each with its share of the estimate.
func partsOf(m session.Message, entry string, pairs []convo.Paired, i int) []Part {
	whole := Part{Role: m.Role(), Entry: entry, Kind: KindText}
	switch m.Role() {
	case session.RoleSystem:
		whole.Kind = KindSystem
	case session.RoleCompactionSummary, session.RoleBranchSummary:
		whole.Kind = KindSummary
	case session.RoleToolResult:
		whole.Kind, whole.Tool = KindResult, m.Str("toolName")
		if call, ok := convo.CallOf(pairs, i); ok {
			whole.Tool, whole.File = cmp.Or(call.Name, whole.Tool), compact.PathOf(call)
		}
	}
	var parts []Part
	if whole.Kind == KindText || whole.Kind == KindResult {
		for b := range m.Blocks() {
			p := whole
			p.Bytes = int64(len(b.Raw()))
			p.Estimate = convo.Estimate(m.WithContent("[" + b.Raw() + "]"))
			p.named(b)
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		whole.Bytes = int64(len(m.Raw()))
		parts = []Part{whole}
	}
	spreadEstimate(parts, convo.Estimate(m))
	return parts
}

// named says of a part what its block is.
func (p *Part) named(b session.Block) {
	switch b.Type {
	case "thinking", "redactedThinking":
		p.Kind = KindThinking
	case "image":
		p.Kind = KindImage
	case "toolCall":
		call := session.ToolCall{Name: b.Str("name"), Arguments: b.Get("arguments")}
		p.Kind, p.Tool, p.File = KindCall, call.Name, compact.PathOf(call)
	}
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

// shares divides a total by the estimates of parts, in whole numbers that add up to it:
// what is left over goes to the largest remainders. Without estimates the last gets all.
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

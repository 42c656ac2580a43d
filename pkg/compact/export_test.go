package compact

import (
	"cmp"
	"slices"

	"github.com/sess-tools/sess/pkg/session"
)

// The golden prompts of pi are of one prompt for everything, without a system
// prompt and without notes of images. Requests ask with the same functions, but
// cut a long conversation into several prompts.

// Prompt returns the prompt that one summary for everything answers.
func (p *Plan) Prompt(focus string) string {
	parts, previous, write := p.inOnePrompt()
	return write(promptData{SerializeParts(parts), previous, focus})
}

// HistoryPrompt returns the prompt for the summary of whole turns.
func (p *Plan) HistoryPrompt(focus string) string {
	return historyPrompt(promptData{SerializeParts(p.Summarize), p.PreviousSummary, focus})
}

// PrefixPrompt returns the prompt for the summary of the first part of a split
// turn.
func (p *Plan) PrefixPrompt(focus string) string {
	return prefixPrompt(promptData{conversation: SerializeParts(p.TurnPrefix), focus: focus})
}

// Serialize writes messages as the text a summarizer reads.
func Serialize(messages []session.Message) string { return serialize(messages) }

// SerializeParts is the same of the messages of parts.
func SerializeParts(parts []Part) string { return serialize(messagesOf(parts)) }

// Kept returns the entries of the path from the first kept one on, nil if copies
// are kept.
func (p *Plan) Kept() []session.Entry {
	i := slices.IndexFunc(p.path, func(e session.Entry) bool { return e.ID() == p.FirstKept })
	if p.FirstKept == "" || i < 0 {
		return nil
	}
	return p.path[i:]
}

// Dropped returns how many messages Drop has left out.
func (r *Request) Dropped() int { return r.dropped }

// PruneOptions are limits of [PruneLimited]: a zero field stands for opencode's, a negative number for none.
type PruneOptions struct {
	Turns            int
	Protect, Minimum int64
	Tools            []string // nil for opencode's
}

// PruneLimited is Prune with other limits.
func PruneLimited(path []session.Entry, o PruneOptions) (*Pruned, error) {
	limits := pruneLimits{cmp.Or(o.Turns, 2), cmp.Or(o.Protect, DefaultPruneProtect), cmp.Or(o.Minimum, DefaultPruneProtect/2), o.Tools}
	if o.Tools == nil {
		limits.tools = []string{"skill"}
	}
	return prune(path, limits)
}

// PrunedPrefix is what a placeholder begins with.
const PrunedPrefix = prunedPrefix

// Requested returns a request with prompts of one's own. What stands in front of a prompt does not count here.
func Requested(parts []Part, o PromptOptions, write func(conversation, previous string) string) *Request {
	r := newRequest(subject{PartBranch, "## X", parts, "", func(d promptData) string { return write(d.conversation, d.previous) }}, o)
	r.limit += len(System)
	return r
}

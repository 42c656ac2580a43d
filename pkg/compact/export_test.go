package compact

import (
	"slices"

	"github.com/sess-tools/sess/pkg/session"
)

// The golden prompts of pi are of one prompt for everything, without a system
// prompt and without notes of images. Requests ask with the same functions, but
// cut a long conversation into several prompts.

// Prompt returns the prompt that one summary for everything answers.
func (p *Plan) Prompt(focus string) string {
	d, parts, write := p.inOnePrompt()
	d.Conversation, d.Instructions = SerializeParts(parts), focus
	return write(d)
}

// HistoryPrompt returns the prompt for the summary of whole turns.
func (p *Plan) HistoryPrompt(focus string) string {
	return historyPrompt(PromptData{
		Conversation: SerializeParts(p.Summarize), PreviousSummary: p.PreviousSummary, Instructions: focus,
	})
}

// PrefixPrompt returns the prompt for the summary of the first part of a split
// turn.
func (p *Plan) PrefixPrompt(focus string) string {
	return prefixPrompt(PromptData{Conversation: SerializeParts(p.TurnPrefix), Instructions: focus})
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

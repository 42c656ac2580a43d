package compact

import (
	"cmp"
	"errors"
)

// The size of a prompt in bytes, System included.
const (
	DefaultMaxPrompt = 400_000
	// HardMaxPrompt is what every program known to refuse long input accepts:
	// codex takes 1,048,576 characters.
	HardMaxPrompt = 1_000_000
)

// What a Request asks a summary of.
const (
	PartHistory    = "history"     // whole turns
	PartTurnPrefix = "turn-prefix" // the first part of a split turn
	PartBranch     = "branch"      // a branch that is left
)

// ErrNoRoom is returned by Request.Next if what else a prompt has to hold leaves
// too little of it to the conversation.
var ErrNoRoom = errors.New("no room for the conversation in a prompt")

// PromptOptions say how to ask for a summary.
type PromptOptions struct {
	// Focus is added as further instructions, if any.
	Focus string
	// ResultLimit is how much of a tool result is shown, in UTF-16 units; 0
	// means the constant of that name, a negative number all of it.
	ResultLimit int
	// MaxPrompt bounds one prompt, in bytes, with what stands in front of it and
	// the newlines around it; 0 or less means DefaultMaxPrompt, more than
	// HardMaxPrompt that.
	MaxPrompt int
	// Write replaces the built-in prompt. It is called several times for one
	// prompt, also with an empty conversation, to learn how much room there is.
	Write func(PromptData) (string, error)
}

// PromptData is what a prompt is written from. Its fields are there for
// templates too: they are only ever added to.
type PromptData struct {
	Part            string   // PartHistory, PartTurnPrefix or PartBranch
	Heading         string   // the heading that the summary has to have
	Conversation    string   // this chunk of it, as text
	PreviousSummary string   // of all that is before this chunk, "" if there is none
	Instructions    string   // PromptOptions.Focus
	System          string   // what the model is told first; it is not added to a prompt made by PromptOptions.Write
	Chunk           int      // number of this chunk, from 1
	Chunks          int      // how many there are: equal to Chunk for the last, before that an estimate
	Dropped         int      // messages left out in front of this chunk; Conversation begins with a line that says so
	SplitTurn       bool     // a turn is split, its first part is or was summarized by another request
	ReadFiles       []string // files that were only read, sorted
	ModifiedFiles   []string // files that were written or edited, sorted
}

// A Subject is something to be summarized, from which a Request is made.
type Subject struct {
	Part      string // PartHistory, PartTurnPrefix or PartBranch
	Heading   string // the heading that the summary has to have
	Parts     []Part // oldest first
	Previous  string // the summary of what is before them, "" if there is none
	Files     FileOps
	SplitTurn bool
	Rules     Rules                   // of serialization
	Prompt    func(PromptData) string // the built-in prompt
}

// Requests returns what has to be asked for a plan's summary: that of the
// history, that of the first part of a split turn, or both in this order. If it
// fits into one prompt and has no image, that prompt is HistoryPrompt or
// PrefixPrompt.
func (p *Plan) Requests(o PromptOptions) []*Request {
	var out []*Request
	if p.NeedsHistory() {
		out = append(out, NewRequest(Subject{
			Part: PartHistory, Heading: RequiredHeading, Parts: p.Summarize, Previous: p.PreviousSummary,
			Files: p.Files, SplitTurn: p.SplitTurn, Rules: p.rules, Prompt: historyPrompt,
		}, o))
	}
	if p.NeedsPrefix() {
		out = append(out, NewRequest(Subject{
			Part: PartTurnPrefix, Heading: PrefixHeading, Parts: p.TurnPrefix,
			Files: p.Files, SplitTurn: p.SplitTurn, Rules: p.rules, Prompt: prefixPrompt(p.rules),
		}, o))
	}
	return out
}

// A Request asks for one summary. A conversation that is too long for one
// prompt is asked in chunks, each of which carries the summary of those before
// it:
//
//	for !r.Done() {
//		prompt, chunk, chunks, err := r.Next()
//		…                              // ask a model
//		r.Accept(reply)                // or, if that was too much: r.Drop()
//	}
//	summary := r.Summary()
//
// Chunks end between messages and leave a tool call with its result. What is
// longer than a whole chunk is cut where it has to be, a single text between two
// characters, and goes on in the next.
type Request struct {
	subject Subject
	base    PromptData // what all prompts have in common
	write   func(PromptData) (string, error)
	system  string
	limit   int // bytes of a prompt

	items []item
	rest  []int // bytes from each item on, separators included

	at       place  // where the chunk begins that is to be asked
	end      place  // and where it ends, if it was
	asked    bool   // by Next, and neither accepted nor dropped
	chunk    int    // its number, from 1
	most     int    // bytes of conversation in a chunk, by the overflows so far
	previous string // summary of all before the chunk
	reply    string // accepted last
	left     int    // messages dropped in front of the chunk
	dropped  int    // messages dropped in all
	cut      int    // 1 + the item of which a piece was dropped last
}

// NewRequest returns the request for a summary of s.
func NewRequest(s Subject, o PromptOptions) *Request {
	read, modified := s.Files.Lists()
	r := &Request{
		subject: s,
		base: PromptData{
			Part: s.Part, Heading: s.Heading, Instructions: o.Focus, System: System,
			SplitTurn: s.SplitTurn, ReadFiles: read, ModifiedFiles: modified,
		},
		write: o.Write, limit: o.MaxPrompt, most: HardMaxPrompt, chunk: 1, previous: s.Previous,
	}
	if r.write == nil {
		r.system = System
		r.write = func(d PromptData) (string, error) { return s.Prompt(d), nil }
	}
	if r.limit <= 0 {
		r.limit = DefaultMaxPrompt
	}
	r.limit = min(r.limit, HardMaxPrompt)
	r.items = itemsOf(s.Parts, serializer{rules: s.Rules, limit: cmp.Or(o.ResultLimit, ResultLimit), images: true})
	r.rest = make([]int, len(r.items)+1)
	for i := len(r.items) - 1; i >= 0; i-- {
		r.rest[i] = r.rest[i+1] + len(r.items[i].text) + len(separator)
	}
	return r
}

// Name returns what the summary is of: PartHistory, PartTurnPrefix or
// PartBranch.
func (r *Request) Name() string { return r.subject.Part }

// Heading returns the heading that every reply has to have.
func (r *Request) Heading() string { return r.subject.Heading }

// System returns what a model is told in front of each prompt, with a blank
// line between the two. It is "" with PromptOptions.Write, which is given it.
func (r *Request) System() string { return r.system }

// Done reports whether all has been asked and answered.
func (r *Request) Done() bool { return r.chunk > 1 && r.at.item == len(r.items) }

// Accept takes the reply to the prompt that Next returned last.
func (r *Request) Accept(reply string) {
	if !r.asked {
		return
	}
	r.previous, r.reply = reply, reply
	r.at, r.asked, r.left = r.end, false, 0
	r.chunk++
}

// Summary returns the reply that was accepted last: when all is done the
// summary of everything.
func (r *Request) Summary() string { return r.reply }

// Dropped returns how many messages were left out by Drop.
func (r *Request) Dropped() int { return r.dropped }

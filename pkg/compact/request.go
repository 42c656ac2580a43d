package compact

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
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
	// MaxPrompt bounds one prompt, in bytes, with the text in front of it and the newlines around
	// it; 0 or less means DefaultMaxPrompt, more than HardMaxPrompt that.
	MaxPrompt int
}

// promptData is what a prompt is written from.
type promptData struct {
	conversation string // this chunk of it, as text
	previous     string // the summary of all that is before this chunk, "" if there is none
	focus        string // PromptOptions.Focus
}

// A subject is something to be summarized, from which a Request is made.
type subject struct {
	part     string // PartHistory, PartTurnPrefix or PartBranch
	heading  string // the heading that the summary has to have
	parts    []Part // oldest first
	previous string // the summary of the chunks before them, "" if there is none
	prompt   func(promptData) string
}

// Requests returns what has to be asked for a plan's summary: that of the
// history, that of the first part of a split turn, or both in this order.
func (p *Plan) Requests(o PromptOptions) []*Request {
	var out []*Request
	if p.NeedsHistory() {
		out = append(out, newRequest(subject{PartHistory, RequiredHeading, p.Summarize, p.PreviousSummary, historyPrompt}, o))
	}
	if p.NeedsPrefix() {
		out = append(out, newRequest(subject{PartTurnPrefix, PrefixHeading, p.TurnPrefix, "", prefixPrompt}, o))
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
// Chunks end between messages and leave a tool call with its result. A message that is longer than
// a whole chunk is cut where it has to be, a single text between two characters, and goes on in the
// next.
type Request struct {
	subject subject
	focus   string
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

// newRequest returns the request for a summary of s.
func newRequest(s subject, o PromptOptions) *Request {
	r := &Request{subject: s, focus: o.Focus, limit: o.MaxPrompt, most: HardMaxPrompt, chunk: 1, previous: s.previous}
	if r.limit <= 0 {
		r.limit = DefaultMaxPrompt
	}
	r.limit = min(r.limit, HardMaxPrompt)
	r.items = itemsOf(s.parts, serializer{limit: cmp.Or(o.ResultLimit, ResultLimit), images: true})
	r.rest = make([]int, len(r.items)+1)
	for i := len(r.items) - 1; i >= 0; i-- {
		r.rest[i] = r.rest[i+1] + len(r.items[i].text) + len(separator)
	}
	return r
}

// Name returns what the summary is of: PartHistory, PartTurnPrefix or
// PartBranch.
func (r *Request) Name() string { return r.subject.part }

// Heading returns the heading that every reply has to have.
func (r *Request) Heading() string { return r.subject.heading }

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

// Next returns the prompt that is to be answered now, which stands behind [System] and a blank line, its number, and how many
// there will be: an estimate until chunk == chunks. It returns the same prompt
// until the reply is accepted or something is dropped.
//
// The error is ErrNoRoom if the conversation does not fit and the instructions
// and the summary so far leave less than a quarter of the prompt to it.
func (r *Request) Next() (prompt string, chunk, chunks int, err error) {
	if r.Done() {
		return "", 0, 0, errors.New("asking for a summary: everything has been answered")
	}
	bare := r.prompt("")
	room := r.limit - r.size(bare) - len(r.note())
	if r.length(r.at, r.last()) > room && room < max(r.limit/4, leastRoom) {
		return "", 0, 0, r.noRoom(bare)
	}
	for try := 0; ; try++ {
		room = min(room, r.most)
		end := r.take(room)
		text := r.conversation(end)
		chunks := r.chunk + int(math.Ceil(float64(r.length(end, r.last()))/float64(max(room, 1))))
		prompt := r.prompt(r.note() + text)
		size := r.size(prompt)
		if size <= r.limit {
			r.end, r.asked = end, true
			return prompt, r.chunk, chunks, nil
		}
		// What would end the prompt's tags is longer in the prompt than in the conversation.
		if room = len(text) - (size - r.limit); try == 0 {
			room = len(text) * (r.limit - r.size(bare)) / (size - r.size(bare))
		}
		if room < leastRoom {
			return "", 0, 0, r.noRoom(prompt)
		}
	}
}

// prompt writes the prompt for a piece of the conversation.
func (r *Request) prompt(conversation string) string {
	return r.subject.prompt(promptData{conversation, r.previous, r.focus})
}

// size returns how many bytes reach the model with a prompt.
func (r *Request) size(prompt string) int {
	return len(System) + len("\n\n") + len(prompt) + len("\n")
}

func (r *Request) noRoom(prompt string) error {
	return fmt.Errorf("%w of %d bytes: the rest takes %d, the summary so far %d of them; allow longer prompts",
		ErrNoRoom, r.limit, r.size(prompt), len(r.previous))
}

// Drop is for a prompt that the model found too long. It drops the oldest
// messages of the chunk that Next returned last, about a quarter of its bytes
// and at least one message, a tool call together with its results, so that the
// next prompt is shorter; so are those after it. The prompt says how many
// messages are missing. The previous summary is never dropped.
//
// It returns how many messages it dropped; one that is dropped in pieces counts
// once. It is not ok, and nothing is dropped, if nothing would be left to ask.
func (r *Request) Drop() (dropped int, ok bool) {
	end := r.last()
	if r.asked {
		end = r.end
	}
	size, at := r.length(r.at, end), r.at
	for at.before(end) && (size-r.length(at, end))*4 < size {
		next := r.unit(at, end)
		if next == r.last() {
			break
		}
		at = next
	}
	if at == r.at {
		return 0, false
	}
	if r.most = max(r.length(at, end), size/2, leastRoom); at == end {
		r.most = max(size*3/4, leastRoom)
	}
	dropped = at.item - r.at.item
	if at.byte > 0 {
		dropped++
	}
	again := 0 // a message of which a piece was dropped before
	if r.cut == r.at.item+1 {
		again = 1
	}
	if at.byte > 0 {
		r.cut = at.item + 1
	}
	if r.left += dropped; r.left > dropped {
		r.left -= again
	}
	r.at, r.asked = at, false
	r.dropped += dropped - again
	return dropped - again, true
}

// note tells that messages are missing, if any are.
func (r *Request) note() string {
	switch r.left {
	case 0:
		return ""
	case 1:
		return "[1 earlier message left out: the conversation is too long]" + separator
	}
	return fmt.Sprintf("[%d earlier messages left out: the conversation is too long]", r.left) + separator
}

// conversation returns the text of the chunk that ends at end.
func (r *Request) conversation(end place) string {
	var b strings.Builder
	for p := r.at; p.before(end); p = (place{item: p.item + 1}) {
		text := r.items[p.item].text
		if p.item == end.item {
			text = text[:end.byte]
		}
		if p != r.at {
			b.WriteString(separator)
		}
		if p.byte > 0 {
			b.WriteString(continued)
		}
		b.WriteString(text[p.byte:])
	}
	return b.String()
}

const (
	separator = "\n\n"          // between messages
	continued = "[Continued]: " // in front of the rest of a message
	leastRoom = 64              // bytes of conversation in a prompt, unless there is less
)

// An item is the text of a message.
type item struct {
	text  string
	bound bool // belongs to the item before: one has the call, the other the result, or they lie between
}

// A place lies in front of an item, or in front of a byte inside it.
type place struct{ item, byte int }

func (p place) before(q place) bool {
	return p.item < q.item || p.item == q.item && p.byte < q.byte
}

// itemsOf returns the messages that have a text.
func itemsOf(parts []Part, s serializer) []item {
	span := make([]candidate, len(parts))
	for i, p := range parts {
		span[i] = candidate{Projected: &convo.Projected{Messages: []session.Message{p.Message}}, cuts: true}
	}
	bindCalls(span)
	out := make([]item, 0, len(parts))
	bound := true
	for _, c := range span {
		bound = bound && !c.cuts
		if text := s.text(c.Messages); text != "" {
			out = append(out, item{text: text, bound: bound})
			bound = true
		}
	}
	return out
}

// last is the place behind all messages.
func (r *Request) last() place { return place{item: len(r.items)} }

// length returns how many bytes the messages between two places take.
func (r *Request) length(from, to place) int {
	if !from.before(to) {
		return 0
	}
	n := r.rest[from.item] - r.rest[to.item] - from.byte + to.byte
	if to.byte == 0 {
		n -= len(separator)
	}
	if from.byte > 0 {
		n += len(continued)
	}
	return n
}

// take returns the end of the chunk that begins at r.at and has room for so many
// bytes, at least leastRoom unless all fits.
func (r *Request) take(room int) place {
	p, used := r.at, 0
	for p.item < len(r.items) {
		next := place{item: p.item + 1}
		for next.item < len(r.items) && r.items[next.item].bound && r.length(p, next) <= room {
			next.item++
		}
		size := r.length(p, next)
		if used+size <= room {
			p, used = next, used+size+len(separator)
			continue
		}
		if size > room { // it has to be cut somewhere
			return r.split(p, used, room)
		}
		break
	}
	return p
}

// split takes a part of messages that belong together and are too large for a chunk: whole ones, or
// a piece of one that is too large itself.
func (r *Request) split(p place, used, room int) place {
	for first := true; p.item < len(r.items) && (first || r.items[p.item].bound); first = false {
		next := place{item: p.item + 1}
		size := r.length(p, next)
		if used+size <= room {
			p, used = next, used+size+len(separator)
			continue
		}
		if size > room && (p == r.at || room-used >= leastRoom) {
			return r.piece(p, room-used)
		}
		break
	}
	return p
}

// piece returns the end of the piece of the message at p that takes so many
// bytes. The message is longer.
func (r *Request) piece(p place, room int) place {
	if p.byte > 0 {
		room -= len(continued)
	}
	end := p.byte + room
	for !utf8.RuneStart(r.items[p.item].text[end]) {
		end--
	}
	return place{item: p.item, byte: end}
}

// unit returns the end of what Drop drops at once: the messages at p that belong
// together, as far as the chunk that ends at end holds them all, or else one, or
// the piece of one that the chunk holds.
func (r *Request) unit(p, end place) place {
	i := p.item + 1
	if i > end.item {
		return end
	}
	for i < end.item && r.items[i].bound {
		i++
	}
	if i == end.item && i < len(r.items) && r.items[i].bound {
		i = p.item + 1
	}
	return place{item: i}
}

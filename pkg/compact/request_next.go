package compact

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Next returns the prompt that is to be answered now, its number, and how many
// there will be: an estimate until chunk == chunks. It returns the same prompt
// until the reply is accepted or something is dropped.
//
// The error is ErrNoRoom if the conversation does not fit and the instructions
// and the summary so far leave less than a quarter of the prompt to it.
func (r *Request) Next() (prompt string, chunk, chunks int, err error) {
	if r.Done() {
		return "", 0, 0, errors.New("asking for a summary: everything has been answered")
	}
	bare, err := r.prompt("", r.chunk)
	if err != nil {
		return "", 0, 0, err
	}
	room := r.limit - r.size(bare) - len(r.note())
	if r.length(r.at, r.last()) > room && room < max(r.limit/4, leastRoom) {
		return "", 0, 0, r.noRoom(bare)
	}
	for try := 0; ; try++ {
		room = min(room, r.most)
		end := r.take(room)
		text := r.conversation(end)
		chunks := r.chunk + int(math.Ceil(float64(r.length(end, r.last()))/float64(max(room, 1))))
		prompt, err := r.prompt(r.note()+text, chunks)
		if err != nil {
			return "", 0, 0, err
		}
		size := r.size(prompt)
		if size <= r.limit {
			r.end, r.asked = end, true
			return prompt, r.chunk, chunks, nil
		}
		// A prompt of somebody's own may repeat the conversation, or add to it.
		if room = len(text) - (size - r.limit); try == 0 {
			room = len(text) * (r.limit - r.size(bare)) / (size - r.size(bare))
		}
		if room < leastRoom {
			return "", 0, 0, r.noRoom(prompt)
		}
	}
}

// prompt writes the prompt for a piece of the conversation.
func (r *Request) prompt(conversation string, chunks int) (string, error) {
	d := r.base
	d.Conversation, d.PreviousSummary = conversation, r.previous
	d.Chunk, d.Chunks, d.Dropped = r.chunk, chunks, r.left
	prompt, err := r.write(d)
	if err != nil {
		return "", fmt.Errorf("writing the prompt: %w", err)
	}
	return prompt, nil
}

// size returns how many bytes reach the model with a prompt.
func (r *Request) size(prompt string) int {
	return len(r.system) + len("\n\n") + len(prompt) + len("\n")
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

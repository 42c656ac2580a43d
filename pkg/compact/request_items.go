package compact

import (
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/session"
)

const (
	separator = "\n\n"          // between messages
	continued = "[Continued]: " // in front of the rest of a message
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
		span[i] = candidate{messages: []session.Message{p.Message}, cuts: true}
	}
	bindCalls(span)
	out := make([]item, 0, len(parts))
	bound := true
	for _, c := range span {
		bound = bound && !c.cuts
		if text := s.text(c.messages); text != "" {
			out = append(out, item{text: text, bound: bound})
			bound = true
		}
	}
	return out
}

// remaining returns how many bytes of conversation there are from p on.
func (r *Request) remaining(p place) int {
	return r.lead(p) + max(0, r.rest[p.item]-p.byte-len(separator))
}

// lead returns the length of what is put in front of the messages at p.
func (r *Request) lead(p place) (n int) {
	if p == r.at {
		n = r.noteLen()
	}
	if p.byte > 0 {
		n += len(continued)
	}
	return n
}

// noteLen returns the length of what tells that messages are missing.
func (r *Request) noteLen() int {
	if r.left == 0 {
		return 0
	}
	return len(leftOut(r.left)) + len(separator)
}

// length returns how many bytes the messages between two places take.
func (r *Request) length(from, to place) int {
	if !from.before(to) {
		return 0
	}
	n := to.byte - from.byte - len(separator)
	if from.byte > 0 {
		n += len(continued)
	}
	if to.byte > 0 {
		n += len(separator)
	}
	return n + r.rest[from.item] - r.rest[to.item]
}

// take returns the end of the chunk that begins at r.at and has room for so many
// bytes, and for no more of messages than overflows have taught. It takes at
// least one character.
func (r *Request) take(room int) place {
	room = min(room, r.most+r.noteLen())
	p, used := r.at, 0
	for p.item < len(r.items) {
		next, size := r.group(p, room)
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

// group returns the end of the messages at p that belong together and their
// size, for which it looks no further than room.
func (r *Request) group(p place, room int) (end place, size int) {
	size = r.lead(p) + len(r.items[p.item].text) - p.byte
	i := p.item + 1
	for i < len(r.items) && r.items[i].bound && size <= room {
		size += len(separator) + len(r.items[i].text)
		i++
	}
	return place{item: i}, size
}

// split takes what it can of messages that belong together and are too large
// for a chunk: whole ones, or a piece of one that is too large itself.
func (r *Request) split(p place, used, room int) place {
	for first := true; p.item < len(r.items) && (first || r.items[p.item].bound); first = false {
		size := r.lead(p) + len(r.items[p.item].text) - p.byte
		if used+size > room {
			if size > room {
				return r.piece(p, room-used)
			}
			break
		}
		p, used = place{item: p.item + 1}, used+size+len(separator)
	}
	return p
}

// piece returns the end of the piece of the message at p that has room. If
// nothing else is in the chunk, it has at least one character.
func (r *Request) piece(p place, room int) place {
	text := r.items[p.item].text
	end := min(len(text), p.byte+max(0, room-r.lead(p)))
	for end > p.byte && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	if end > p.byte || p != r.at {
		return place{item: p.item, byte: end}.normal(len(text))
	}
	for end++; end < len(text) && !utf8.RuneStart(text[end]); end++ {
	}
	return place{item: p.item, byte: end}.normal(len(text))
}

// normal returns the place behind an item of that many bytes as the one in front
// of the next.
func (p place) normal(size int) place {
	if p.byte == size {
		return place{item: p.item + 1}
	}
	return p
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

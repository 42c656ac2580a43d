package compact

import (
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/session"
)

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
		next := r.group(p, room)
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

// group returns the end of the messages at p that belong together, for which it
// looks no further than room.
func (r *Request) group(p place, room int) place {
	end := place{item: p.item + 1}
	for end.item < len(r.items) && r.items[end.item].bound && r.length(p, end) <= room {
		end.item++
	}
	return end
}

// split takes what it can of messages that belong together and are too large
// for a chunk: whole ones, or a piece of one that is too large itself.
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

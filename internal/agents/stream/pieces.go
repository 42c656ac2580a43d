package stream

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
)

// Kinds of pieces.
const (
	pieceText = iota
	pieceThinking
	pieceCall
)

// Pieces are the blocks of a message that comes in deltas, by their place in it.
type pieces struct {
	list   []*piece
	places map[int]*piece
	size   int // bytes of all
}

// A piece is one block as far as it came.
type piece struct {
	of        *pieces
	index     int
	kind      int
	id, name  string // of a call
	signature string // of thinking
	text      strings.Builder
}

// at returns the piece at a place, which is of that kind if it is a new one.
func (p *pieces) at(index, kind int) *piece {
	if have := p.places[index]; have != nil {
		return have
	}
	made := &piece{of: p, index: index, kind: kind}
	if !p.room(0) {
		return made // which comes to nothing
	}
	if p.places == nil {
		p.places = map[int]*piece{}
	}
	p.places[index] = made
	p.list = append(p.list, made)
	return made
}

// write adds to a piece.
func (p *piece) write(delta string) {
	if p.of.size += len(delta); p.of.size <= maxValue {
		p.text.Grow(len(delta)) // to the double: append gives a large text but a quarter more
		p.text.WriteString(delta)
	}
}

// set replaces what a piece has.
func (p *piece) set(whole string) {
	p.text.Reset()
	p.write(whole)
}

// blocks returns the blocks, in their order. A call whose arguments are not whole is left
// out: a model could not be shown it.
func (p *pieces) blocks(rec *recorder) []string {
	var out []string
	slices.SortStableFunc(p.list, func(a, b *piece) int { return a.index - b.index })
	if p.size > maxValue {
		rec.problem("a message of more than %d bytes is cut", maxValue)
	}
	for _, piece := range p.list {
		text := piece.text.String()
		switch {
		case piece.kind == pieceThinking && text+piece.signature != "":
			out = append(out, api.Thinking(text, piece.signature))
		case piece.kind == pieceText && text != "":
			out = append(out, api.Text(text))
		case piece.kind != pieceCall:
		case js.Value(text).IsObject() && js.Valid([]byte(text)):
			out = append(out, api.ToolCall(piece.id, piece.name, text))
		default:
			rec.warn("a call of %q is left out, for its arguments are not whole", piece.name)
		}
	}
	return out
}

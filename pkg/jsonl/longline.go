package jsonl

import "runtime/debug"

const (
	// pieceSize is how many bytes of a long line are held in one piece.
	pieceSize = 4 << 20
	// hugeLine is the length in bytes from which on the memory of a line counts
	// for more than the time of a garbage collection.
	hugeLine = 32 << 20
)

// room returns memory for a line of n bytes. Lines of that size that nobody has any more
// are given back first: the collector begins in time, but need not be ready in time.
func room(n int) []byte {
	if n >= hugeLine {
		debug.FreeOSMemory()
	}
	return make([]byte, n)
}

// A longLine collects a line whose length is not known yet. A slice that is
// appended to would be copied as it grows, and its old copies together weigh
// several times the line before they are collected; pieces are copied once.
type longLine struct {
	full [][]byte
	last []byte
}

func (p *longLine) begun() bool { return len(p.full)+len(p.last) > 0 }

func (p *longLine) add(part []byte) {
	if len(p.last)+len(part) > pieceSize {
		p.full = append(p.full, p.last)
		p.last = make([]byte, 0, pieceSize)
	}
	p.last = append(p.last, part...)
}

// end returns the whole line, of which part is the rest, and begins another. The
// memory of lines of one piece is used again; a longer line has its own.
func (p *longLine) end(part []byte) (line []byte, own bool) {
	p.add(part)
	if len(p.full) == 0 {
		line = p.last
		p.last = p.last[:0]
		return line, false
	}
	size := len(p.last)
	for _, piece := range p.full {
		size += len(piece)
	}
	line = room(size)[:0]
	for _, piece := range p.full {
		line = append(line, piece...)
	}
	line = append(line, p.last...)
	*p = longLine{}
	if len(line) >= hugeLine {
		// The pieces are garbage as large as the line. Whoever makes something
		// of the line does so next, and would take fresh memory for it; which
		// it may even if the pieces are collected, as it may not fit in there.
		debug.FreeOSMemory()
	}
	return line, true
}

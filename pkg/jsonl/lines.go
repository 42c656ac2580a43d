package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"math"
	"runtime/debug"
	"sync"
	"unsafe"
)

// blockSize is the unit of reading in bytes.
const blockSize = 64 << 10

// A Line is one line of a log.
type Line struct {
	// Data is the line without its line feed. It is borrowed: it must not be
	// changed, and the next iteration may overwrite it.
	Data []byte
	// Offset is the position of the line's first byte, counted in bytes from
	// the start of the log.
	Offset int64
	// Number is the line's number, 1 for the first; 0 if read backward.
	Number int
	// Torn says that the log ended before the line feed.
	Torn bool

	own bool // Data is the line's own: no iteration overwrites it
}

// Text returns the line as a string to keep. It copies the line only if a later
// iteration may overwrite it, which is not so for huge lines, for lines of a [Block]
// and for lines that were read backward.
func (l Line) Text() string {
	if l.own {
		return unsafe.String(unsafe.SliceData(l.Data), len(l.Data))
	}
	return string(l.Data)
}

// End returns the offset just past the line and its line feed.
func (l Line) End() int64 {
	end := l.Offset + int64(len(l.Data))
	if !l.Torn {
		end++
	}
	return end
}

// Lines iterates over the lines of r from first to last. Blank lines and lines
// that are not JSON are lines as well. A line may be as long as memory allows.
//
// A last line without a line feed is yielded as torn, which is not an error. An
// error of r ends the iteration; it comes with a Line that has no data, but the
// offset and number of the line that could not be read.
//
// The sequence reads r ahead of the lines that it yields, and can be used once.
func Lines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		br := bufio.NewReaderSize(r, blockSize)
		var long longLine // the beginning of a line that outgrew br
		at := Line{Number: 1}
		for {
			part, err := br.ReadSlice('\n')
			if errors.Is(err, bufio.ErrBufferFull) {
				long.add(part)
				continue
			}
			if err != nil && !errors.Is(err, io.EOF) {
				yield(at, err)
				return
			}
			l := at
			if long.begun() {
				part, l.own = long.end(part)
			}
			if len(part) == 0 {
				return
			}
			l.Data, l.Torn = part, err != nil
			if !l.Torn {
				l.Data = part[:len(part)-1]
			}
			if !yield(l, nil) || l.Torn {
				return
			}
			at = Line{Offset: l.End(), Number: l.Number + 1}
		}
	}
}

const (
	// pieceSize is how many bytes of a long line are held in one piece.
	pieceSize = 4 << 20
	// hugeLine is the length in bytes from which on the memory of a line counts
	// for more than the time of a garbage collection.
	hugeLine = 32 << 20
)

// room returns memory for a line of n bytes. Lines of that size that are not in use any more
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
		// The pieces are garbage as large as the line. A caller that makes something
		// of the line does so next, and would take fresh memory for it; which
		// it may even if the pieces are collected, as it may not fit in there.
		debug.FreeOSMemory()
	}
	return line, true
}

// The sizes in bytes of a Block whose lines are not longer.
const (
	largeBlock = 256 << 10
	hugeBlock  = 1 << 20
	hugeFrom   = 16 << 20
)

// A Block is a run of lines in memory that nothing else uses. It may be kept, or given back by
// [Block.Free].
type Block struct {
	Data   []byte // whole lines with their line feeds
	Offset int64  // of the first line, in bytes from the start of the log
	Torn   bool   // the log ended before the line feed of the last line
}

var blockPool = sync.Pool{New: func() any { return new([largeBlock]byte) }}

func newBlock(huge bool) []byte {
	if huge {
		return make([]byte, hugeBlock) // never freed, so not from the pool
	}
	return blockPool.Get().(*[largeBlock]byte)[:]
}

// Free gives the block's memory back to be used again. The block, its lines and
// their texts must not be used afterwards.
func (b Block) Free() {
	if cap(b.Data) == largeBlock {
		blockPool.Put((*[largeBlock]byte)(b.Data[:largeBlock]))
	}
}

// Text returns a part of the block as a string to keep, even when the block is given back.
// A block of one long line, or one to keep, is not, and its text is not copied.
func (b Block) Text(from, to int) string {
	part := b.Data[from:to]
	if cap(b.Data) == largeBlock {
		return string(part)
	}
	return unsafe.String(unsafe.SliceData(part), len(part))
}

// Lines iterates over the lines of the block, without numbers. A line's text
// shares the block's memory.
func (b Block) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for at := 0; at < len(b.Data); {
			l := Line{Offset: b.Offset + int64(at), own: true}
			n := bytes.IndexByte(b.Data[at:], '\n')
			if l.Torn = n < 0; l.Torn {
				n = len(b.Data) - at
			}
			l.Data = b.Data[at : at+n : at+n]
			if !yield(l) {
				return
			}
			at += n + 1
		}
	}
}

// Blocks yields the lines of r in blocks of up to 256 KiB, for a reader that keeps many of them or
// divides the work. A longer line is a block by itself. Errors are as by [Lines]; they come with a
// Block that has only an offset.
func Blocks(r io.Reader) iter.Seq2[Block, error] { return blocks(r, math.MaxInt64) }

// BlocksToKeep is Blocks for a reader that keeps them all, who loses half a line at the end of each: behind the first 16 MiB
// they are of up to 1 MiB.
func BlocksToKeep(r io.Reader) iter.Seq2[Block, error] { return blocks(r, hugeFrom) }

func blocks(r io.Reader, hugeFrom int64) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		var offset int64
		buf, n := newBlock(false), 0
		for {
			got, err := readFull(r, buf[n:])
			n += got
			if err != nil && !errors.Is(err, io.EOF) {
				whole := bytes.LastIndexByte(buf[:n], '\n') + 1
				if whole == 0 || yield(Block{Data: buf[:whole], Offset: offset}, nil) {
					yield(Block{Offset: offset + int64(whole)}, err)
				}
				return
			}
			if err != nil {
				if n > 0 {
					yield(Block{Data: buf[:n], Offset: offset, Torn: buf[n-1] != '\n'}, nil)
				}
				return
			}
			b := Block{Data: buf[:bytes.LastIndexByte(buf[:n], '\n')+1]}
			rest := buf[len(b.Data):n]
			if len(b.Data) == 0 {
				if b, rest, err = longBlock(r, buf); err != nil {
					yield(Block{Offset: offset}, err)
					return
				}
			}
			b.Offset = offset
			offset += int64(len(b.Data))
			next := newBlock(offset >= hugeFrom)
			n = copy(next, rest)
			if !yield(b, nil) || b.Torn {
				return
			}
			buf = next
		}
	}
}

// longBlock returns the line that begins with all of buf, and what was read
// behind it.
func longBlock(r io.Reader, buf []byte) (b Block, rest []byte, err error) {
	var long longLine
	part := buf
	for {
		long.add(part)
		n, err := readFull(r, buf)
		part = buf[:n]
		feed := bytes.IndexByte(part, '\n')
		switch {
		case feed >= 0:
			b.Data, _ = long.end(part[:feed+1])
			return b, part[feed+1:], nil
		case errors.Is(err, io.EOF):
			b.Data, _ = long.end(part)
			b.Torn = true
			return b, nil, nil
		case err != nil:
			return b, nil, err
		}
	}
}

// readFull reads until p is full or r has an error.
func readFull(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var got int
		got, err = r.Read(p[n:])
		n += got
	}
	return n, err
}

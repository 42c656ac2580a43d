package jsonl

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"sync"
)

// largeBlock is the size in bytes of a Block whose lines are not longer.
const largeBlock = 256 << 10

// A Block is a run of lines in memory of its own: whoever gets it may keep it, or
// give it back.
type Block struct {
	Data   []byte // whole lines with their line feeds
	Offset int64  // of the first line, in bytes from the start of the log
	Torn   bool   // the log ended before the line feed of the last line
}

var blockPool = sync.Pool{New: func() any { return new([largeBlock]byte) }}

// Free gives the block's memory back. Nothing may use it any more.
func (b Block) Free() {
	if cap(b.Data) == largeBlock {
		blockPool.Put((*[largeBlock]byte)(b.Data[:largeBlock]))
	}
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

// Blocks is [Lines] in blocks of about a megabyte, for a reader who keeps most of
// it, or who divides the work. A line that is longer is a block.
func Blocks(r io.Reader) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		var offset int64
		buf, n := blockPool.Get().(*[largeBlock]byte), 0
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
			next := blockPool.Get().(*[largeBlock]byte)
			n = copy(next[:], rest)
			offset += int64(len(b.Data))
			if !yield(b, nil) || b.Torn {
				return
			}
			buf = next
		}
	}
}

// longBlock returns the line that begins with all of buf, and what was read
// behind it.
func longBlock(r io.Reader, buf *[largeBlock]byte) (b Block, rest []byte, err error) {
	var long longLine
	part := buf[:]
	for {
		long.add(part)
		n, err := readFull(r, buf[:])
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

// readFull reads until p is full or nothing more is to be had.
func readFull(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var got int
		got, err = r.Read(p[n:])
		n += got
	}
	return n, err
}

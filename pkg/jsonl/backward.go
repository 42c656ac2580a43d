package jsonl

import (
	"bytes"
	"errors"
	"io"
	"iter"
)

// firstBlock is how many bytes are read backward at first: most who ask for the
// end of a log want its last line, and most lines are short.
const firstBlock = 16 << 10

// longTail is the length in bytes from which on a line that is read backward is
// measured before it is read, rather than held while its beginning is looked for.
const longTail = 4 << 20

// Backward iterates over the lines of the first size bytes of r from last to
// first. It yields what [Lines] yields, the other way round and without
// numbers, and reads only as far as it is asked to: 16 KiB, then 64 KiB at a
// time, and as much again as it already holds while a line is longer than that.
// A line of more than 4 MiB is read twice, first to find where it begins.
//
// Lines that were yielded are not overwritten, so that [Line.Text] copies nothing. A line that is
// kept keeps the block it was read with in memory.
//
// A last line without a line feed is yielded as torn, which is not an error. An
// error of r ends the iteration; r having fewer than size bytes is
// [io.ErrUnexpectedEOF]. The error comes with a Line that has no data, but the
// offset at which reading went wrong.
func Backward(r io.ReaderAt, size int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		b := backward{r: r, lo: size}
		for first := true; b.lo > 0; first = false {
			if at, err := b.grow(); err != nil {
				yield(Line{Offset: at}, err)
				return
			}
			if first {
				b.torn = b.buf[b.end-1] != '\n'
				if !b.torn {
					b.end--
					b.feeds = b.feeds[:len(b.feeds)-1]
				}
			}
			if !b.yieldWhole(yield) {
				return
			}
			switch {
			case b.lo == 0:
				b.yieldFrom(0, yield)
			case b.end >= longTail:
				if !b.long(yield) {
					return
				}
			}
		}
	}
}

// backward holds the bytes from lo up to, but without, the line feed of the
// last line that is still to be yielded.
type backward struct {
	r     io.ReaderAt
	lo    int64  // offset of buf[0]
	buf   []byte // what was read and has not been yielded is buf[:end]; the rest belongs to who has it
	end   int
	feeds []int // positions in buf of the line feeds of the newest block
	torn  bool  // the line that ends at end has no line feed
}

// grow reads the block before lo. On an error it returns the offset at which
// reading stopped.
func (b *backward) grow() (int64, error) {
	least := blockSize
	if b.buf == nil {
		least = firstBlock
	}
	// Reading as much as is held keeps the copying linear in a line's length.
	n := int(min(b.lo, int64(max(least, b.end))))
	grown := make([]byte, n+b.end)
	copy(grown[n:], b.buf[:b.end])
	b.buf = grown
	block := b.buf[:n]
	if at, err := b.readAt(block, b.lo-int64(n)); err != nil {
		return at, err
	}
	b.lo -= int64(n)
	b.end += n
	// Searching forward is several times faster than bytes.LastIndexByte.
	b.feeds = b.feeds[:0]
	for i := 0; ; i++ {
		j := bytes.IndexByte(block[i:], '\n')
		if j < 0 {
			return 0, nil
		}
		i += j
		b.feeds = append(b.feeds, i)
	}
}

// readAt fills p from off. On an error it returns the offset at which reading
// stopped.
func (b *backward) readAt(p []byte, off int64) (int64, error) {
	got, err := b.r.ReadAt(p, off)
	if got == len(p) {
		return 0, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return off + int64(got), err
}

// long yields the line whose end is held: it finds its beginning, holding one block at a time, and
// reads it into new memory. It reports false if the iteration has ended.
func (b *backward) long(yield func(Line, error) bool) bool {
	end := b.lo + int64(b.end)
	start, at, err := b.lineStart()
	if err != nil {
		return yield(Line{Offset: at}, err) && false
	}
	l := Line{Offset: start, Data: room(int(end - start)), Torn: b.torn, own: true}
	if at, err := b.readAt(l.Data, start); err != nil {
		return yield(Line{Offset: at}, err) && false
	}
	b.torn = false
	if !yield(l, nil) || start == 0 {
		return false
	}
	b.lo, b.end = start-1, 0 // the end of the line before
	if b.lo == 0 {
		return b.yieldFrom(0, yield) && false
	}
	return true
}

// lineStart returns the offset behind the last line feed before lo. On an error
// it returns the offset at which reading stopped.
func (b *backward) lineStart() (start, at int64, err error) {
	for lo := b.lo; lo > 0; {
		block := b.buf[:min(lo, 16*blockSize)]
		lo -= int64(len(block))
		if at, err := b.readAt(block, lo); err != nil {
			return 0, at, err
		}
		if i := bytes.LastIndexByte(block, '\n'); i >= 0 {
			return lo + int64(i) + 1, 0, nil
		}
	}
	return 0, 0, nil
}

// yieldWhole yields the lines that begin in buf, all but the one at its start, whose
// beginning may not have been read yet.
func (b *backward) yieldWhole(yield func(Line, error) bool) bool {
	for i := len(b.feeds) - 1; i >= 0; i-- {
		if !b.yieldFrom(b.feeds[i]+1, yield) {
			return false
		}
		b.end = b.feeds[i]
	}
	return true
}

func (b *backward) yieldFrom(start int, yield func(Line, error) bool) bool {
	l := Line{Data: b.buf[start:b.end:b.end], Offset: b.lo + int64(start), Torn: b.torn, own: true}
	b.torn = false
	return yield(l, nil)
}

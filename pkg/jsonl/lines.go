package jsonl

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"unsafe"
)

// blockSize is the unit of reading in bytes.
const blockSize = 64 << 10

// A Line is one line of a log.
type Line struct {
	// Data is the line without its line feed. It is borrowed: the next
	// iteration may overwrite it, and nobody else may.
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

// Text returns the line as a string to keep. It copies only what will be
// overwritten: not a huge line, nor one that was read backward.
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
// The sequence reads r ahead of what it yields, and can be used once.
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

package seg

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// findBlock is how many bytes of the index are searched at once.
const findBlock = 1 << 20

// find returns the row of id. The index is searched as bytes, block by block from
// its end, and only a row that has the id somewhere is parsed.
func (v *view) find(id string) (row, error) {
	want := []byte(js.Quote(id))
	buf := make([]byte, 0, min(v.size, findBlock)+int64(len(want)))
	for end := v.size; end > 0; {
		start := max(0, end-findBlock)
		// The end overlaps with the block that was searched before.
		block := buf[:min(end+int64(len(want))-1, v.size)-start]
		if n, err := v.f.ReadAt(block, start); n < len(block) {
			return row{}, about("reading the index", errors.Join(err, io.ErrUnexpectedEOF))
		}
		r, found, err := v.findIn(block, start, want, id)
		if found || err != nil {
			return r, err
		}
		end = start
	}
	return row{}, fmt.Errorf("entry %q: %w", id, ErrNotFound)
}

// findIn looks for the row of id in one block, at the byte offset start.
func (v *view) findIn(block []byte, start int64, want []byte, id string) (row, bool, error) {
	for at := 0; ; {
		i := bytes.Index(block[at:], want)
		if i < 0 {
			return row{}, false, nil
		}
		at += i + 1
		r := v.rowAround(start + int64(at))
		if r.err != nil || r.id == id {
			return r.row, r.err == nil, r.err
		}
	}
}

// rowAround returns the row that holds the byte before the offset at.
func (v *view) rowAround(at int64) rowOr {
	from := int64(0)
	for l, err := range jsonl.Backward(v.f, at) {
		if err != nil {
			return toRow(l, err)
		}
		from = l.Offset
		break
	}
	for _, r := range v.rows(from) {
		return r
	}
	return rowOr{err: about("reading the index", io.ErrUnexpectedEOF)}
}

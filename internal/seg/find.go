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

// find returns the row of id.
func (v *view) find(id string) (row, error) {
	t := v.table()
	defer t.close()
	r, found, err := v.search(id, t.covered())
	if found || err != nil {
		return r, err
	}
	if t != nil {
		if r, found, err = v.findByTable(t, id); err != nil { // all that is lost is time
			r, found, err = v.search(id, 0)
		}
	}
	if !found && err == nil {
		err = fmt.Errorf("entry %q: %w", id, ErrNotFound)
	}
	return r, err
}

// findByTable returns the row of id as far as the table covers the index. An error
// is one of the table.
func (v *view) findByTable(t *idTable, id string) (out row, found bool, err error) {
	terr := t.rows(id, func(at int64) bool {
		if at >= v.size { // not of this view
			return false
		}
		for _, r := range v.rows(at) {
			if err = r.err; r.err == nil && r.id == id {
				out, found = r.row, true
			}
			break
		}
		return found || err != nil
	})
	return out, found, errors.Join(err, terr)
}

// search looks for the row of id from the byte offset least on. The index is
// searched as bytes, block by block from its end, and only a row that has the id
// somewhere is parsed.
func (v *view) search(id string, least int64) (row, bool, error) {
	want := []byte(js.Quote(id))
	buf := make([]byte, 0, min(v.size, findBlock)+int64(len(want)))
	for end := v.size; end > least; {
		start := max(least, end-findBlock)
		// The end overlaps with the block that was searched before.
		block := buf[:min(end+int64(len(want))-1, v.size)-start]
		if n, err := v.f.ReadAt(block, start); n < len(block) {
			return row{}, false, about("reading the index", errors.Join(err, io.ErrUnexpectedEOF))
		}
		r, found, err := v.findIn(block, start, want, id)
		if found || err != nil {
			return r, found, err
		}
		end = start
	}
	return row{}, false, nil
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

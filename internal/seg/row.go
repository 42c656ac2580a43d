package seg

import (
	"fmt"
	"strconv"

	"github.com/sess-tools/sess/pkg/js"
)

// A row is one line of the offset index.
type row struct {
	seq, segment, number int64
	id                   string
	offset, length       int64 // of the frame with its line feed
	crc                  string
	extended             bool
}

func (r row) end() int64 { return r.offset + r.length }

// encode appends the row as its line, with the line feed.
func (r *row) encode(b []byte) []byte {
	schema := rowSchema
	if r.extended {
		schema = rowExtended
	}
	b = append(append(b, `{"schema":"`...), schema...)
	b = strconv.AppendInt(append(b, `","entrySeq":`...), r.seq, 10)
	b = js.AppendQuote(append(b, `,"entryId":`...), r.id)
	b = strconv.AppendInt(append(b, `,"segmentSeq":`...), r.segment, 10)
	b = strconv.AppendInt(append(b, `,"frameSeq":`...), r.number, 10)
	b = strconv.AppendInt(append(b, `,"byteOffset":`...), r.offset, 10)
	b = strconv.AppendInt(append(b, `,"byteLength":`...), r.length, 10)
	b = append(append(b, `,"crc32c":"`...), r.crc...)
	return append(b, "\",\"state\":\"active\"}\n"...)
}

var rowMembers = []string{
	"schema", "entrySeq", "entryId", "segmentSeq", "frameSeq", "byteOffset", "byteLength", "crc32c", "state",
}

// parseRow reads a row without its line feed.
func parseRow(line string) (row, error) {
	if r, ok := exactRow(line); ok {
		return r, nil
	}
	return parseAnyRow(line)
}

// parseAnyRow reads a row whose members may stand in any order.
func parseAnyRow(line string) (row, error) {
	var m [9]string
	if err := members(line, rowMembers, m[:]); err != nil {
		return row{}, err
	}
	p := fieldParser{}
	r := row{
		seq: p.count(m[1], "entrySeq"), id: p.text(m[2], "entryId"), segment: p.count(m[3], "segmentSeq"),
		number: p.count(m[4], "frameSeq"), offset: p.count(m[5], "byteOffset"), length: p.count(m[6], "byteLength"),
		crc: p.text(m[7], "crc32c"), extended: p.schema(m[0], rowSchema, rowExtended),
	}
	if s := p.text(m[8], "state"); p.err == nil && s != "active" {
		p.err = fmt.Errorf("state is %.20q, not active", s)
	}
	return r, p.err
}

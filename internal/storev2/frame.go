package storev2

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// Schema ids of the wire format, and ours for objects that it does not have.
const (
	frameSchema    = "pi.session_store_v2.segment_frame.v1"
	frameExtended  = "sess.session_store_v2.segment_frame.v1"
	rowSchema      = "pi.session_store_v2.offset_index.v1"
	rowExtended    = "sess.session_store_v2.offset_index.v1"
	genesis        = "0000000000000000000000000000000000000000000000000000000000000000"
	maxFrame       = 100 << 20 // what pi reads as one line
	defaultSegment = 64 << 20
)

// castagnoli is made when it is first asked for, and not whenever a program starts.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// A frame is one entry as it stands in a segment.
type frame struct {
	segment, number, seq int64
	id, parent, typ      string // parent is "" for a root
	at                   string
	sha                  string // of payload
	size                 int64  // of payload, in bytes
	payload              string // the entry's JSON text
	line                 string // the same with the white space that stood around it
	extended             bool   // under our own schema id
}

// checksum returns the CRC-32C as the index has it: eight upper-case hex digits.
func checksum(b []byte) string {
	const digits = "0123456789ABCDEF"
	sum := crc32.Checksum(b, castagnoli())
	var out [8]byte
	for i := range out {
		out[i] = digits[sum>>(28-4*i)&15]
	}
	return string(out[:])
}

func hexSum(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// link returns the chain value after a payload, from the one before it.
func link(chain, payloadSHA string) string { return hexSum(chain + payloadSHA) }

// encode returns the frame as its line, with the line feed.
func (f *frame) encode() []byte {
	schema := frameSchema
	if f.extended {
		schema = frameExtended
	}
	b := make([]byte, 0, len(f.line)+512)
	b = append(append(b, `{"schema":"`...), schema...)
	b = strconv.AppendInt(append(b, `","segmentSeq":`...), f.segment, 10)
	b = strconv.AppendInt(append(b, `,"frameSeq":`...), f.number, 10)
	b = strconv.AppendInt(append(b, `,"entrySeq":`...), f.seq, 10)
	b = js.AppendQuote(append(b, `,"entryId":`...), f.id)
	if f.parent != "" {
		b = js.AppendQuote(append(b, `,"parentEntryId":`...), f.parent)
	}
	b = js.AppendQuote(append(b, `,"entryType":`...), f.typ)
	b = js.AppendQuote(append(b, `,"timestamp":`...), f.at)
	b = append(append(b, `,"payloadSha256":"`...), f.sha...)
	b = strconv.AppendInt(append(b, `","payloadBytes":`...), f.size, 10)
	b = append(append(b, `,"payload":`...), f.line...)
	return append(b, "}\n"...)
}

var frameMembers = []string{
	"schema", "segmentSeq", "frameSeq", "entrySeq", "entryId", "parentEntryId",
	"entryType", "timestamp", "payloadSha256", "payloadBytes", "payload",
}

// parseFrame reads a frame without its line feed, its members in any order. It checks
// the form of all members, but neither hash nor numbers.
func parseFrame(line string) (frame, error) {
	var m [11]string
	if err := members(line, frameMembers, m[:]); err != nil {
		return frame{}, err
	}
	p := fieldParser{}
	f := frame{
		segment: p.count(m[1], "segmentSeq"), number: p.count(m[2], "frameSeq"), seq: p.count(m[3], "entrySeq"),
		id: p.text(m[4], "entryId"), typ: p.text(m[6], "entryType"), at: p.text(m[7], "timestamp"),
		sha: p.text(m[8], "payloadSha256"), size: p.count(m[9], "payloadBytes"), payload: m[10],
	}
	f.extended = p.schema(m[0], frameSchema, frameExtended)
	if m[5] != "" && m[5] != "null" {
		if f.parent = p.text(m[5], "parentEntryId"); f.parent == "" && p.err == nil {
			p.err = errors.New("parentEntryId is empty")
		}
	}
	if p.err == nil && !strings.HasPrefix(f.payload, "{") {
		p.err = errors.New("payload is no object")
	}
	if _, ok := js.ParseTime(f.at); !ok && p.err == nil {
		p.err = fmt.Errorf("timestamp %.40q is no time", f.at)
	}
	f.line = padded(line, f.payload)
	return f, p.err
}

// padded returns the payload with the white space around it, if it is the last
// member, as it is in every frame of ours.
func padded(line, payload string) string {
	end := strings.LastIndexByte(line, '}')
	if end < 0 {
		return payload
	}
	body := line[:end]
	last := len(strings.TrimRight(body, " \t\r"))
	if !strings.HasSuffix(body[:last], payload) {
		return payload
	}
	start := last - len(payload)
	start = len(strings.TrimRight(body[:start], " \t\r"))
	return body[start:]
}

// A row is one line of the offset index.
type row struct {
	seq, segment, number int64
	id                   string
	offset, length       int64 // of the frame with its line feed
	crc                  string
	extended             bool
}

// rowOf returns the row of a frame whose line stands at a byte offset.
func rowOf(f *frame, line []byte, offset int64) row {
	return row{
		seq: f.seq, segment: f.segment, number: f.number, id: f.id, offset: offset, length: int64(len(line)),
		crc: checksum(line), extended: !isEntryID(f.id),
	}
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

// parseRow reads a row without its line feed, its members in any order.
func parseRow(line string) (row, error) {
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

// members splits a JSON object into the raw values of the members called names.
// Unknown and repeated members are errors, as they are for pi.
func members(text string, names, values []string) (err error) {
	next := 0 // members mostly stand in their order
	valid := js.ValidMembers([]byte(text), 1, func(_ int, key, value js.Span) {
		i, name := next, text[key.From+1:key.To-1]
		if i >= len(names) || names[i] != name {
			name = js.Unquote(text[key.From:key.To])
			i = slices.Index(names, name)
		}
		switch {
		case err != nil:
		case i < 0:
			err = fmt.Errorf("unknown member %.40q", name)
		case values[i] != "":
			err = fmt.Errorf("member %q stands twice", name)
		default:
			values[i], next = text[value.From:value.To], i+1
		}
	})
	switch {
	case !valid || !utf8.ValidString(text):
		return errors.New("not JSON")
	case !strings.HasPrefix(strings.TrimLeft(text, " \t\r"), "{"):
		return errors.New("not a JSON object")
	}
	return err
}

// A fieldParser reads raw values and keeps the first error.
type fieldParser struct{ err error }

func (p *fieldParser) fail(name, raw, want string) {
	if p.err == nil {
		p.err = fmt.Errorf("member %s is %.40q, not %s", name, raw, want)
	}
}

// count reads an integer without sign, fraction or exponent.
func (p *fieldParser) count(raw, name string) int64 {
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil || raw[0] < '0' || raw[0] > '9' {
		p.fail(name, raw, "a count")
		return 0
	}
	return n
}

func (p *fieldParser) text(raw, name string) string {
	if raw == "" || raw[0] != '"' {
		p.fail(name, raw, "a string")
		return ""
	}
	return js.Unquote(raw)
}

// schema reports whether the schema id is the extended one.
func (p *fieldParser) schema(raw, plain, extended string) bool {
	s := p.text(raw, "schema")
	if s != plain && s != extended {
		p.fail("schema", raw, plain)
	}
	return s == extended
}

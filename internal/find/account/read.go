package account

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strings"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Options say how a session is read.
type Options struct {
	Agent    string // whose session it is, "" for ours
	Strict   bool   // every line is looked at, so that all damage is found
	Branches bool   // find out which calls are on the path to the leaf
}

// A Damage is a line that may have had a call and cannot be read.
type Damage struct {
	Line int // counted from 1
	Err  error
}

// ErrDamaged is matched by the error of a [Damage].
var ErrDamaged = errors.New("damaged line")

// A Content is what Read finds in a session.
type Content struct {
	Header session.Header
	Calls  []Call   // in the order of their lines
	Damage []Damage // the first of it

	Damaged int // lines, those of Damage among them
}

// mostDamage is how many damaged lines of a session are described.
const mostDamage = 10

// Read reads the calls of a session. Its errors are those of [session.ReadHeader], and of
// r; what came before an error of r is returned.
//
// A line without the bytes "usage", in quotation marks, is no call and is not decoded,
// unless it has the escape of a character below U+0100: in JSON, those letters cannot be
// spelled otherwise. Such a line is looked at for damage if o asks for it, and if it is
// the last one and has no line feed. Unless o asks for it, what stands in strings and
// numbers of the others is not checked.
func Read(r io.Reader, o Options) (Content, error) {
	rd := reader{Options: o, interned: map[string]string{}}
	rd.member = rd.take
	rd.inMessage = func(key string, at int) int {
		end := js.ValueEnd(rd.text, at)
		if end > at {
			rd.inner.take(js.PlainKey(key), rd.text[at:end])
		}
		return end
	}
	if o.Branches {
		rd.tree, rd.leaf = session.NewSkeleton(0), -1
	}
	for b, err := range jsonl.Blocks(r) {
		if err != nil {
			return rd.Content, err
		}
		if rd.lines == 0 {
			if rd.Header, err = header(b.Data); err != nil {
				return rd.Content, err
			}
			rd.begun, _ = js.ParseTime(rd.Header.Timestamp)
		}
		for l := range b.Lines() {
			rd.line(l)
		}
		b.Free()
	}
	if rd.lines == 0 {
		_, err := session.ReadHeader(r) // which says that there is nothing
		return rd.Content, err
	}
	rd.finish()
	return rd.Content, nil
}

// header reads the header in front of a session: the first line of nearly all, which takes
// no reader to find.
func header(data []byte) (session.Header, error) {
	first, _, _ := bytes.Cut(data, []byte{'\n'})
	if h, err := session.HeaderOf(first); err == nil {
		return h, nil
	}
	return session.ReadHeader(bytes.NewReader(data))
}

// A reader is the state of reading one session.
type reader struct {
	Options
	Content
	begun int64 // when the session was
	lines int

	provider, model string // of the reply before
	interned        map[string]string

	member    func(level int, key, value js.Span)
	inMessage func(key string, at int) int

	text    string // the line, which is borrowed
	fields  fields
	message fields // of the member of that name
	isSaid  bool   // the message is an object
	inner   fields // of the member that has begun, whatever it is

	tree *session.Skeleton
	leaf int   // the last entry with an id, -1 if there is none
	at   []int // the entries of the calls
}

// fields are JSON texts of an entry, or of its message, "" where there is none.
type fields struct {
	typ, id, parent, timestamp, provider, model, usage, kind, purpose, stop, role, response, content, tier string
}

var (
	usageKey = []byte(`"usage"`)
	escape   = []byte(`\u00`)
)

// mayCall reports whether a line may be a call.
func mayCall(line []byte) bool {
	return bytes.Contains(line, usageKey) || bytes.Contains(line, escape)
}

// line reads a line.
func (rd *reader) line(l jsonl.Line) {
	rd.lines++
	data := l.Data
	if rd.lines == 1 {
		data = bytes.TrimPrefix(data, []byte(jsonl.ByteOrderMark))
	}
	calls := mayCall(data)
	if !calls && !rd.Strict && !rd.Branches && !l.Torn {
		return
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return
	}
	rd.text = unsafe.String(unsafe.SliceData(data), len(data))
	rd.fields, rd.inner, rd.isSaid = fields{}, fields{}, false
	if !(rd.walk() && !rd.Strict && !l.Torn) {
		rd.fields, rd.inner, rd.isSaid = fields{}, fields{}, false
		if !js.ValidMembers(data, 2, rd.member) {
			rd.damaged("is no JSON")
			return
		}
	}
	if rd.fields.typ == "" && !isObject(data) {
		rd.damaged("is no JSON object")
		return
	}
	rd.entry()
}

// walk takes the members of the line, in a third of the time that it takes to say that all
// of it is valid. It reports whether the line is one object as far as brackets and quotes
// tell.
func (rd *reader) walk() bool {
	end := js.WalkObject(rd.text, 0, func(key string, at int) int {
		name := js.PlainKey(key)
		if name == `"message"` && strings.HasPrefix(rd.text[at:], "{") {
			rd.inner, rd.isSaid = fields{}, true
			end := js.WalkObject(rd.text, at, rd.inMessage)
			rd.message = rd.inner
			return end
		}
		rd.isSaid = rd.isSaid && name != `"message"`
		end := js.ValueEnd(rd.text, at)
		if end > at {
			rd.fields.take(name, rd.text[at:end])
		}
		return end
	})
	return end >= 0 && strings.Trim(rd.text[end:], " \t\r") == ""
}

func isObject(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) }

// damaged takes note of a line that cannot be read.
func (rd *reader) damaged(what string) {
	if rd.Damaged++; rd.Damaged > mostDamage {
		return
	}
	rd.Damage = append(rd.Damage, Damage{Line: rd.lines, Err: fmt.Errorf("%w: it %s, so what it says was not counted", ErrDamaged, what)})
}

// take takes a member of the line; of several with one key the last counts.
func (rd *reader) take(level int, key, value js.Span) {
	name, text := js.PlainKey(rd.text[key.From:key.To]), rd.text[value.From:value.To]
	if level == 2 {
		rd.inner.take(name, text)
		return
	}
	if name == `"message"` {
		rd.message, rd.isSaid = rd.inner, text[0] == '{'
	}
	rd.fields.take(name, text)
	rd.inner = fields{}
}

func (f *fields) take(name, text string) {
	switch name {
	case `"type"`:
		f.typ = text
	case `"id"`:
		f.id = text
	case `"parentId"`:
		f.parent = text
	case `"timestamp"`:
		f.timestamp = text
	case `"provider"`:
		f.provider = text
	case `"model"`:
		f.model = text
	case `"usage"`:
		f.usage = text
	case `"kind"`:
		f.kind = text
	case `"purpose"`:
		f.purpose = text
	case `"stopReason"`:
		f.stop = text
	case `"role"`:
		f.role = text
	case `"responseId"`:
		f.response = text
	case `"content"`:
		f.content = text
	case `"serviceTier"`:
		f.tier = text
	}
}

// str returns the text of a string, kept once.
func (rd *reader) str(literal string) string {
	if len(literal) < 2 || literal[0] != '"' {
		return ""
	}
	if s, ok := rd.interned[literal]; ok {
		return s
	}
	s := string([]byte(js.Unquote(literal)))
	rd.interned[string([]byte(literal))] = s
	return s
}

// text returns the text of a string that is not likely to come again.
func text(literal string) string { return string([]byte(js.Value(literal).Str())) }

// entry takes the call that an entry is, if it is one.
func (rd *reader) entry() {
	f := &rd.fields
	typ := rd.str(f.typ)
	if typ == session.TypeSession || typ == session.TypeTitle {
		return
	}
	if rd.tree != nil {
		id := js.Value(f.id).Str()
		if rd.tree.Add([]byte(id), []byte(js.Value(f.parent).Str())); id != "" {
			rd.leaf = rd.tree.Len() - 1
		}
	}
	c := Call{Purpose: Side}
	from := f
	switch typ {
	case session.TypeMessage:
		if !rd.isSaid {
			return
		}
		from, c.Purpose = &rd.message, Reply
	case session.TypeCompaction:
		c.Purpose = Compaction
	case session.TypeBranchSummary:
		c.Purpose = BranchSummary
	case session.TypeCustom, session.TypeCustomMessage:
		return // what an extension calls a usage is its own business
	default:
		if kind := rd.str(f.kind) + rd.str(f.purpose); kind != "" {
			c.Purpose += ":" + kind
		}
	}
	if !js.Value(from.usage).IsObject() {
		return
	}
	c.ID, c.Stop, c.response = text(f.id), rd.str(from.stop), text(from.response)
	c.Provider, c.Model = rd.str(from.provider), rd.str(from.model)
	c.Tier = usual(rd.str(from.tier))
	c.usage(from.usage)
	rd.date(&c, f, from)
	rd.emit(c, from)
}

// usual returns a service tier, "" for one at the usual prices.
func usual(tier string) string {
	switch tier {
	case "standard", "default", "auto":
		return ""
	}
	return tier
}

// date finds out when a call was made: what the entry says, else its message, else the
// header.
func (rd *reader) date(c *Call, f, from *fields) {
	if c.Time, c.Timed = js.ParseTime(js.Value(f.timestamp).Str()); c.Timed {
		return
	}
	if v := js.Value(from.timestamp); v.IsNumber() && v.Int() > 0 {
		c.Time, c.Timed = v.Int(), true
		return
	}
	c.Time = rd.begun
}

// emit adds a call.
func (rd *reader) emit(c Call, from *fields) {
	switch {
	case c.Model != "":
		rd.provider, rd.model = c.Provider, c.Model
	case c.Purpose == Compaction || c.Purpose == BranchSummary: // by the model in use
		c.Provider, c.Model = rd.provider, rd.model
	}
	if byPayload(rd.Agent) {
		b := append(append([]byte(from.content), 0), c.Model...)
		c.payload = max(1, maphash.Bytes(seeds[0], c.appendUsage(b)))
	}
	c.line = rd.lines
	rd.Calls = append(rd.Calls, c)
	if rd.tree != nil {
		rd.at = append(rd.at, rd.tree.Len()-1)
	}
}

// finish finds out which calls are on the path to the leaf. In a session without ids, all
// are.
func (rd *reader) finish() {
	if rd.tree == nil || rd.leaf < 0 {
		return
	}
	on := make([]bool, rd.tree.Len())
	path, _ := rd.tree.Path(rd.leaf)
	for _, s := range path {
		for n := s.First; n <= s.Last; n++ {
			on[n] = true
		}
	}
	for i, at := range rd.at {
		rd.Calls[i].Abandoned = !on[at]
	}
}

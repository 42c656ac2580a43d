package session

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/sess-tools/sess/pkg/js"
)

// An Entry is one line of a session. It is immutable, and made only from a
// line that is one JSON object. The zero one has no line.
type Entry struct {
	_      [0]func() // not to be compared by ==, see SameLine
	*entry           // lists of entries, paths and projections of them share it
}

type entry struct {
	raw            string
	typ            string
	id             string
	parent         string
	offset         int64
	sum            uint64 // hash of the line that raw is a sketch of, 0 if raw is the line
	message        span   // the value of the member of that name in raw
	line           uint32
	hasType, hasID bool
}

// ParseEntry makes an entry of one line without its line feed. It is the only
// place that validates: the error is ErrMalformed for a line that is not one
// JSON object or nests deeper than 10,000.
func ParseEntry(line string) (Entry, error) {
	e := Entry{entry: &entry{raw: line}}
	ok := js.ValidMembers([]byte(line), 1, func(_ int, key, value js.Span) {
		e.member(line[key.From:key.To], line[value.From:value.To], span{uint32(value.From), uint32(value.To)})
	})
	if !ok {
		return Entry{}, fmt.Errorf("%w: not JSON: %.40q", ErrMalformed, line)
	}
	if !isObject(line) {
		return Entry{}, fmt.Errorf("%w: not a JSON object: %.40q", ErrMalformed, line)
	}
	return e, nil
}

// scan reads the fields every entry has. Of repeated keys the last counts, as
// in JavaScript.
func scan(line string) Entry {
	e := Entry{entry: &entry{raw: line}}
	walkMembers(line, e.member)
	return e
}

// member takes a member of the line into account.
func (e *entry) member(key, value string, at span) {
	switch js.PlainKey(key) {
	case `"type"`:
		e.typ, e.hasType = js.Value(value).Text()
	case `"id"`:
		e.id, e.hasID = js.Value(value).Text()
	case `"parentId"`:
		e.parent, _ = js.Value(value).Text()
	case `"message"`:
		e.message = at
	}
}

// nothing is what the zero entry is.
var nothing = &entry{}

func (e Entry) fields() *entry { return cmp.Or(e.entry, nothing) }

func isObject(raw string) bool { return strings.HasPrefix(strings.TrimLeft(raw, " \t\r\n"), "{") }

// Raw returns the entry's line, byte for byte.
func (e Entry) Raw() string { return e.fields().raw }

// SameLine reports whether two entries were read from lines of the same bytes.
func (e Entry) SameLine(other Entry) bool {
	a, b := e.fields(), other.fields()
	return a.raw == b.raw && a.sum == b.sum
}

// Line returns the 1-based line number the entry was read from, 0 if it was
// not read from a session.
func (e Entry) Line() int { return int(e.fields().line) }

// Offset returns the position in bytes of the line's first byte in the session
// the entry was read from.
func (e Entry) Offset() int64 { return e.fields().offset }

// Type returns the entry's type.
func (e Entry) Type() string { return e.fields().typ }

// ID returns the entry's id, "" if it has none.
func (e Entry) ID() string { return e.fields().id }

// ParentID returns the id of the entry's parent. It is "" for a root, whether
// its parentId is null, empty or absent.
func (e Entry) ParentID() string { return e.fields().parent }

// Get returns the JSON text of the top-level member called name, "" if there
// is none. Of repeated members the last counts.
func (e Entry) Get(name string) string {
	if name == "message" {
		return e.fields().message.of(e.Raw(), name)
	}
	return js.Member(e.Raw(), name)
}

// Str returns the decoded string value of the top-level member called name,
// "" if it is absent or no string.
func (e Entry) Str(name string) string {
	s, _ := js.Value(e.Get(name)).Text()
	return s
}

// Timestamp returns the entry's timestamp as milliseconds since the epoch; ok
// is false if it has none that parses.
func (e Entry) Timestamp() (ms int64, ok bool) { return js.ParseTime(e.Str("timestamp")) }

// Message returns the message a "message" entry carries.
func (e Entry) Message() (Message, bool) {
	raw := e.Get("message")
	if e.Type() != TypeMessage || !strings.HasPrefix(raw, "{") {
		return Message{}, false
	}
	return NewMessage(raw), true
}

// Role returns the role of the message an entry puts into the context: that of
// a "message" entry, "custom" for a custom_message, "" for all others.
func (e Entry) Role() string {
	switch e.Type() {
	case TypeMessage:
		m, _ := e.Message()
		return m.Role()
	case TypeCustomMessage:
		return RoleCustom
	}
	return ""
}

// WithParent returns the entry as a child of the entry parent, "" for a root.
func (e Entry) WithParent(parent string) Entry {
	return e.WithRaw("parentId", parentLiteral(parent))
}

// WithRaw returns the entry with the member called name set to the JSON text
// value, which must be valid.
func (e Entry) WithRaw(name, value string) Entry {
	return e.Rewritten(string(js.Value(e.Raw()).With(name, js.Value(value))))
}

// Rewritten returns an entry of the line raw, which must be one JSON object, that
// stands where e stands.
func (e Entry) Rewritten(raw string) Entry {
	out := scan(raw)
	out.line, out.offset = e.fields().line, e.Offset()
	return out
}

func parentLiteral(parent string) string {
	if parent == "" {
		return "null"
	}
	return js.Quote(parent)
}

// NewSessionID returns a new session id: a UUID of version 7, in lower case.
func NewSessionID() string { return newUUID(time.Now()) }

// newUUID returns a UUID of version 7 (RFC 9562, sections 5.7 and 6.2, method 3): milliseconds
// since the epoch in 48 bits, the rest of the time in 12, and 62 bits of chance. It is made here,
// since a library for it would bring the network and databases along, which every start of every
// tool would pay for (ADR 0019). An id need not be hard to guess, so the runtime's generator, which
// the system seeds, will do.
func newUUID(now time.Time) string {
	const perMilli = uint64(time.Millisecond)
	ns := uint64(now.UnixNano())
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], ns/perMilli<<16|7<<12|ns%perMilli<<12/perMilli)
	binary.BigEndian.PutUint64(b[8:], rand.Uint64()>>2|1<<63)
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// ValidSessionID reports whether id may name a new session, by the rule of pi 1.5:
// letters, digits, dots, underscores and hyphens, with a letter or digit at both ends.
func ValidSessionID(id string) bool {
	inner := strings.Trim(id, "._-")
	return id != "" && inner == id && strings.Trim(id, idBytes) == ""
}

const idBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

// NewEntryID returns an entry id that known does not know: eight hex digits, as
// pi writes them, or a whole UUID if a hundred of those are taken.
func NewEntryID(known func(id string) bool) string {
	for range 100 {
		if short := fmt.Sprintf("%08x", rand.Uint32()); !known(short) {
			return short
		}
	}
	return UniqueEntryID()
}

// UniqueEntryID returns an entry id that is unique without a look at the
// session: a UUID of version 7. It serves files too large to scan for every
// append.
func UniqueEntryID() string { return NewSessionID() }

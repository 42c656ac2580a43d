package session

import (
	"fmt"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// An Entry is one line of a session. It is immutable, and made only from a
// line that is one JSON object.
type Entry struct {
	raw            string
	typ            string
	id             string
	parent         string
	message        string // JSON text of the member of that name, "" if there is none
	line           int
	offset         int64
	sum            uint64 // hash of the line that raw is a sketch of, 0 if raw is the line
	hasType, hasID bool
}

// ParseEntry makes an entry of one line without its line feed. It is the only
// place that validates: the error is ErrMalformed for a line that is not one
// JSON object or nests deeper than 10,000.
func ParseEntry(line string) (Entry, error) {
	if !js.Valid([]byte(line)) {
		return Entry{}, fmt.Errorf("%w: not JSON: %.40q", ErrMalformed, line)
	}
	if !isObject(line) {
		return Entry{}, fmt.Errorf("%w: not a JSON object: %.40q", ErrMalformed, line)
	}
	return scan(line), nil
}

// scan reads the fields every entry has. Of repeated keys the last counts, as
// in JavaScript.
func scan(line string) Entry {
	e := Entry{raw: line}
	for key, value := range js.Members(line) {
		switch js.PlainKey(key) {
		case `"type"`:
			e.typ, e.hasType = js.Value(value).Text()
		case `"id"`:
			e.id, e.hasID = js.Value(value).Text()
		case `"parentId"`:
			e.parent, _ = js.Value(value).Text()
		case `"message"`:
			e.message = value
		}
	}
	return e
}

func isObject(raw string) bool {
	return strings.HasPrefix(strings.TrimLeft(raw, " \t\r\n"), "{")
}

// Raw returns the entry's line, byte for byte.
func (e Entry) Raw() string { return e.raw }

// SameLine reports whether two entries were read from lines of the same bytes.
func (e Entry) SameLine(other Entry) bool {
	return e.raw == other.raw && e.sum == other.sum
}

// Line returns the 1-based line number the entry was read from, 0 if it was
// not read from a session.
func (e Entry) Line() int { return e.line }

// Offset returns the position in bytes of the line's first byte in the session
// the entry was read from.
func (e Entry) Offset() int64 { return e.offset }

// Type returns the entry's type.
func (e Entry) Type() string { return e.typ }

// ID returns the entry's id, "" if it has none.
func (e Entry) ID() string { return e.id }

// ParentID returns the id of the entry's parent. It is "" for a root, whether
// its parentId is null, empty or absent.
func (e Entry) ParentID() string { return e.parent }

// Get returns the JSON text of the top-level member called name, "" if there
// is none. Of repeated members the last counts.
func (e Entry) Get(name string) string {
	if name == "message" {
		return e.message
	}
	return js.Member(e.raw, name)
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
	if e.typ != TypeMessage {
		return Message{}, false
	}
	if !strings.HasPrefix(e.message, "{") {
		return Message{}, false
	}
	return NewMessage(e.message), true
}

// Role returns the role of the message an entry puts into the context: that of
// a "message" entry, "custom" for a custom_message, "" for all others.
func (e Entry) Role() string {
	switch e.typ {
	case TypeMessage:
		m, _ := e.Message()
		return m.role
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
	return e.Rewritten(string(js.Value(e.raw).With(name, js.Value(value))))
}

// Rewritten returns an entry of the line raw, which must be one JSON object, that
// stands where e stands.
func (e Entry) Rewritten(raw string) Entry {
	out := scan(raw)
	out.line, out.offset = e.line, e.offset
	return out
}

func parentLiteral(parent string) string {
	if parent == "" {
		return "null"
	}
	return js.Quote(parent)
}

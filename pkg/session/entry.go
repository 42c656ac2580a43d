package session

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

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
		switch plainKey(key) {
		case `"type"`:
			e.typ, e.hasType = stringValue(value)
		case `"id"`:
			e.id, e.hasID = stringValue(value)
		case `"parentId"`:
			e.parent, _ = stringValue(value)
		case `"message"`:
			e.message = value
		}
	}
	return e
}

// plainKey returns the literal of a key without needless escapes: "\u0069d"
// spells id as well.
func plainKey(key string) string {
	if strings.IndexByte(key, '\\') < 0 {
		return key
	}
	return js.Quote(js.Unquote(key))
}

func stringValue(raw string) (string, bool) {
	if raw == "" || raw[0] != '"' {
		return "", false
	}
	return js.Unquote(raw), true
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
	return member(e.raw, name)
}

// Str returns the decoded string value of the top-level member called name,
// "" if it is absent or no string.
func (e Entry) Str(name string) string {
	s, _ := stringValue(e.Get(name))
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
	return newMessage(e.message), true
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

func member(object, name string) string {
	found := ""
	for key, value := range js.Members(object) {
		if isKey(key, name) {
			found = value
		}
	}
	return found
}

// truthy reports whether JavaScript takes the JSON text raw for true.
func truthy(raw string) bool {
	switch raw {
	case "", "null", "false", `""`, "0", "-0":
		return false
	}
	return !(raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') || gjson.Get(`{"n":`+raw+`}`, "n").Num != 0
}

package walk

import (
	"strings"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
)

// A head is what the tree is made of: the three members of a line's object
// that say what it is, how it is called and what it hangs from. Each is the
// value of a string literal, nil if the member is absent or no string.
type head struct{ typ, id, parent []byte }

// headOf reads the head of a line that is one JSON object, and looks no further
// than it must. It reports false for a line that is seen not to be an object.
// Of members that repeat it may take the first.
func headOf(line []byte) (head, bool) {
	if h, ok := usualHead(line); ok {
		return h, true
	}
	return anyHead(line)
}

// usualHead recognizes how every program writes most of its lines:
// {"type":"…","id":"…","parentId":"…" or null, without a backslash in them.
func usualHead(b []byte) (h head, ok bool) {
	rest, ok := after(b, `{"type":"`)
	if !ok {
		return h, false
	}
	if h.typ, rest, ok = plain(rest); !ok {
		return h, false
	}
	if rest, ok = after(rest, `,"id":"`); !ok {
		return h, false
	}
	if h.id, rest, ok = plain(rest); !ok {
		return h, false
	}
	if rest, ok = after(rest, `,"parentId":`); !ok {
		return h, false
	}
	if rest, ok = after(rest, `"`); ok {
		h.parent, _, ok = plain(rest)
		return h, ok
	}
	_, ok = after(rest, `null,`)
	return h, ok
}

// after returns what follows prefix.
func after(b []byte, prefix string) ([]byte, bool) {
	if len(b) < len(prefix) || string(b[:len(prefix)]) != prefix {
		return b, false
	}
	return b[len(prefix):], true
}

// plain returns the rest of a literal, up to its quote and without it, and what
// follows. A backslash is more than it can take.
func plain(b []byte) (value, rest []byte, ok bool) {
	for i, c := range b {
		switch c {
		case '"':
			return b[:i:i], b[i+1:], true
		case '\\':
			return nil, b, false
		}
	}
	return nil, b, false
}

// anyHead reads members in whatever order they stand, over values of any size,
// until it has all three or the object ends.
func anyHead(b []byte) (h head, ok bool) {
	text := unsafe.String(unsafe.SliceData(b), len(b)) // not kept: b is borrowed
	if text = strings.TrimLeft(text, " \t\r"); text == "" || text[0] != '{' {
		return h, false
	}
	var typ, id, parent bool
	for key, value := range js.Members(text) {
		if strings.IndexByte(key, '\\') >= 0 {
			key = js.Quote(js.Unquote(key)) // "\u0069d" spells id as well
		}
		switch key {
		case `"type"`:
			h.typ, typ = decoded(value), true
		case `"id"`:
			h.id, id = decoded(value), true
		case `"parentId"`:
			h.parent, parent = decoded(value), true
		}
		if typ && id && parent {
			break
		}
	}
	return h, true
}

// decoded is the value of a string literal, nil for any other value.
func decoded(raw string) []byte {
	if raw[0] != '"' {
		return nil
	}
	return []byte(js.Unquote(raw))
}

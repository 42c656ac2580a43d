package session

import (
	"fmt"
	"iter"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/sess-tools/sess/pkg/js"
)

// setMember returns the JSON object raw with the member called name set to the
// JSON text value, in place if it exists, else at the end. All other bytes stay
// as they are.
//
// The result is checked: sjson never reports what it could not do. Repeated
// members give way to one at the end, since readers disagree on which of them
// counts. sjson has no path for a member without a name and does not find every
// escaped one; these are spliced by their place.
func setMember(raw, name, value string) string {
	n, at := 0, span{}
	for s := range members(raw) {
		if isKey(s.key, name) {
			n, at = n+1, s
		}
	}
	switch {
	case n == 0:
		return addMember(raw, name, value)
	case n > 1:
		return addMember(deleteMember(raw, name), name, value)
	case name == "" || strings.Contains(at.key, `\`):
		return raw[:at.value] + value + raw[at.end:]
	}
	out, err := sjson.SetRaw(raw, path(name), value)
	if err != nil || member(out, name) != value {
		panic(fmt.Sprintf("session: setting %q gave %v: %.60q", name, err, out))
	}
	return out
}

// deleteMember returns the JSON object raw without the members called name, and
// without a comma for each. It is not sjson's Delete, which takes the member
// before along where a key holds a quote.
func deleteMember(raw, name string) string {
	out := make([]byte, 0, len(raw))
	end, kept := 0, false // the end of the member before; whether one was kept
	for s := range members(raw) {
		switch {
		case end == 0:
			out = append(out, raw[:s.start]...) // the brace
		case kept && !isKey(s.key, name):
			out = append(out, raw[end:s.start]...) // the comma
		}
		if !isKey(s.key, name) {
			out, kept = append(out, raw[s.start:s.end]...), true
		}
		end = s.end
	}
	return string(append(out, raw[end:]...))
}

// A span is a member of an object: its key as a literal, and where the key
// begins, the value begins and the value ends.
type span struct {
	key               string
	start, value, end int
}

// members iterates over the members of the JSON object raw, with their places.
func members(raw string) iter.Seq[span] {
	return func(yield func(span) bool) {
		end := 0
		for key, value := range js.Members(raw) {
			s := span{key: key, start: end + strings.IndexByte(raw[end:], '"')}
			colon := s.start + len(key) + strings.IndexByte(raw[s.start+len(key):], ':')
			s.value = len(raw) - len(strings.TrimLeft(raw[colon+1:], " \t\r\n"))
			s.end = s.value + len(value)
			if end = s.end; !yield(s) {
				return
			}
		}
	}
}

// isKey reports whether the literal key spells name.
func isKey(key, name string) bool {
	if strings.IndexByte(key, '\\') < 0 {
		return key[1:len(key)-1] == name
	}
	return js.Unquote(key) == name
}

// addMember appends a member that raw does not have.
func addMember(raw, name, value string) string { return addMembers(raw, Field{name, value}) }

// addMembers appends members that raw does not have, all in one copy.
func addMembers(raw string, fields ...Field) string {
	end := strings.LastIndexByte(raw, '}')
	var added strings.Builder
	for i, f := range fields {
		if i > 0 || !strings.HasSuffix(strings.TrimRight(raw[:end], " \t\r\n"), "{") {
			added.WriteByte(',')
		}
		added.WriteString(js.Quote(f.Name) + ":" + f.Raw)
	}
	return raw[:end] + added.String() + raw[end:]
}

// path turns a member's name into a path of gjson and sjson, where some
// characters are operators. A leading colon has a meaning of its own in sjson.
func path(name string) string {
	p := gjson.Escape(name)
	if strings.HasPrefix(p, ":") {
		p = ":" + p
	}
	return p
}

// WithParent returns the entry as a child of the entry parent, "" for a root.
func (e Entry) WithParent(parent string) Entry {
	return e.with("parentId", parentLiteral(parent))
}

// WithRaw returns the entry with the member called name set to the JSON text
// value, which must be valid.
func (e Entry) WithRaw(name, value string) Entry { return e.with(name, value) }

func (e Entry) with(name, value string) Entry {
	out := scan(setMember(e.raw, name, value))
	out.line, out.offset = e.line, e.offset
	return out
}

func parentLiteral(parent string) string {
	if parent == "" {
		return "null"
	}
	return js.Quote(parent)
}

package session

import (
	"fmt"
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
// members all get the value, since readers disagree on which of them counts.
func setMember(raw, name, value string) string {
	if member(raw, name) == "" {
		return addMember(raw, name, value)
	}
	if n := countMember(raw, name); n > 1 {
		return addMember(deleteMember(raw, name, n), name, value)
	}
	out, err := sjson.SetRaw(raw, path(name), value)
	if err != nil || member(out, name) != value {
		panic(fmt.Sprintf("session: setting %q gave %v: %.60q", name, err, out))
	}
	return out
}

// deleteMember returns raw without the n members called name.
func deleteMember(raw, name string, n int) string {
	for range n {
		out, err := sjson.Delete(raw, path(name))
		if err != nil {
			panic(fmt.Sprintf("session: deleting %q: %v", name, err))
		}
		raw = out
	}
	return raw
}

func countMember(raw, name string) int {
	n, quoted := 0, js.Quote(name)
	for key := range js.Members(raw) {
		if key == quoted || strings.Contains(key, `\`) && js.Unquote(key) == name {
			n++
		}
	}
	return n
}

// addMember appends a member that raw does not have.
func addMember(raw, name, value string) string {
	end := strings.LastIndexByte(raw, '}')
	sep := ","
	if strings.HasSuffix(strings.TrimRight(raw[:end], " \t\r\n"), "{") {
		sep = ""
	}
	return raw[:end] + sep + js.Quote(name) + ":" + value + raw[end:]
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
	out.line = e.line
	return out
}

func parentLiteral(parent string) string {
	if parent == "" {
		return "null"
	}
	return js.Quote(parent)
}

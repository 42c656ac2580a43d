package codex

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// Types of lines that mean something here.
const (
	typeMeta      = "session_meta"
	typeItem      = "response_item"
	typeEvent     = "event_msg"
	typeTurn      = "turn_context"
	typeCompacted = "compacted"
	typeUsage     = "token_usage_record"
)

// A line is one line of a rollout.
type line struct {
	raw     string
	typ     string
	kind    string // the type of an item or an event
	time    int64  // milliseconds since the epoch, 0 if it has none
	ordinal span
	payload span

	number int   // in its file, from 1
	offset int64 // in its file
}

// parseLine takes apart a line, which is a JSON object. The form of 2025, whose lines are
// payloads without an envelope, is read as if it had one.
func parseLine(raw string) line {
	l := line{raw: raw}
	var typ, at span
	whole := span{0, len(raw)}
	bare, id := "", false
	members(raw, whole, func(key string, v span) {
		switch key {
		case `"timestamp"`:
			at = v
		case `"ordinal"`:
			l.ordinal = v
		case `"type"`:
			typ = v
		case `"payload"`:
			l.payload = v
		case `"id"`:
			id = true
		case `"record_type"`:
			bare = "record"
		}
	})
	l.typ = typ.str(raw)
	if text := at.str(raw); text != "" {
		l.time, _ = js.ParseTime(text)
	}
	if l.payload == (span{}) {
		switch {
		case l.typ == "" && id && at != (span{}) && bare == "":
			l.typ, l.payload = typeMeta, whole
		case isItem(l.typ):
			l.kind, l.typ, l.payload = l.typ, typeItem, whole
		}
		return l
	}
	switch l.typ {
	case typeItem, typeEvent:
		l.kind = kindOf(raw, l.payload)
	}
	return l
}

// isItem reports whether typ is that of an item of 2025.
func isItem(typ string) bool {
	switch typ {
	case "message", "reasoning", "function_call", "function_call_output", "local_shell_call", "custom_tool_call", "custom_tool_call_output":
		return true
	}
	return false
}

// bare reports whether the line has no envelope.
func (l line) bare() bool { return l.payload == span{0, len(l.raw)} }

// kindOf returns the type of the object at.
func kindOf(raw string, at span) string { return member(raw, at, `"type"`).str(raw) }

// member returns the value of the member with that key, a literal.
func member(raw string, at span, key string) span {
	var found span
	members(raw, at, func(k string, v span) {
		if k == key {
			found = v
		}
	})
	return found
}

// path returns the value behind several keys.
func path(raw string, at span, keys ...string) span {
	for _, key := range keys {
		at = member(raw, at, key)
	}
	return at
}

// number returns the whole number that the value is; ok is false if it is none.
func (s span) number(raw string) (n int64, ok bool) {
	text := s.in(raw)
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || len(digits) > 18 {
		return 0, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(digits[i]-'0')
	}
	if digits != text {
		n = -n
	}
	return n, true
}

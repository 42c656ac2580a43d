package codex

import (
	"iter"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
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

// A span is where a JSON value stands in a line. The zero span is none.
type span struct{ start, end int }

func (s span) in(raw string) string { return raw[s.start:s.end] }

// first returns the first byte of the value, 0 of none.
func (s span) first(raw string) byte {
	if s.start == s.end {
		return 0
	}
	return raw[s.start]
}

// str returns the string that the value is, "" if it is none.
func (s span) str(raw string) string {
	if s.first(raw) != '"' {
		return ""
	}
	return js.Unquote(s.in(raw))
}

// members calls each with the key, as a literal, and the value of each member of the
// object at.
func members(raw string, at span, each func(key string, value span)) {
	if at.first(raw) != '{' {
		return
	}
	js.WalkObject(raw, at.start, func(key string, start int) int {
		end := js.ValueEnd(raw, start)
		each(key, span{start, end})
		return end
	})
}

// elements iterates over the elements of the array at.
func elements(raw string, at span) iter.Seq[span] {
	return func(yield func(span) bool) {
		if at.first(raw) != '[' {
			return
		}
		for i := skip(raw, at.start+1, " \t\r\n"); i < at.end && raw[i] != ']'; {
			end := js.ValueEnd(raw, i)
			if end == i || !yield(span{i, end}) {
				return
			}
			i = skip(raw, end, " \t\r\n,")
		}
	}
}

func skip(s string, i int, set string) int {
	for i < len(s) && strings.IndexByte(set, s[i]) >= 0 {
		i++
	}
	return i
}

// counts are tokens, each counted once: codex counts those from a cache as input, and
// those for reasoning as output.
type counts struct{ input, output, read, write, total int64 }

// usageOf reads a usage of codex.
func usageOf(raw string, at span) counts {
	var input, cached, written, output, total int64
	members(raw, at, func(key string, v span) {
		n, _ := v.number(raw)
		n = max(n, 0)
		switch key {
		case `"input_tokens"`:
			input = n
		case `"cached_input_tokens"`:
			cached = n
		case `"cache_write_input_tokens"`:
			written = n
		case `"output_tokens"`:
			output = n
		case `"total_tokens"`:
			total = n
		}
	})
	return counts{input: max(input-cached-written, 0), output: output, read: cached, write: written, total: total}
}

// text returns the usage as a message has it. What it cost is not known.
func (u counts) text() string {
	n := formats.Int
	return `{"input":` + n(u.input) + `,"output":` + n(u.output) + `,"cacheRead":` + n(u.read) + `,"cacheWrite":` + n(u.write) +
		`,"totalTokens":` + n(u.total) + `,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
}

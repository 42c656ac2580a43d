package codex

import (
	"iter"

	"github.com/sess-tools/sess/internal/api"
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
		l.kind = js.Value(js.Member(string(l.body()), "type")).Str()
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

// body returns the payload.
func (l line) body() js.Value { return js.Value(l.payload.in(l.raw)) }

// history returns where the items stand that a compaction goes on with.
func (l line) history() (found span) {
	members(l.raw, l.payload, func(key string, v span) {
		if key == `"replacement_history"` {
			found = v
		}
	})
	return found
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

// members calls each with the key, a literal without needless escapes, and the value of each member of the
// object at.
func members(raw string, at span, each func(key string, value span)) {
	if at.first(raw) != '{' {
		return
	}
	js.WalkObject(raw, at.start, func(key string, start int) int {
		end := js.ValueEnd(raw, start)
		each(js.PlainKey(key), span{start, end})
		return end
	})
}

// elements iterates over the elements of the array at.
func elements(raw string, at span) iter.Seq[span] {
	return func(yield func(span) bool) {
		if at.first(raw) != '[' {
			return
		}
		js.WalkArray(raw, at.start, func(start int) int {
			end := js.ValueEnd(raw, start)
			if end > start && !yield(span{start, end}) {
				return start
			}
			return end
		})
	}
}

// counts are tokens, each counted once: codex counts those from a cache as input, and
// those for reasoning as output.
type counts struct{ input, output, read, write, reasoning, total int64 }

// usageOf reads a usage of codex.
func usageOf(v js.Value) counts {
	n := func(name string) int64 { return api.Tokens(v.Get(name)) }
	read := n("cached_input_tokens")
	return counts{
		input:  max(n("input_tokens")-read-n("cache_write_input_tokens"), 0),
		output: n("output_tokens"), read: read, write: n("cache_write_input_tokens"),
		reasoning: n("reasoning_output_tokens"), total: n("total_tokens"),
	}
}

// text returns the usage as a message has it. What it cost is not known.
func (u counts) text() string {
	n, reasoning := api.Int, ""
	if u.reasoning > 0 {
		reasoning = `,"reasoning":` + n(u.reasoning)
	}
	return `{"input":` + n(u.input) + `,"output":` + n(u.output) + `,"cacheRead":` + n(u.read) + `,"cacheWrite":` + n(u.write) + reasoning +
		`,"totalTokens":` + n(u.total) + `,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
}

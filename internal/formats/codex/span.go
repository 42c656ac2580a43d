package codex

import (
	"iter"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

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

package calls

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// leastCut is how many bytes a value has at least that is left out, and leastLine how many its line has: less is not worth the time.
const (
	leastCut  = 64
	leastLine = 600
)

// Cut returns the line of an entry without what [Of] does not look at: what a model says and thinks, and the middle of what a tool
// prints. Both are most of a session. The line is one object; it is returned as it is if nothing of it is left out.
func Cut(line string) string { return cut(line, true) }

// CutResults is Cut for a caller who needs what a model says.
func CutResults(line string) string { return cut(line, false) }

// A cutting collects the values that are left out of a line.
type cutting struct {
	line    string
	replies bool // what a model says is left out
	typ     string
	said    []js.Span // literals of a reply, and of a result those that are no text
	printed []js.Span // texts of a result
}

func cut(line string, replies bool) string {
	if len(line) < leastLine {
		return line
	}
	c := cutting{line: line, replies: replies}
	js.WalkObject(line, strings.IndexByte(line, '{'), func(key string, at int) int {
		switch js.PlainKey(key) {
		case `"type"`:
			c.typ = line[at:js.ValueEnd(line, at)]
		case `"message"`:
			if line[at] == '{' {
				return c.message(at)
			}
		}
		return js.ValueEnd(line, at)
	})
	if name, _ := js.Value(c.typ).Text(); name != session.TypeMessage || len(c.said)+len(c.printed) == 0 {
		return line
	}
	return c.rest()
}

// message notes what can be left out of the message that begins at a place, and returns where it ends.
func (c *cutting) message(at int) int {
	said, printed := len(c.said), len(c.printed)
	var role, tool string
	end := js.WalkObject(c.line, at, func(key string, at int) int {
		end := 0
		switch js.PlainKey(key) {
		case `"role"`:
			end = js.ValueEnd(c.line, at)
			role, _ = js.Value(c.line[at:end]).Text()
		case `"toolName"`:
			end = js.ValueEnd(c.line, at)
			tool, _ = js.Value(c.line[at:end]).Text()
		case `"content"`:
			switch c.line[at] {
			case '[':
				return js.WalkArray(c.line, at, c.block)
			case '"':
				end = c.note(&c.printed, at)
			}
		}
		return max(end, js.ValueEnd(c.line, at))
	})
	switch {
	case role == session.RoleAssistant && c.replies:
		c.said, c.printed = append(c.said, c.printed[printed:]...), c.printed[:printed]
	case role == session.RoleAssistant:
		c.printed = c.printed[:printed]
	case role != session.RoleToolResult || told(tool):
		c.said, c.printed = c.said[:said], c.printed[:printed]
	}
	return end
}

// told reports whether all of a tool's result is looked at.
func told(tool string) bool {
	_, own := Own(tool)
	return followers[own] || stoppers[own] || tool == processes
}

// block is message for a block of a content.
func (c *cutting) block(at int) int {
	if c.line[at] != '{' {
		return js.ValueEnd(c.line, at)
	}
	said, printed := len(c.said), len(c.printed)
	typ := ""
	end := js.WalkObject(c.line, at, func(key string, at int) int {
		switch js.PlainKey(key) {
		case `"type"`:
			end := js.ValueEnd(c.line, at)
			typ, _ = js.Value(c.line[at:end]).Text()
			return end
		case `"text"`:
			return c.note(&c.printed, at)
		case `"thinking"`, `"thinkingSignature"`, `"data"`:
			return c.note(&c.said, at)
		}
		return js.ValueEnd(c.line, at)
	})
	switch typ {
	case session.BlockText:
		c.said = c.said[:said]
	case session.BlockThinking, session.BlockImage:
		c.printed = c.printed[:printed]
	default:
		c.said, c.printed = c.said[:said], c.printed[:printed]
	}
	return end
}

// note notes the value that begins at a place if it is a long string, and returns where it ends.
func (c *cutting) note(list *[]js.Span, at int) int {
	end := js.ValueEnd(c.line, at)
	if c.line[at] == '"' && end-at > leastCut {
		*list = append(*list, js.Span{From: at, To: end})
	}
	return end
}

// rest is the line without them.
func (c *cutting) rest() string {
	out := c.said
	for i, s := range out {
		out[i] = js.Span{From: s.From + 1, To: s.To - 1} // the quotes stay
	}
	for _, s := range c.printed {
		if s = middle(c.line, s); s.From < s.To {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b js.Span) int { return a.From - b.From })
	size := len(c.line)
	for _, s := range out {
		size -= s.To - s.From
	}
	if size == len(c.line) {
		return c.line
	}
	var b strings.Builder
	b.Grow(size)
	at := 0
	for _, s := range out {
		b.WriteString(c.line[at:s.From])
		at = s.To
	}
	b.WriteString(c.line[at:])
	return b.String()
}

// middle returns the part of a text that [End] does not look at, by the place of its literal: nothing, or a part that begins and ends
// between letters and escapes.
func middle(line string, s js.Span) js.Span {
	from, end := s.From+1, s.To-1
	if end-from <= 2*edge+leastCut {
		return js.Span{}
	}
	to := max(from, end-6*edge) // an escape has six bytes at most, and makes one at least
	for to > from && (!utf8.RuneStart(line[to]) || strings.IndexByte(line[max(from, to-6):to], '\\') >= 0) {
		to--
	}
	_, all := letters(line[to:end], end)
	head, _ := letters(line[from:end], edge+1) // one more, for the first half of a letter
	tail, _ := letters(line[to:end], all-edge-utf8.UTFMax)
	return js.Span{From: from + head, To: to + tail}
}

// letters passes over the letters and escapes of a literal until they make n bytes of text, or up to three more, and returns where that
// is and how many bytes they make at least. A byte that is no letter ends that: beside others it may become one.
func letters(literal string, n int) (at, made int) {
	for at < len(literal) && made < n {
		size, makes := 1, 1
		switch rest := literal[at:]; {
		case strings.HasPrefix(rest, `\u`):
			size = 6
		case rest[0] == '\\':
			size = 2
		case rest[0] >= utf8.RuneSelf:
			if _, size = utf8.DecodeRuneInString(rest); size == 1 {
				return len(literal), 0
			}
			makes = size
		}
		at, made = at+size, made+makes
	}
	return at, made
}

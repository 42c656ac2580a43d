package view

import (
	"bufio"
	"strings"
)

// indent writes a JSON text as [compact] returns it over several lines, as
// json.Indent does, unless it nests so deep that indentation, which grows with
// the square of the depth, would be most of it.
func indent(out *bufio.Writer, text string) {
	if depth(text) > 100 {
		show(out, text)
		return
	}
	level := 0
	newLine := func() { out.WriteString("\n" + strings.Repeat("  ", level)) }
	for text != "" {
		n := tokenLen(text)
		token := text[:n]
		text = text[n:]
		switch token {
		case "{", "[":
			out.WriteString(token)
			if text[0] == '}' || text[0] == ']' {
				out.WriteByte(text[0])
				text = text[1:]
				continue
			}
			level++
			newLine()
		case "}", "]":
			level--
			newLine()
			out.WriteString(token)
		case ",":
			out.WriteString(token)
			newLine()
		case ":":
			out.WriteString(": ")
		default:
			show(out, token)
		}
	}
}

// tokenLen returns the length in bytes of the token that a JSON text without
// white space begins with.
func tokenLen(text string) int {
	switch text[0] {
	case '{', '[', '}', ']', ',', ':':
		return 1
	case '"':
		for i := 1; i < len(text); i++ {
			j := strings.IndexAny(text[i:], "\"\\")
			if j < 0 {
				break
			}
			if i += j; text[i] == '"' {
				return i + 1
			}
			i++ // what is escaped
		}
		return len(text)
	}
	if n := strings.IndexAny(text, "}],:"); n > 0 {
		return n
	}
	return len(text)
}

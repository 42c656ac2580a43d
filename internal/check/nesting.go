package check

import "bytes"

// A nesting follows how deep JSON text nests, byte by byte. It is exact for
// JSON, and a guess for text that is none.
type nesting struct {
	depth   int
	inText  bool // inside a string
	escaped bool // behind a backslash in a string
}

func (n *nesting) step(c byte) {
	switch {
	case n.escaped:
		n.escaped = false
	case n.inText:
		n.escaped = c == '\\'
		n.inText = c != '"'
	case c == '"':
		n.inText = true
	case c == '{', c == '[':
		n.depth++
	case c == '}', c == ']':
		n.depth--
	}
}

// objectEnd returns the length of the object that text begins with, as far as
// braces tell, or -1 if text ends inside it.
func objectEnd(text []byte) int {
	var n nesting
	for i := 0; i < len(text); i++ {
		if n.inText && !n.escaped { // most bytes are plain text
			j := bytes.IndexAny(text[i:], `"\`)
			if j < 0 {
				return -1
			}
			i += j
		}
		if n.step(text[i]); n.depth == 0 {
			return i + 1
		}
	}
	return -1
}

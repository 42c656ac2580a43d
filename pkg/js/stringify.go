package js

// Stringify returns what JSON.stringify(JSON.parse(json)) does for a valid JSON
// text. White space goes; of keys that occur twice the last value stands at the
// first place; keys that are array indices ("0" to "4294967294") come first, in
// ascending order; numbers take their shortest form (1.50 becomes 1.5, -0
// becomes 0, 1e400 becomes null); strings are written as by [Quote].
//
// The result is valid JSON and stays the same when it is stringified again. A
// text that nests deeper than [MaxDepth] is returned as it is.
func Stringify(json string) string {
	return textOf(AppendStringify(make([]byte, 0, len(json)), json))
}

// AppendStringify appends [Stringify](json) to dst.
func AppendStringify(dst []byte, json string) []byte {
	t := tree{nodes: make([]node, 0, 16)}
	if !t.parse(json) {
		return append(dst, json...)
	}
	return t.append(dst, 0)
}

// StringifyLen returns the length of [Stringify](json) in UTF-16 code units,
// which is what the token estimates of coding agents count. It does not build
// the text.
func StringifyLen(json string) int {
	end, n := measure(json, skipSpace(json, 0), 0)
	if end < 0 || skipSpace(json, end) < len(json) {
		return Len(json)
	}
	return n
}

// append appends node at as JSON.stringify writes it.
func (t *tree) append(dst []byte, at int) []byte {
	n := &t.nodes[at]
	switch c := n.raw[0]; {
	case c == '"':
		return appendLiteral(dst, n.raw)
	case c == '{':
		return t.appendObject(dst, at)
	case c == '[':
		dst = append(dst, '[')
		for child := n.first; child != 0; child = t.nodes[child].next {
			if child != n.first {
				dst = append(dst, ',')
			}
			dst = t.append(dst, child)
		}
		return append(dst, ']')
	case isLetter(c):
		return append(dst, n.raw...)
	}
	return appendNumber(dst, n.raw)
}

func (t *tree) appendObject(dst []byte, at int) []byte {
	var few [fewMembers]int
	dst = append(dst, '{')
	for i, child := range t.properties(few[:0], at) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendQuote(dst, t.nodes[child].key)
		dst = append(dst, ':')
		dst = t.append(dst, child)
	}
	return append(dst, '}')
}

// isLetter reports whether c begins true, false or null.
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

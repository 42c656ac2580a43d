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
	return string(AppendStringify(make([]byte, 0, len(json)), json))
}

// AppendStringify appends [Stringify](json) to dst.
func AppendStringify(dst []byte, json string) []byte {
	var few [16]node
	t := tree{nodes: few[:0]}
	if !t.parse(json) {
		return append(dst, json...)
	}
	return t.append(dst, 0)
}

// StringifyLen returns the length of [Stringify](json) in UTF-16 code units,
// which is what the token estimates of coding agents count. It does not build
// the text.
func StringifyLen(json string) int {
	var few [16]node
	t := tree{nodes: few[:0]}
	if !t.parse(json) {
		return Len(json)
	}
	return t.units(0)
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

// units returns the length in UTF-16 code units of what append appends.
func (t *tree) units(at int) int {
	n := &t.nodes[at]
	switch c := n.raw[0]; {
	case c == '"':
		return literalUnits(n.raw)
	case c == '{':
		return t.objectUnits(at)
	case c == '[':
		sum := len("[]")
		for child := n.first; child != 0; child = t.nodes[child].next {
			if child != n.first {
				sum += len(",")
			}
			sum += t.units(child)
		}
		return sum
	case isLetter(c):
		return len(n.raw)
	}
	return numberUnits(n.raw)
}

func (t *tree) objectUnits(at int) int {
	var few [fewMembers]int
	list := t.unique(t.childList(few[:0], at)) // the order does not matter here
	sum := len("{}") + max(0, len(list)-1)*len(",")
	for _, child := range list {
		sum += quotedLen(t.nodes[child].key) + len(":") + t.units(child)
	}
	return sum
}

// isLetter reports whether c begins true, false or null.
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

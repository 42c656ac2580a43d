package js

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

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

// tree holds the values of a JSON text in the order of the text; the first is
// the root. One pass fills it, however deep the text nests.
type tree struct{ nodes []node }

// node is one value. Links are indices into tree.nodes; 0 is none.
type node struct {
	key   string // the text of its key, if the value is a member of an object
	raw   string // the value's bytes; of a container only the opening one
	first int    // first child
	next  int    // next sibling
}

// parse fills t from json. It reports false, and leaves t of no use, if json
// nests deeper than [MaxDepth] or is seen not to be valid.
func (t *tree) parse(json string) bool {
	end := t.value(json, skipSpace(json, 0), "", 0)
	return end >= 0 && skipSpace(json, end) == len(json)
}

// value adds the value that begins at s[i] and all it contains. It returns the
// index after it, or -1.
func (t *tree) value(s string, i int, key string, depth int) int {
	if i >= len(s) {
		return -1
	}
	at := len(t.nodes)
	if c := s[i]; c == '{' || c == '[' {
		t.nodes = append(t.nodes, node{key: key, raw: s[i : i+1]})
		if depth == MaxDepth {
			return -1
		}
		return t.children(s, i, at, depth+1)
	}
	end := valueEnd(s, i)
	t.nodes = append(t.nodes, node{key: key, raw: s[i:end]})
	if end == i {
		return -1
	}
	return end
}

// children adds what the container that begins at s[i] contains; the container
// is node at. It returns the index after the container, or -1.
func (t *tree) children(s string, i, at, depth int) int {
	closer := s[i] + 2 // '{' and '}', '[' and ']' are two apart
	if i = skipSpace(s, i+1); i < len(s) && s[i] == closer {
		return i + 1
	}
	for last := 0; ; i = skipSpace(s, i+1) {
		key := ""
		if closer == '}' {
			if key, i = memberKey(s, i); i < 0 {
				return -1
			}
		}
		child := len(t.nodes)
		if i = t.value(s, i, key, depth); i < 0 {
			return -1
		}
		if last == 0 {
			t.nodes[at].first = child
		} else {
			t.nodes[last].next = child
		}
		last = child
		if i = skipSpace(s, i); i == len(s) {
			return -1
		}
		if s[i] == closer {
			return i + 1
		}
		if s[i] != ',' {
			return -1
		}
	}
}

// memberKey reads the key that begins at s[i] and the colon. It returns the
// key's text and where the value must begin, or -1.
func memberKey(s string, i int) (key string, value int) {
	if i >= len(s) || s[i] != '"' {
		return "", -1
	}
	end := stringEnd(s, i)
	key = Unquote(s[i:end])
	if i = skipSpace(s, end); i == len(s) || s[i] != ':' {
		return "", -1
	}
	return key, skipSpace(s, i+1)
}

// appendNumber appends the valid JSON number lit as JSON.stringify writes the double that
// JSON.parse made of it: the shortest decimal that names the same double, by
// Number.prototype.toString; null for a number beyond the doubles.
func appendNumber(dst []byte, lit string) []byte {
	if isPlain(lit) {
		return append(dst, lit...)
	}
	// The only error left is the range; f is then an infinity.
	f, _ := strconv.ParseFloat(lit, 64)
	abs := math.Abs(f)
	switch {
	case math.IsInf(f, 0):
		return append(dst, "null"...)
	case f == 0:
		return append(dst, '0')
	case 1e-6 <= abs && abs < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go writes at least two digits of exponent, JavaScript as many as needed.
	if n := len(dst); dst[n-2] == '0' && !isDigit(dst[n-3]) {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// isPlain reports whether lit is seen at once to be written the same anew: an
// integer or a decimal fraction, not so small that it gets an exponent, without
// a superfluous zero and of at most 15 digits, which every double holds apart.
func isPlain(lit string) bool {
	s := strings.TrimPrefix(lit, "-")
	if s == "0" {
		return s == lit // not -0
	}
	if len(s) > 16 {
		return false
	}
	point := strings.IndexByte(s, '.')
	for i, c := range []byte(s) {
		if !isDigit(c) && i != point {
			return false
		}
	}
	switch {
	case point < 0:
		return len(s) <= 15
	case s[len(s)-1] == '0':
		return false
	}
	return s[0] != '0' || strings.Trim(s[:min(len(s), len("0.000000"))], "0.") != ""
}

// numberUnits returns the length of what appendNumber appends.
func numberUnits(lit string) int {
	if isPlain(lit) {
		return len(lit)
	}
	var buf [32]byte
	return len(appendNumber(buf[:0], lit))
}

// Spelled returns a valid JSON text as [Stringify] spells it: without white space, with
// strings and numbers as JavaScript writes them. A text that is spelled so already is
// returned as it is, which takes but one look at its bytes. Programs that decode and encode
// a line make this of it, so two lines are one line to them if this is the same.
func Spelled(json string) string {
	if isSpelled(json) {
		return json
	}
	return Stringify(json)
}

// isSpelled reports whether Stringify would leave a text alone. It may be wrong about a
// text that is not valid UTF-8, or has a key that occurs twice or is the index of an array.
func isSpelled(json string) bool {
	for i := 0; i < len(json); {
		switch c := json[i]; {
		case c == '"':
			end, ok := spelledString(json, i+1)
			if !ok {
				return false
			}
			i = end
		case isBlank(c):
			return false
		case c == '-' || isDigit(c):
			end := i + 1
			for end < len(json) && strings.IndexByte("0123456789+-.eE", json[end]) >= 0 {
				end++
			}
			if lit := json[i:end]; !isPlain(lit) && string(appendNumber(nil, lit)) != lit {
				return false
			}
			i = end
		default:
			i++
		}
	}
	return true
}

// spelledString returns where the string ends whose inside begins at i; ok is false if it
// has an escape that might be spelled otherwise.
func spelledString(json string, i int) (end int, ok bool) {
	for i < len(json) {
		if i+8 <= len(json) {
			special := delimiters(word(json, i))
			if special == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(special) >> 3
		}
		switch {
		case json[i] == '"':
			return i + 1, true
		case json[i] != '\\':
			i++
		case i+1 >= len(json) || json[i+1] == 'u' || json[i+1] == '/':
			return 0, false
		default:
			i += 2
		}
	}
	return 0, false
}

package js

import (
	"encoding/binary"
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

// skipSpace returns the index of the first byte of b, from i on, that is not
// JSON white space.
func skipSpace[T string | []byte](b T, i int) int {
	for i < len(b) && b[i] <= ' ' && isBlank(b[i]) {
		i++
	}
	return i
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// checkString checks the rest of a string literal from i, after its opening
// quote. It returns the index after the closing quote, or -1.
func checkString(b []byte, i int) int {
	plain := 0 // how many words before i are
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		// Marks above the first may be wrong: the byte has to be looked at.
		special := delimiters(w)
		next := i + 8
		if plain++; special != 0 {
			plain = 0
		} else if plain >= calm {
			next = plainEnd(b, next)
		}
		for special != 0 {
			k := bits.TrailingZeros64(special) >> 3
			switch c := b[i+k]; {
			case c == '\\' && i+k+1 < len(b) && twoByteEscape[b[i+k+1]]:
				if special &^= 1<<(8*k+16) - 1; k == 7 {
					next++
				}
			case c == '\\':
				if next = checkUnicodeEscape(b, i+k); next < 0 {
					return -1
				}
				special = 0
			case c == '"':
				return i + k + 1
			case c < ' ':
				return -1
			default:
				special &= special - 1
			}
		}
		i = next
	}
	return checkStringEnd(b, i)
}

// calm is after how many plain words it pays to look at more than one at a time: program
// text has hardly a run that is longer.
const calm = 5

// plainEnd skips plain characters from b[i] on, thirty-two at a time.
func plainEnd(b []byte, i int) int {
	for ; i+32 <= len(b); i += 32 {
		s := b[i : i+32]
		if (delimiters(binary.LittleEndian.Uint64(s)) | delimiters(binary.LittleEndian.Uint64(s[8:])) |
			delimiters(binary.LittleEndian.Uint64(s[16:])) | delimiters(binary.LittleEndian.Uint64(s[24:]))) != 0 {
			break
		}
	}
	return i
}

// delimiters marks the first byte of w that ends a run of plain characters in a
// literal: a quote, a backslash or a control character. The quote is the blank
// but for one bit, so what is below it with that bit turned is a control character or a
// quote.
func delimiters(w uint64) uint64 {
	return (((w ^ low7*('"'^' ')) - low7*(' '+1)) | ((w ^ low7*'\\') - low7)) &^ w & high1
}

// checkStringEnd is checkString for the last few bytes of b.
func checkStringEnd(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == '\\' && i+1 < len(b) && twoByteEscape[b[i+1]]:
			i += 2
		case c == '\\':
			if i = checkUnicodeEscape(b, i); i < 0 {
				return -1
			}
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		default:
			i++
		}
	}
	return -1
}

// twoByteEscape says what may follow a backslash, but for u.
var twoByteEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// checkUnicodeEscape checks that a \u escape begins at b[i]. It returns the
// index after it, or -1.
func checkUnicodeEscape(b []byte, i int) int {
	if i+6 > len(b) || b[i+1] != 'u' {
		return -1
	}
	for _, c := range b[i+2 : i+6] {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return -1
		}
	}
	return i + 6
}

// checkNumber checks the number that begins at b[i]. It returns the index after
// it, or -1.
func checkNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = checkDigits(b, i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = checkDigits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return checkDigits(b, i)
	}
	return i
}

// checkDigits returns the index after the digits at b[i], or -1 if there are
// none.
func checkDigits(b []byte, i int) int {
	from := i
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	if i == from {
		return -1
	}
	return i
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// checkWord returns the index after word if it stands at b[i], or -1.
func checkWord(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// appendNumber appends the valid JSON number lit as JSON.stringify writes what
// JSON.parse made of it: the shortest decimal that names the same double, by
// Number.prototype.toString; null for what is beyond the doubles.
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

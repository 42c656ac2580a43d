package js

// MaxDepth is how deep objects and arrays may nest in valid JSON. It is the
// limit of encoding/json.
const MaxDepth = 10_000

// Valid reports whether b is one JSON value by RFC 8259, with nothing around it
// but JSON white space. Text nested deeper than [MaxDepth] is not valid. Bytes
// above 0x7F are not looked at: a string may hold what is not UTF-8, as it may
// for encoding/json.Valid, with which Valid always agrees.
func Valid(b []byte) bool {
	var shallow [128]byte
	closers := shallow[:0] // what closes the open containers, innermost last
	i := skipSpace(b, 0)
	for {
		var closer byte
		if i, closer = beginValue(b, i); i < 0 {
			return false
		}
		if closer != 0 {
			if closers = append(closers, closer); len(closers) > MaxDepth {
				return false
			}
			if i = skipSpace(b, i); i < len(b) && b[i] != closer {
				if i = beginMember(b, i, closer); i < 0 {
					return false
				}
				continue
			}
		}
		// A value has ended; close the containers that end with it.
		i = skipSpace(b, i)
		for len(closers) > 0 && i < len(b) && b[i] == closers[len(closers)-1] {
			closers = closers[:len(closers)-1]
			i = skipSpace(b, i+1)
		}
		if len(closers) == 0 {
			return i == len(b)
		}
		if i == len(b) || b[i] != ',' {
			return false
		}
		if i = beginMember(b, skipSpace(b, i+1), closers[len(closers)-1]); i < 0 {
			return false
		}
	}
}

// beginValue checks what stands at b[i]. It returns the index after it, or -1,
// and for an object or array, of which it takes only the first byte, the byte
// that will close it.
func beginValue(b []byte, i int) (end int, closer byte) {
	if i >= len(b) {
		return -1, 0
	}
	switch b[i] {
	case '"':
		return checkString(b, i+1), 0
	case '{':
		return i + 1, '}'
	case '[':
		return i + 1, ']'
	case 't':
		return checkWord(b, i, "true"), 0
	case 'f':
		return checkWord(b, i, "false"), 0
	case 'n':
		return checkWord(b, i, "null"), 0
	}
	return checkNumber(b, i), 0
}

// beginMember checks what precedes the value of the next member of the
// container that closer will close: key and colon in an object, nothing in an
// array. It returns where the value must begin, or -1.
func beginMember(b []byte, i int, closer byte) int {
	if closer == ']' {
		return i
	}
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = checkString(b, i+1); i < 0 {
		return -1
	}
	if i = skipSpace(b, i); i == len(b) || b[i] != ':' {
		return -1
	}
	return skipSpace(b, i+1)
}

// Depth returns how deep the brackets of b nest, outside of strings. It is exact
// for JSON, and a guess for text that is none.
func Depth(b []byte) (deepest int) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			if i = checkString(b, i+1) - 1; i < 0 {
				return deepest
			}
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

package js

// MaxDepth is how deep objects and arrays may nest in valid JSON. It is the
// limit of encoding/json.
const MaxDepth = 10_000

// Valid reports whether b is one JSON value by RFC 8259, with nothing around it but JSON white
// space. Text nested deeper than [MaxDepth] is not valid. Bytes above 0x7F are not looked at: a
// string may hold bytes that are not UTF-8, as it may for encoding/json.Valid, with which Valid
// always agrees.
func Valid(b []byte) bool { return valid(b, nil) }

// A Span is where a part of a text stands, in bytes.
type Span struct{ From, To int }

// ValidMembers is [Valid], and shows in the same pass what the top of an object is
// made of. For each member of the object b, which is of level 1, and for each member
// of the objects that are values of those, of level 2, member is called once its value
// has ended. The elements of an array that is a value of level 2 are of level 3: member
// is called for each member of those that are objects, and then, with a key of no
// length, for the element itself. Keys are literals, quotes included. Of a text that is
// not valid some members may have been shown.
//
// Levels above the one given are not shown.
func ValidMembers(b []byte, levels int, member func(level int, key, value Span)) bool {
	s := &shown{member: member, depth: levels}
	if levels >= 3 {
		s.depth = len(s.open)
	}
	return valid(b, s)
}

// shown is what ValidMembers knows of the members that have begun.
type shown struct {
	member func(level int, key, value Span)
	depth  int         // of containers, at most, of which members are shown
	open   [4]struct { // by how many containers are open
		key   Span
		value int
	}
}

// began takes note of a member of a container whose closers are given, innermost last.
func (s *shown) began(closers []byte, key Span, value int) {
	if depth := len(closers); depth <= s.depth {
		s.open[depth-1].key, s.open[depth-1].value = key, value
	}
}

// ended shows the member or element whose value has ended, if it is one to be shown.
func (s *shown) ended(closers []byte, end int) {
	depth := len(closers)
	if depth == 0 || depth > s.depth || closers[0] != '}' || depth > 1 && closers[1] != '}' || depth > 2 && closers[2] != ']' {
		return
	}
	level := depth
	switch depth {
	case 3:
		s.member(3, Span{}, Span{end, end})
		return
	case 4:
		if closers[3] != '}' {
			return
		}
		level = 3
	}
	m := &s.open[depth-1]
	s.member(level, m.key, Span{m.value, end})
}

// valid is Valid, and ValidMembers if s is not nil.
func valid(b []byte, s *shown) bool {
	var shallow [128]byte
	literals := noLiterals
	closers := shallow[:0] // what closes the open containers, innermost last
	i := skipSpace(b, 0)
	for {
		var closer byte
		if i, closer = beginValue(&literals, b, i); i < 0 {
			return false
		}
		if closer != 0 {
			if closers = append(closers, closer); len(closers) > MaxDepth {
				return false
			}
			if i = skipSpace(b, i); i < len(b) && b[i] != closer {
				if i = beginMember(&literals, b, i, closers, s); i < 0 {
					return false
				}
				continue
			}
		} else if s != nil {
			s.ended(closers, i)
		}
		// A value has ended; close the containers that end with it.
		i = skipSpace(b, i)
		for len(closers) > 0 && i < len(b) && b[i] == closers[len(closers)-1] {
			closers = closers[:len(closers)-1]
			i++
			if s != nil {
				s.ended(closers, i)
			}
			i = skipSpace(b, i)
		}
		if len(closers) == 0 {
			return i == len(b)
		}
		if i == len(b) || b[i] != ',' {
			return false
		}
		if i = beginMember(&literals, b, skipSpace(b, i+1), closers, s); i < 0 {
			return false
		}
	}
}

// beginValue checks the value at b[i]. It returns the index after it, or -1, and for an object or
// array, of which it takes only the first byte, the byte that will close it.
func beginValue(l *literals, b []byte, i int) (end int, closer byte) {
	if i >= len(b) {
		return -1, 0
	}
	switch b[i] {
	case '"':
		return l.check(b, i+1), 0
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

// beginMember checks what precedes the value of the next member of the innermost
// container: key and colon in an object, nothing in an array. It returns where the
// value must begin, or -1.
func beginMember(l *literals, b []byte, from int, closers []byte, s *shown) int {
	if closers[len(closers)-1] == ']' {
		return from
	}
	if from >= len(b) || b[from] != '"' {
		return -1
	}
	end := l.check(b, from+1)
	if end < 0 {
		return -1
	}
	i := skipSpace(b, end)
	if i == len(b) || b[i] != ':' {
		return -1
	}
	i = skipSpace(b, i+1)
	if s != nil {
		s.began(closers, Span{from, end}, i)
	}
	return i
}

// Depth returns how deep the brackets of b nest, outside of strings. It is exact for JSON, and a
// guess for other text.
func Depth(b []byte) (deepest int) {
	depth, literals := 0, noLiterals
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			if i = literals.check(b, i+1) - 1; i < 0 {
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

package js

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

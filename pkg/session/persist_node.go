package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// A node is a value in a JSON text. The whole text is cut into nodes at once:
// whether to go into an object depends on its members, and asking each level
// for those would read what lies deepest once for each level.
type node struct {
	start, end int    // of the value
	key        string // of a member, decoded
	from       int    // where the member begins, with its key
	kids       []node // members or elements
}

// parseNode returns the value of the valid JSON text raw that begins at i, or
// behind white space there.
func parseNode(raw string, i int) node {
	i = skipSpace(raw, i)
	n := node{start: i, from: i}
	switch raw[i] {
	case '"':
		n.end = literalEnd(raw, i)
	case '{', '[':
		n.kids, n.end = parseKids(raw, i)
	default:
		n.end = i + scalarLen(raw[i:])
	}
	return n
}

func parseKids(raw string, i int) (kids []node, end int) {
	isObject := raw[i] == '{'
	for {
		i = skipSpace(raw, i+1)
		if raw[i] == '}' || raw[i] == ']' {
			return kids, i + 1
		}
		var kid node
		if isObject {
			from, colon := i, literalEnd(raw, i)
			kid = parseNode(raw, skipSpace(raw, colon)+1)
			kid.key, kid.from = js.Unquote(raw[from:colon]), from
		} else {
			kid = parseNode(raw, i)
		}
		kids = append(kids, kid)
		if i = skipSpace(raw, kid.end); raw[i] != ',' {
			return kids, i + 1
		}
	}
}

func skipSpace(raw string, i int) int {
	for raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\r' || raw[i] == '\n' {
		i++
	}
	return i
}

// literalEnd returns the index behind the string literal that begins at i.
func literalEnd(raw string, i int) int {
	for i++; ; {
		quote := i + strings.IndexByte(raw[i:], '"')
		text := raw[i:quote]
		i = quote + 1
		if slashes := len(text) - len(strings.TrimRight(text, `\`)); slashes%2 == 0 {
			return i
		}
	}
}

func scalarLen(raw string) int {
	if n := strings.IndexAny(raw, ",]} \t\r\n"); n >= 0 {
		return n
	}
	return len(raw)
}

// member returns the member of an object that counts: of repeated ones the
// last. It is nil if there is none.
func (n *node) member(name string) *node {
	for i := len(n.kids) - 1; i >= 0; i-- {
		if n.kids[i].key == name {
			return &n.kids[i]
		}
	}
	return nil
}

// A rewrite is a JSON text and what is to change in it.
type rewrite struct {
	raw   string
	edits []change
}

// A change puts text in the place of the bytes from start to end.
type change struct {
	start, end int
	text       string
}

func (w *rewrite) replace(start, end int, text string) {
	w.edits = append(w.edits, change{start, end, text})
}

// set replaces a value.
func (w *rewrite) set(n *node, text string) { w.replace(n.start, n.end, text) }

// drop removes the members of the object n called name, each with the comma
// that goes with it, and reports whether there was one.
func (w *rewrite) drop(n *node, name string) bool {
	dropped, kept := false, -1 // where the last member that stays ends
	for i, kid := range n.kids {
		switch {
		case kid.key != name:
			kept = kid.end
			continue
		case kept >= 0:
			w.replace(kept, kid.end, "")
			kept = kid.end // the next one takes its own comma
		case i+1 < len(n.kids):
			w.replace(kid.from, n.kids[i+1].from, "")
		default:
			w.replace(kid.from, kid.end, "")
		}
		dropped = true
	}
	return dropped
}

// String returns the text with the edits made, which must not overlap.
func (w *rewrite) String() string {
	if len(w.edits) == 0 {
		return w.raw
	}
	slices.SortFunc(w.edits, func(a, b change) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	end := 0
	for _, e := range w.edits {
		b.WriteString(w.raw[end:e.start])
		b.WriteString(e.text)
		end = e.end
	}
	b.WriteString(w.raw[end:])
	return b.String()
}

// kind returns the byte a value begins with.
func (w *rewrite) kind(n *node) byte { return w.raw[n.start] }

// text returns the bytes of a value.
func (w *rewrite) text(n *node) string { return w.raw[n.start:n.end] }

// str returns the string value of the member called name, "" if it has none.
func (w *rewrite) str(n *node, name string) string {
	m := n.member(name)
	if m == nil {
		return ""
	}
	s, _ := stringValue(w.text(m))
	return s
}

// has reports whether the member called name is a string, and not empty.
func (w *rewrite) has(n *node, name string) bool {
	m := n.member(name)
	return m != nil && w.kind(m) == '"' && m.end-m.start > 2
}

// is reports whether the member called name is the string value.
func (w *rewrite) is(n *node, name, value string) bool {
	m := n.member(name)
	if m == nil || w.kind(m) != '"' {
		return false
	}
	return isKey(w.text(m), value)
}

// entry returns e with the edits made.
func (w *rewrite) entry(e Entry) Entry {
	if len(w.edits) == 0 {
		return e
	}
	out := scan(w.String())
	out.line, out.offset = e.line, e.offset
	return out
}

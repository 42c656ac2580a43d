package convo

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
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

// parseEntry returns the object that an entry is.
func parseEntry(e session.Entry) node {
	raw := e.Raw()
	return parseNode(raw, strings.IndexByte(raw, '{'))
}

// parseNode returns the value of the valid JSON text raw that begins at i.
func parseNode(raw string, i int) node {
	n := node{start: i, from: i}
	switch raw[i] {
	case '{':
		from := i + 1 // where the comma or the brace before a key ends
		n.end = js.WalkObject(raw, i, func(key string, at int) int {
			kid := parseNode(raw, at)
			kid.key, kid.from = js.Unquote(key), from+strings.IndexByte(raw[from:], '"')
			n.kids = append(n.kids, kid)
			from = kid.end
			return kid.end
		})
	case '[':
		n.end = js.WalkArray(raw, i, func(at int) int {
			n.kids = append(n.kids, parseNode(raw, at))
			return n.kids[len(n.kids)-1].end
		})
	default:
		n.end = js.ValueEnd(raw, i)
	}
	return n
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

// A rewrite is a JSON text and the changes of it.
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
	return js.Value(w.text(m)).Str()
}

// is reports whether the member called name is the string value.
func (w *rewrite) is(n *node, name, value string) bool {
	m := n.member(name)
	if m == nil || w.kind(m) != '"' {
		return false
	}
	return js.IsKey(w.text(m), value)
}

// entry returns e with the edits made.
func (w *rewrite) entry(e session.Entry) session.Entry {
	if len(w.edits) == 0 {
		return e
	}
	return e.Rewritten(w.String())
}

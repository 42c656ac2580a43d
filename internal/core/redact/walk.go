package redact

import (
	"sort"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// A text is a string of a line: a value or a key.
type text struct {
	js.Span        // of the literal, in the line
	key     bool   // it is a key
	in      int    // the frame that holds it
	name    string // the literal of the key whose value it is, "" for an element
	index   int    // of the element
}

// A frame is an object or an array.
type frame struct {
	from   int // where it begins
	up     int // the frame that holds it, -1 for the outermost
	object bool
	name   string // as in text
	index  int
}

// A tree is what a line is made of.
type tree struct {
	line   string
	texts  []text
	frames []frame
}

// read reads a line, which is valid JSON, into a tree whose memory it uses again.
func (t *tree) read(line string) {
	t.line, t.texts, t.frames = line, t.texts[:0], t.frames[:0]
	at, name, index := -1, "", 0 // the frame, and the place in it
	wantKey := false
	for i := 0; i < len(line); {
		switch line[i] {
		case '"':
			end := js.ValueEnd(line, i)
			t.texts = append(t.texts, text{Span: js.Span{From: i, To: end}, key: wantKey, in: at, name: name, index: index})
			if wantKey {
				name, wantKey = line[i:end], false
				t.texts[len(t.texts)-1].name = name
			}
			i = end
			continue
		case '{', '[':
			t.frames = append(t.frames, frame{from: i, up: at, object: line[i] == '{', name: name, index: index})
			at, name, index, wantKey = len(t.frames)-1, "", 0, line[i] == '{'
		case '}', ']':
			f := t.frames[at]
			at, name, index, wantKey = f.up, f.name, f.index, false
		case ',':
			if at >= 0 && t.frames[at].object {
				wantKey = true
			} else {
				index++
			}
		}
		i++
	}
}

// literal returns a text as it is written.
func (t *tree) literal(x text) string { return t.line[x.From:x.To] }

// shape returns the tree of a line without its texts: two lines with the same shape differ
// only in strings.
func shape(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		if line[i] == '"' {
			b.WriteByte('"')
			i = js.ValueEnd(line, i)
			continue
		}
		b.WriteByte(line[i])
		i++
	}
	return b.String()
}

// field returns the path of a text as it is shown: of names and indexes, where a name that
// may be a secret, or is none of those that programs choose, is "key". The outer "message"
// is left out. With to, it is the path of the row of blocks from x to that element.
func (t *tree) field(x text, shown func(key string) bool, to int) string {
	name := func(lit string) string {
		if plain := js.Unquote(lit); isName(plain) && shown(plain) {
			return plain
		}
		return "key"
	}
	var path string
	add := func(object bool, lit string, index string) {
		switch {
		case !object:
			path += "[" + index + "]"
		case path == "" && lit == `"message"` && x.in > 0:
		case path == "":
			path = name(lit)
		default:
			path += "." + name(lit)
		}
	}
	var chain []int
	for at := x.in; at >= 0; at = t.frames[at].up {
		chain = append(chain, at)
	}
	for i := len(chain) - 1; i > 0; i-- { // the frame chain[i-1] in chain[i]
		f := t.frames[chain[i-1]]
		index := strconv.Itoa(f.index)
		if i == 1 && to > f.index {
			index += ".." + strconv.Itoa(to)
		}
		add(t.frames[chain[i]].object, f.name, index)
	}
	switch {
	case x.key:
		add(true, `"key"`, "")
	case x.in >= 0:
		add(t.frames[x.in].object, x.name, strconv.Itoa(x.index))
	}
	return path
}

// isName reports whether a key is one that programs choose.
func isName(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	for _, c := range []byte(s) {
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '$' {
			return false
		}
	}
	return true
}

// places are the members whose objects a session is made of. Objects in others, as the arguments of
// a call, are of the conversation.
var places = set("message", "content", "payload", "blocks", "parts", "")

// structural are the members that link entries, calls and results, or name their types.
var structural = set("id", "parentId", "targetId", "fromId", "firstKeptEntryId", "toolCallId", "timestamp", "type", "role",
	"tool_call_id", "tool_use_id", "call_id", "callID", "uuid", "parentUuid", "sessionId", "messageID", "sessionID")

// opaque are the members that hold what only a server can read.
var opaque = set("thinkingSignature", "textSignature", "thoughtSignature", "thought_signature", "signature",
	"encrypted_content", "encryptedContent", "reasoningSignature")

func set(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out
}

// structural reports whether a text is an id, a time or the like.
func (t *tree) structural(x text) bool {
	if x.key || x.in < 0 || !structural[js.Unquote(x.name)] {
		return false
	}
	for at := x.in; t.frames[at].up >= 0; at = t.frames[at].up {
		if !places[js.Unquote(t.frames[at].name)] {
			return false
		}
	}
	return true
}

// opaque reports whether a text is a signature.
func (t *tree) opaque(x text) bool { return !x.key && opaque[js.Unquote(x.name)] }

// telling are parts of keys that say that their value is a secret.
var telling = []string{"pass", "pwd", "secret", "token", "key", "credential", "auth", "cookie"}

// context returns the name in front of a value for rules that want to see it, "" if the name says
// nothing. The name of a member called value stands beside it.
func (t *tree) context(x text) string {
	literal := x.name
	if x.name == "" {
		literal = t.before(x)
	}
	if x.key || len(literal) < 5 || len(literal) > 66 {
		return ""
	}
	name := js.Unquote(literal)
	if strings.EqualFold(name, "value") {
		name = t.beside(x)
	}
	lower := strings.ToLower(name)
	for _, word := range telling {
		switch {
		case !strings.Contains(lower, word):
		case strings.Contains(name, "-"): // of a header
			return name + `: "`
		default:
			return name + `="`
		}
	}
	return ""
}

// before returns the literal of the word in front of one in an array, "" if that is no name: ["API_KEY", "…"].
func (t *tree) before(x text) string {
	at := sort.Search(len(t.texts), func(i int) bool { return t.texts[i].From >= x.From })
	if at == 0 || x.key || t.texts[at-1].in != x.in || t.texts[at-1].key || t.texts[at-1].index != x.index-1 {
		return ""
	}
	if word := t.literal(t.texts[at-1]); isName(strings.Trim(word, `"`)) {
		return word
	}
	return ""
}

// naming are the members that name what another member of the same object holds.
var naming = set("name", "key", "header", "variable", "field")

// beside returns the name that an object gives to its value, "" if it gives none.
func (t *tree) beside(x text) string {
	const near = 8
	at := sort.Search(len(t.texts), func(i int) bool { return t.texts[i].From >= x.From })
	for _, y := range t.texts[max(at-near, 0):min(at+near, len(t.texts))] {
		if y.in == x.in && !y.key && naming[strings.ToLower(js.Unquote(y.name))] && y.To-y.From <= 66 {
			return js.Unquote(t.literal(y))
		}
	}
	return ""
}

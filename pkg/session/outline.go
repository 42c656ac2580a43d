package session

import (
	"bytes"
	"hash/maphash"
	"io"
	"strings"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/metering"
)

// ReadOutline is Read for a caller who needs the tree of a session and not its text: it takes memory for each
// entry, not for each byte. The Raw of an entry is an outline of the line: the members that identify, date
// and link entries; of a message its role, its time, the ids of tool calls and the members that
// [Message.Foreign] looks at; of a replacement of what kind it is; and any other member that is short. A session of version 1 or 2 is read as Read
// does.
func ReadOutline(r io.Reader) (*Session, error) {
	seed := maphash.MakeSeed()
	rd := reader{outline: func() parser { return newOutliner(seed).parse }}
	return rd.read(r)
}

// ownMemory is how many bytes a line has at least that shares its memory with no other line.
const ownMemory = 256 << 10

// ReadCut is Read for a caller who does not need all of the text of a session: of each line it keeps what cut returns, which is the
// line, or a shorter one for the same object with some of its values replaced. Several goroutines call cut, and it keeps nothing of the line. A session of version 1
// or 2 is read as Read does.
func ReadCut(r io.Reader, cut func(line string) string) (*Session, error) {
	seed := maphash.MakeSeed()
	parse := func(_ jsonl.Line, data []byte) (Entry, bool) {
		if !js.Valid(data) {
			return Entry{}, false
		}
		line := unsafe.String(unsafe.SliceData(data), len(data))
		kept := line
		if isObject(line) {
			kept = cut(line)
		}
		if len(kept) < len(line) {
			e := scan(kept)
			e.sum = max(1, maphash.String(seed, line))
			return e, true
		}
		if len(line) < ownMemory {
			kept = strings.Clone(kept)
		}
		return scan(kept), true
	}
	rd := reader{outline: func() parser { return parse }}
	return rd.read(r)
}

// shortMember is a number of bytes: the text of a member that has no more is kept in the outline, whatever the member
// is called.
const shortMember = 40

// An outliner makes outlines of lines, in the pass that validates them.
type outliner struct {
	seed   maphash.Seed // hash seed for SameLine; zero disables it
	member func(level int, key, value js.Span)

	line    string
	buf     []byte
	found   places       // of several members with one key the last
	inner   messageParts // of the member that has begun, whatever it is
	block   blockShape   // of the element that has begun, whatever it is of
	foreign string       // an outline of the first element of a list that is a foreign block
}

// places are where values are in an outline.
type places struct{ typ, id, parent, message js.Span }

// messageParts are JSON texts, "" where there is none.
type messageParts struct {
	role, timestamp, callID, content, usage, foreignMember, foreignBlock string
	response, model                                                      string // of a reply of an API
}

func newOutliner(seed maphash.Seed) *outliner {
	k := &outliner{seed: seed}
	k.member = k.take // once, as it costs memory
	return k
}

// parse reads an entry from a line and keeps nothing of its memory.
func (k *outliner) parse(_ jsonl.Line, data []byte) (Entry, bool) {
	k.line = unsafe.String(unsafe.SliceData(data), len(data))
	k.buf, k.found, k.inner = append(k.buf[:0], '{'), places{}, messageParts{}
	k.block, k.foreign = blockShape{}, ""
	if !js.ValidMembers(data, 3, k.member) {
		return Entry{}, false
	}
	raw := string(append(k.buf, '}'))
	part := func(s js.Span) string { return raw[s.From:s.To] }
	e := Entry{entry: &entry{raw: raw, message: span{uint32(k.found.message.From), uint32(k.found.message.To)}}}
	e.typ, e.hasType = js.Value(part(k.found.typ)).Text()
	e.id, e.hasID = js.Value(part(k.found.id)).Text()
	e.parent, _ = js.Value(part(k.found.parent)).Text()
	if k.seed != (maphash.Seed{}) {
		e.sum = max(1, maphash.String(k.seed, k.line))
	}
	return e, true
}

// take adds a member to the outline: one of level 2 when the object around it ends.
func (k *outliner) take(level int, key, value js.Span) {
	name, text := k.line[key.From:key.To], k.line[value.From:value.To]
	switch level {
	case 3:
		k.takeBlock(name, text)
		return
	case 2:
		k.takeInner(js.PlainKey(name), text)
		return
	}
	name = js.PlainKey(name)
	switch name {
	case `"message"`:
		if text[0] == '{' {
			k.found.message = k.message(k.inner)
		} else {
			k.found.message = k.add(name, "null") // no message, but of several the last counts
		}
	case `"type"`:
		k.found.typ = k.add(name, text)
	case `"id"`:
		k.found.id = k.add(name, text)
	case `"parentId"`:
		k.found.parent = k.add(name, text)
	case `"timestamp"`, `"targetId"`, `"firstKeptEntryId"`:
		k.add(name, text)
	case `"replacement"`:
		if len(text) > shortMember {
			text = text[:1] + text[len(text)-1:] // an empty one of its kind
		}
		k.add(name, text)
	default:
		if len(text) <= shortMember {
			k.add(name, text)
		}
	}
	k.inner = messageParts{}
}

// takeBlock takes a member of an element of a list, or its end.
func (k *outliner) takeBlock(name, text string) {
	if name != "" {
		k.block.has(name, text)
		return
	}
	if k.foreign == "" && k.block.foreign() != "" {
		k.foreign = k.block.outline()
	}
	k.block = blockShape{}
}

// takeInner takes a member of a message, or of what may be one.
func (k *outliner) takeInner(name, text string) {
	switch name {
	case `"role"`:
		k.inner.role = text
	case `"timestamp"`:
		k.inner.timestamp = text
	case `"toolCallId"`:
		k.inner.callID = text
	case `"content"`:
		k.inner.content, k.inner.foreignBlock = text, k.foreign
	case `"usage"`:
		k.inner.usage = text
	case `"responseId"`:
		k.inner.response = text
	case `"model"`:
		k.inner.model = text
	case `"tool_calls"`, `"function_call"`:
		k.inner.foreignMember = name
	}
	k.foreign = ""
}

// message adds a message, of its content the tool calls and of those the ids.
func (k *outliner) message(m messageParts) js.Span {
	k.key(`"message"`)
	from := len(k.buf)
	k.buf = append(k.buf, '{')
	k.add(`"role"`, m.role)
	k.add(`"timestamp"`, m.timestamp)
	k.add(`"toolCallId"`, m.callID)
	who, _ := js.Value(m.role).Text()
	if calls := who == RoleAssistant && mayCall(m.content); calls || m.foreignBlock != "" {
		k.key(`"content"`)
		k.buf = append(append(k.buf, '['), m.foreignBlock...)
		for b := range Blocks(m.content) {
			if !calls || b.Type != BlockToolCall {
				continue
			}
			k.separate()
			k.buf = append(k.buf, `{"type":"toolCall"`...)
			k.add(`"id"`, b.Get("id"))
			k.buf = append(k.buf, '}')
		}
		k.buf = append(k.buf, ']')
	}
	if m.response != "" { // what tells whether another entry has the same reply
		k.add(`"responseId"`, m.response)
		k.add(`"model"`, m.model)
	}
	if js.Value(m.usage).IsObject() && (m.response != "" || !metering.CountsTokens(m.usage)) {
		k.add(`"usage"`, m.usage)
	}
	if m.foreignMember != "" {
		k.add(m.foreignMember, "true")
	}
	k.buf = append(k.buf, '}')
	return js.Span{From: from, To: len(k.buf)}
}

// mayCall reports whether a content may hold tool calls: it is a list with that
// word in it, or with one that may be spelled with escapes.
func mayCall(content string) bool {
	return strings.HasPrefix(content, "[") && (strings.Contains(content, `"toolCall"`) || strings.Contains(content, `\u00`))
}

// add adds a member, unless its value is absent, and returns where the value is.
func (k *outliner) add(key, value string) js.Span {
	if value == "" {
		return js.Span{}
	}
	k.key(key)
	from := len(k.buf)
	k.buf = append(k.buf, value...)
	return js.Span{From: from, To: len(k.buf)}
}

func (k *outliner) key(key string) {
	k.separate()
	k.buf = append(append(k.buf, key...), ':')
}

// separate puts a comma where something stands before.
func (k *outliner) separate() {
	if c := k.buf[len(k.buf)-1]; c != '{' && c != '[' {
		k.buf = append(k.buf, ',')
	}
}

// EachOutline calls visit for each entry of a session, with outlines as in
// [ReadOutline], and keeps none of them.
//
// It stops and returns false where visit does; at the first line that is blank, ends
// in a carriage return, lacks its line feed, or is a problem to Read; and for a
// session of an old version. Problems between entries, such as an id that stands
// twice, are for visit to find. An error is that of r.
func EachOutline(r io.Reader, visit func(Entry) bool) (bool, error) {
	rd := reader{
		s: &Session{}, visit: visit,
		outline: func() parser { return newOutliner(maphash.Seed{}).parse },
	}
	err := rd.blocks(r)
	if _, ok := AsProblem(err); ok {
		return false, nil
	}
	return err == nil && rd.opened && !rd.stopped && rd.s.Header.Version == Version && len(rd.s.Problems) == 0, err
}

// clean reports whether the line by itself is an entry without a problem.
func (k parsedLine) clean() bool {
	return k.utf8 && !k.line.Torn && !bytes.HasSuffix(k.line.Data, []byte("\r"))
}

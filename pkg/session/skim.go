package session

import (
	"hash/maphash"
	"io"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// Skim is Read for a caller who asks how a session hangs together and not what
// it says: it takes memory for each entry, not for each byte. An entry's Raw is a
// sketch of the line: the members that entries are found, dated and tied to each
// other by, of a message role, time and the ids of tool calls, and whatever else
// is short. A session of version 1 or 2 is read as Read does.
func Skim(r io.Reader) (*Session, error) {
	seed := maphash.MakeSeed()
	rd := reader{sketch: func() func(string) Entry {
		k := sketcher{seed: seed}
		return k.sketch
	}}
	return rd.read(r)
}

// shortMember is how many bytes a member's text has at most that is kept whatever
// it is.
const shortMember = 40

// A sketcher makes sketches of lines.
type sketcher struct {
	seed maphash.Seed // of what tells lines apart; zero if nobody asks
	buf  []byte
}

// sketch reads an entry from a line and keeps nothing of its memory.
func (k *sketcher) sketch(line string) Entry {
	k.buf = append(k.buf[:0], '{')
	js.WalkObject(line, strings.IndexByte(line, '{'), func(key string, at int) int {
		key = plainKey(key)
		if key == `"message"` && line[at] == '{' {
			k.key(key)
			return k.message(line, at)
		}
		end := js.ValueEnd(line, at)
		switch key {
		case `"message"`: // no message, but of several the last counts
			k.member(key, "null")
		case `"id"`, `"parentId"`, `"type"`, `"timestamp"`, `"targetId"`, `"firstKeptEntryId"`:
			k.member(key, line[at:end])
		default:
			if end-at <= shortMember {
				k.member(key, line[at:end])
			}
		}
		return end
	})
	e := scan(string(append(k.buf, '}')))
	if k.seed != (maphash.Seed{}) {
		e.sum = max(1, maphash.String(k.seed, line))
	}
	return e
}

// message sketches the message that begins at line[at], of the content the tool
// calls and of those the ids. It returns where the message ends.
func (k *sketcher) message(line string, at int) (end int) {
	var role, timestamp, callID, content string
	end = js.WalkObject(line, at, func(key string, at int) int {
		end := js.ValueEnd(line, at)
		switch plainKey(key) {
		case `"role"`:
			role = line[at:end]
		case `"timestamp"`:
			timestamp = line[at:end]
		case `"toolCallId"`:
			callID = line[at:end]
		case `"content"`:
			content = line[at:end]
		}
		return end
	})
	k.buf = append(k.buf, '{')
	k.member(`"role"`, role)
	k.member(`"timestamp"`, timestamp)
	k.member(`"toolCallId"`, callID)
	if who, _ := stringValue(role); who == RoleAssistant && mayCall(content) {
		k.calls(content)
	}
	k.buf = append(k.buf, '}')
	return end
}

// mayCall reports whether a content may hold tool calls: it is a list with that
// word in it, or with one that may be spelled with escapes.
func mayCall(content string) bool {
	return strings.HasPrefix(content, "[") && (strings.Contains(content, `"toolCall"`) || strings.Contains(content, `\u00`))
}

// calls sketches the tool calls of a content.
func (k *sketcher) calls(content string) {
	k.key(`"content"`)
	k.buf = append(k.buf, '[')
	for b := range blocks(content) {
		if b.Type != "toolCall" {
			continue
		}
		k.separate()
		k.buf = append(k.buf, `{"type":"toolCall"`...)
		k.member(`"id"`, b.Get("id"))
		k.buf = append(k.buf, '}')
	}
	k.buf = append(k.buf, ']')
}

func (k *sketcher) member(key, value string) {
	if value != "" {
		k.key(key)
		k.buf = append(k.buf, value...)
	}
}

func (k *sketcher) key(key string) {
	k.separate()
	k.buf = append(append(k.buf, key...), ':')
}

// separate puts a comma where something stands before.
func (k *sketcher) separate() {
	if c := k.buf[len(k.buf)-1]; c != '{' && c != '[' {
		k.buf = append(k.buf, ',')
	}
}

package claude

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// agent is the name of the format, which begins the types of its custom entries.
const agent = "claude"

// customLine is the type of the custom entries that keep lines, without the
// format's name. Their data is {"of":[…],"lines":[…]}: the ids of the entries that
// the lines became, and for each line an object:
//
//	"n"       its number in the file, by which an export puts lines in order
//	"line"    the line; its content null if form says how to make that
//	"form"    how its content is spelled, a sum of the form constants
//	"blocks"  of a line of a reply: how many of the message's blocks are its own
//	"details" true if toolUseResult is the details of the message
//	"sum"     of a line that is whole: that of the contents it became
const (
	customLine = "line"
	customLeaf = "leaf" // {"uuid"}: where the conversation goes on from
)

// How a content is spelled.
const (
	formText    = 1 << iota // a text alone is a string, not a block
	formResult              // the same in the result of a tool
	formSucceed             // a result says is_error even if it is false
	formInput               // a call has its input before its id
	forms
)

// spelled returns the content of the messages in the given form.
func spelled(messages []session.Message, form int) string {
	var out []string
	for _, m := range messages {
		if m.Role() == session.RoleToolResult {
			out = append(out, spelledResult(m, form))
			continue
		}
		for b := range m.Blocks() {
			out = append(out, spelledBlock(b, form))
		}
	}
	if len(messages) == 1 && form&formText != 0 && messages[0].Role() != session.RoleToolResult {
		if text, ok := alone(messages[0]); ok {
			return text
		}
	}
	return formats.Array(out...)
}

// alone returns the only text of a message as a literal.
func alone(m session.Message) (literal string, ok bool) {
	n := 0
	for b := range m.Blocks() {
		if n++; n > 1 || b.Type != "text" {
			return "", false
		}
		literal = js.Quote(b.Str("text"))
	}
	return literal, n == 1
}

func spelledResult(m session.Message, form int) string {
	var parts []string
	for b := range m.Blocks() {
		parts = append(parts, spelledBlock(b, form))
	}
	content := formats.Array(parts...)
	if text, ok := alone(m); ok && form&formResult != 0 {
		content = text
	}
	failed := js.Field{Name: "is_error"}
	if m.Get("isError") == "true" || form&formSucceed != 0 {
		failed.Raw = m.Get("isError")
	}
	return js.Object(js.StringField("tool_use_id", m.Str("toolCallId")), js.StringField("type", "tool_result"),
		js.RawField("content", content), failed)
}

// spelledBlock returns a block as the API has it.
func spelledBlock(b session.Block, form int) string {
	typ := js.StringField("type", b.Type)
	if data, ok := b.Encrypted(); ok {
		return js.Object(js.StringField("type", "redacted_thinking"), js.StringField("data", data))
	}
	switch {
	case b.Type == "thinking":
		return js.Object(typ, js.StringField("thinking", b.Str("thinking")), js.StringField("signature", b.Str("thinkingSignature")))
	case b.Type == "image":
		return js.Object(typ, js.RawField("source", js.Object(js.StringField("type", "base64"),
			js.StringField("media_type", b.Str("mimeType")), js.StringField("data", b.Str("data")))))
	case b.Type == "toolCall":
		typ.Raw = `"tool_use"`
		id, name := js.StringField("id", b.Str("id")), js.StringField("name", b.Str("name"))
		input := js.RawField("input", b.Get("arguments"))
		if form&formInput != 0 {
			return js.Object(typ, name, input, id)
		}
		return js.Object(typ, id, name, input)
	}
	return js.Object(typ, js.StringField("text", b.Str("text")))
}

// kept returns what is kept of a line that became the messages: the line without
// what they say, if that can be put back, else the line.
func kept(number int, text string, l line, messages []session.Message, reply bool) string {
	n := js.RawField("n", strconv.Itoa(number))
	content, details := string(l.get("message").Get("content")), ""
	if len(messages) == 1 && messages[0].Get("details") == string(l.get("toolUseResult")) {
		details = messages[0].Get("details")
	}
	emptied := filled(text, "null", "null", content, details)
	blocks := js.Field{Name: "blocks"}
	if reply {
		blocks.Raw = strconv.Itoa(blockCount(messages))
	}
	for form := range forms {
		if content == "" || messages == nil || spelled(messages, form) != content {
			continue
		}
		if filled(emptied, content, details, "null", present(details, "null")) != text {
			break
		}
		fields := []js.Field{n, {Name: "form", Raw: strconv.Itoa(form)}, blocks}
		if details != "" {
			fields = append(fields, js.RawField("details", "true"))
		}
		return js.Object(append(fields, js.RawField("line", emptied))...)
	}
	fields := []js.Field{n, blocks}
	if messages != nil {
		fields = append(fields, js.StringField("sum", sum(messages)))
	}
	return js.Object(append(fields, js.RawField("line", text))...)
}

func present(value, then string) string {
	if value == "" {
		return ""
	}
	return then
}

// filled returns the line with another content in place of the content was, and
// other details in place of wasDetails, if that is not "". The line has no white
// space between its tokens, or what comes of it differs.
func filled(text, content, details, was, wasDetails string) string {
	var fields []js.Field
	for key, value := range js.Members(text) {
		name := js.Unquote(key)
		switch {
		case name == "message" && strings.HasPrefix(value, "{"):
			var inner []js.Field
			for k, v := range js.Members(value) {
				if js.Unquote(k) == "content" && v == was {
					v = content
				}
				inner = append(inner, js.RawField(js.Unquote(k), v))
			}
			value = js.Object(inner...)
		case name == "toolUseResult" && wasDetails != "" && value == wasDetails:
			value = details
		}
		fields = append(fields, js.RawField(name, value))
	}
	return js.Object(fields...)
}

func blockCount(messages []session.Message) (n int) {
	for _, m := range messages {
		for range m.Blocks() {
			n++
		}
	}
	return n
}

// sum returns a digest of the contents of messages.
func sum(messages []session.Message) string {
	h := sha256.New()
	for _, m := range messages {
		h.Write([]byte(m.Role() + "\n" + m.Get("content") + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// A keeping is what an entry "claude:line" keeps.
type keeping struct {
	of    []string
	lines []keptLine
}

type keptLine struct {
	n, form, blocks int
	details         bool
	sum, line       string
}

// keptIn returns what an entry keeps; ok is false if it keeps nothing.
func keptIn(e session.Entry) (k keeping, ok bool) {
	if formats.CustomName(e, "claude") != customLine {
		return k, false
	}
	data := js.Value(e.Get("data"))
	for id := range data.Get("of").Elements() {
		k.of = append(k.of, id.Str())
	}
	for v := range data.Get("lines").Elements() {
		l := keptLine{
			n: number(v.Get("n"), 0), form: number(v.Get("form"), none), blocks: number(v.Get("blocks"), none),
			details: v.Get("details") == "true", sum: v.Get("sum").Str(), line: string(v.Get("line")),
		}
		if !v.Get("line").IsObject() {
			return k, false
		}
		k.lines = append(k.lines, l)
	}
	return k, len(k.lines) > 0
}

// messages returns the messages of the entries that k is kept for; ok is false if
// not all of them are there.
func (x *exporter) messages(k keeping) (out []session.Message, ok bool) {
	for _, id := range k.of {
		i, there := x.index[id]
		if !there {
			return nil, false
		}
		if m, is := x.s.Entries[i].Message(); is {
			out = append(out, m)
		}
	}
	return out, true
}

// intact reports whether what is kept still belongs to what the entries say.
func (x *exporter) intact(k keeping) bool {
	messages, ok := x.messages(k)
	if !ok {
		return false
	}
	from := 0
	for _, l := range k.lines {
		own := messages
		if l.blocks != none {
			if len(messages) != 1 {
				return false
			}
			own = []session.Message{part(messages[0], from, l.blocks)}
			from += l.blocks
		}
		if l.sum != "" && sum(own) != l.sum || l.form != none && len(own) == 0 {
			return false
		}
	}
	return k.lines[0].blocks == none || from == blockCount(messages)
}

// restore writes lines that are kept.
func (x *exporter) restore(e session.Entry, k keeping) {
	messages, _ := x.messages(k)
	from := 0
	for _, l := range k.lines {
		text := l.line
		if l.form != none {
			own := messages
			if l.blocks != none {
				own = []session.Message{part(messages[0], from, l.blocks)}
			}
			details := ""
			if l.details {
				details = messages[0].Get("details")
			}
			text = filled(text, spelled(own, l.form), details, "null", present(details, "null"))
		}
		from += max(l.blocks, 0)
		if x.moved {
			text = withSession(text, x.session)
		}
		x.out = append(x.out, written{l.n, text})
		x.at = max(x.at, l.n)
		if name := js.Value(text).Get("uuid").Str(); name != "" {
			for _, id := range k.of {
				x.called(id, name)
			}
			x.called(e.ID(), name)
		}
	}
	if _, named := x.uuids[e.ID()]; !named {
		x.uuids[e.ID()] = x.parent(e)
	}
}

// called says that a line for an entry has this uuid.
func (x *exporter) called(id, name string) {
	x.uuids[id] = name
	if x.firsts[id] == "" {
		x.firsts[id] = name
	}
}

// part returns a message of n blocks of m.
func part(m session.Message, from, n int) session.Message {
	var own []string
	i := 0
	for b := range m.Blocks() {
		if i >= from && i < from+n {
			own = append(own, b.Raw())
		}
		i++
	}
	return formats.Assistant(own)
}

func withSession(text, id string) string {
	v := js.Value(text)
	if v.Get("sessionId") == "" {
		return text
	}
	return string(v.With("sessionId", js.Value(js.Quote(id))))
}

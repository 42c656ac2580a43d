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
	switch {
	case b.Type == "thinking" && b.Get("redacted") == "true":
		return js.Object(js.StringField("type", "redacted_thinking"), js.StringField("data", b.Str("thinkingSignature")))
	case b.Type == "thinking":
		return js.Object(typ, js.StringField("thinking", b.Str("thinking")), js.StringField("signature", b.Str("thinkingSignature")))
	case b.Type == "image":
		return js.Object(typ, js.Field{Name: "source", Raw: js.Object(js.StringField("type", "base64"),
			js.StringField("media_type", b.Str("mimeType")), js.StringField("data", b.Str("data")))})
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
func kept(number int, text string, l *line, messages []session.Message, reply bool) string {
	n := js.RawField("n", strconv.Itoa(number))
	content, details := string(js.Value(l.message).Get("content")), ""
	if len(messages) == 1 && l.toolUseResult != "" && messages[0].Get("details") == l.toolUseResult {
		details = l.toolUseResult
	}
	hollow := filled(text, "null", "null", content, details)
	blocks := js.Field{Name: "blocks"}
	if reply {
		blocks.Raw = strconv.Itoa(blockCount(messages))
	}
	for form := range forms {
		if content == "" || messages == nil || spelled(messages, form) != content {
			continue
		}
		if filled(hollow, content, details, "null", present(details, "null")) != text {
			break
		}
		fields := []js.Field{n, {Name: "form", Raw: strconv.Itoa(form)}, blocks}
		if details != "" {
			fields = append(fields, js.RawField("details", "true"))
		}
		return js.Object(append(fields, js.RawField("line", hollow))...)
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

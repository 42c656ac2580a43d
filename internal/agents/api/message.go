package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

// Array returns the JSON text of an array of JSON texts.
func Array[Raw ~string](elements ...Raw) string {
	var b strings.Builder
	b.Grow(sizeOf(elements)) // an element may be huge
	writeArray(&b, elements)
	return b.String()
}

// sizeOf returns how many bytes an array has at most.
func sizeOf[Raw ~string](elements []Raw) int {
	size := len("[]")
	for _, e := range elements {
		size += len(e) + len(",")
	}
	return size
}

func writeArray[Raw ~string](b *strings.Builder, elements []Raw) {
	b.WriteByte('[')
	for i, e := range elements {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(e))
	}
	b.WriteByte(']')
}

// Str is a field with a string value, none for "".
func Str(name, value string) js.Field {
	if value == "" {
		return js.Field{Name: name}
	}
	return js.StringField(name, value)
}

// Int returns the JSON text of a number.
func Int(n int64) string { return strconv.FormatInt(n, 10) }

// Compact returns a JSON text on one line, its tokens as they were. A text that
// is on one line already stays as it is.
func Compact(raw string) string {
	if strings.IndexByte(raw, '\n') < 0 && strings.IndexByte(raw, '\r') < 0 { // faster than ContainsAny
		return raw
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(raw)) != nil {
		return raw // the reader of the result refuses it
	}
	return b.String()
}

// Text returns a text block.
func Text(text string) string {
	return js.Object(js.StringField("type", session.BlockText), js.StringField("text", text))
}

// TextOf returns a text block of a string that is JSON already, which stays as it is
// written; of any other value one without text.
func TextOf(literal js.Value) string {
	if !literal.IsString() {
		literal = `""`
	}
	return js.Object(js.StringField("type", session.BlockText), js.RawField("text", literal))
}

// Thinking returns a thinking block; the signature may be "".
func Thinking(text, signature string) string {
	return js.Object(js.StringField("type", session.BlockThinking), js.StringField("thinking", text), Str("thinkingSignature", signature))
}

// RedactedThinking returns a block of thinking that only its provider can read.
func RedactedThinking(data string) string {
	return js.Object(js.StringField("type", session.BlockThinking), js.StringField("thinking", ""),
		js.StringField("thinkingSignature", data), js.RawField("redacted", "true"))
}

// Image returns an image block of base64 data.
func Image(mediaType, data string) string {
	return js.Object(js.StringField("type", session.BlockImage), js.StringField("data", data), js.StringField("mimeType", mediaType))
}

// documentNote returns a text that stands for a document of base64 data, as "[image …]" does for an image: its name, its
// type and its place, as far as they are known, and its size.
func documentNote(data string, known ...string) string {
	note := strings.Join(slices.DeleteFunc(append([]string{"document"}, known...), func(s string) bool { return s == "" }), " ")
	if data != "" {
		note += fmt.Sprintf(", %d bytes", len(strings.TrimRight(data, "="))*3/4)
	}
	return Text("[" + note + "]")
}

// ToolCall returns a tool call block; arguments is the JSON text of an object.
func ToolCall(id, name, arguments string) string {
	return js.Object(js.StringField("type", session.BlockToolCall), js.StringField("id", id), js.StringField("name", name),
		js.RawField("arguments", arguments))
}

// User returns a user message of blocks.
func User(blocks []string, more ...js.Field) session.Message {
	return message([]js.Field{js.StringField("role", session.RoleUser)}, blocks, more)
}

// Assistant returns an assistant message of blocks. A [Builder] fills in the fields that are not
// given.
func Assistant(blocks []string, more ...js.Field) session.Message {
	return message([]js.Field{js.StringField("role", session.RoleAssistant)}, session.JoinProvided(blocks), more)
}

// ToolResult returns the result of a tool call.
func ToolResult(callID, tool string, blocks []string, failed bool, more ...js.Field) session.Message {
	return message([]js.Field{
		js.StringField("role", session.RoleToolResult), js.StringField("toolCallId", callID), js.StringField("toolName", tool),
	}, blocks, append([]js.Field{{Name: "isError", Raw: strconv.FormatBool(failed)}}, more...))
}

// message returns a message of blocks. They may be huge, and are copied but once.
func message(before []js.Field, blocks []string, behind []js.Field) session.Message {
	head, tail := strings.TrimSuffix(js.Object(before...), "}")+`,"content":`, js.Object(behind...)
	var b strings.Builder
	b.Grow(len(head) + sizeOf(blocks) + len(tail))
	b.WriteString(head)
	writeArray(&b, blocks)
	if len(tail) > len("{}") {
		b.WriteByte(',')
	}
	b.WriteString(tail[1:])
	return session.NewMessage(b.String())
}

// FormatDataURL returns a base64 data URL.
func FormatDataURL(mediaType, data string) string { return "data:" + mediaType + ";base64," + data }

// DataURL takes a base64 data URL apart; ok is false for any other text.
func DataURL(url string) (mediaType, data string, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return "", "", false
	}
	head, data, ok := strings.Cut(rest, ",")
	if !ok {
		return "", "", false
	}
	mediaType, ok = strings.CutSuffix(head, ";base64")
	mediaType, _, _ = strings.Cut(mediaType, ";")
	return mediaType, data, ok
}

// Whole returns a number that is written as a whole one and that JavaScript holds
// exactly; ok is false for any other value.
func Whole(v js.Value) (n int64, ok bool) {
	n, err := strconv.ParseInt(string(v), 10, 54)
	if err != nil {
		return 0, false
	}
	return n, true
}

// Tokens returns a count of tokens, 0 for a value that is no count.
func Tokens(v js.Value) int64 {
	n, _ := Whole(v)
	return max(n, 0)
}

// tiered returns the usage of a response, with the service tier that stands beside it.
func tiered(response js.Value) js.Value {
	usage, tier := response.Get("usage"), response.Get("service_tier")
	if usage.IsObject() && tier.IsString() && usage.Get("service_tier") == "" {
		usage = usage.Add(js.RawField("service_tier", tier))
	}
	return usage
}

// Usage returns the usage of a message for what an API says of it, with counters of 0 for
// what counts nothing.
func Usage(usage js.Value) string {
	full, err := metering.UsageOf(string(usage))
	if err != nil {
		full, _ = metering.CompleteUsage("{}")
	}
	return full
}

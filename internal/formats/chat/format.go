package chat

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// OpenAI is the format of chat completions, Anthropic that of the messages API.
var (
	OpenAI    formats.Format = format{name: "openai", summary: "chat messages of OpenAI's API", dialect: openAI{}}
	Anthropic formats.Format = format{name: "anthropic", summary: "messages of Anthropic's API", dialect: anthropic{}}
)

type format struct {
	name, summary string
	dialect       dialect
}

// A dialect is what the messages of an API look like.
type dialect interface {
	// system adds the messages for what a request says beside its messages.
	system(t *talk, request string) error

	// message adds the entries for one message.
	message(t *talk, raw string) error
}

func (f format) About() formats.About {
	return formats.About{Name: f.name, Summary: f.summary, ReadOnly: true}
}

// roles are those of a first message.
var roles = []string{"system", "developer", "user", "assistant", "tool", "function"}

// signs are the texts that only Anthropic's messages have.
var signs = []string{`"tool_use"`, `"tool_result"`, `"media_type"`, `"thinking"`, `"redacted_thinking"`, `"stop_reason"`, `"cache_control"`, `"input_schema"`, `"anthropic_version"`}

// Detect takes messages, by their roles, and tells the two APIs apart by what only
// one of them has; what both could be is OpenAI's.
func (f format) Detect(_ string, head []byte) bool {
	first := firstMessage(string(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")))
	role := js.Value(first).Get("role").Str()
	if role == "" || !slices.Contains(roles, role) {
		return false
	}
	if strings.HasPrefix(first, "{") && string(js.Value(first).Get("content")) == "" && string(js.Value(first).Get("tool_calls")) == "" {
		return false // it has a role, but nothing to say
	}
	theirs := false
	for _, sign := range signs {
		theirs = theirs || bytes.Contains(head, []byte(sign))
	}
	return theirs == (f.name == "anthropic")
}

// firstMessage returns the first message of a text, which may be cut anywhere: of
// a message, a request, or an array of one of them.
func firstMessage(text string) string {
	for range 3 {
		if isRequest(text) {
			text = string(js.Value(text).Get("messages"))
		}
		if isCompletion(text) {
			text = string(js.Value(firstOf(string(js.Value(text).Get("choices")))).Get("message"))
		}
		if !strings.HasPrefix(text, "[") {
			return text
		}
		first := ""
		for element := range js.Elements(text) {
			first = element
			break
		}
		text = first
	}
	return ""
}

// isRequest reports whether a JSON text is an object with messages.
func isRequest(text string) bool {
	return strings.HasPrefix(text, "{") && string(js.Value(text).Get("role")) == "" && strings.HasPrefix(string(js.Value(text).Get("messages")), "[")
}

// Export is not done here: sess-path --as openai and --as anthropic print what is
// sent.
func (f format) Export(context.Context, *session.Session, *formats.Target) error {
	return formats.ErrReadOnly
}

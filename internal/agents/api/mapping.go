package api

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// The kinds of what a mapping leaves out or changes. They are those of the losses of a
// conversion.
const (
	KindDamage  = "damage"  // a part that is not whole
	KindContext = "context" // the model is shown more or less than before
	KindTool    = "tool"    // a tool call or a tool's result
	KindMedia   = "media"   // an image, audio, a file
)

// A Mapping makes messages of the replies of models' APIs: [Mapping.Completion] of a chat
// completion, [Mapping.Response] of a response, and [Mapping.AnthropicMessage], [Mapping.Gemini]
// and [Mapping.Ollama] of theirs. Each takes a response that is whole, or as much of one as came.
type Mapping struct {
	// Lose is told of each part that is left out or changed: with [KindDamage] of a call that was
	// cut.
	Lose func(kind, format string, args ...any)

	// Beside is called for each member that a message cannot hold. It may be nil.
	Beside func()

	// CallID returns an id for the n-th call of a reply, from 1, that has none.
	CallID func(n int) string

	// Stop is "error" or "aborted" for a reply whose end did not come, "" for any other.
	// Error is the error.
	Stop, Error string
}

// Stops are the reasons to stop of all APIs, in our words. None means two things.
var stops = map[string]string{
	// chat completions, and servers like it
	"stop": "stop", "length": "length", "tool_calls": "toolUse", "function_call": "toolUse",
	"content_filter": "error", "error": "error", "insufficient_system_resource": "error", "abort": "aborted",

	// Anthropic's messages
	"end_turn": "stop", "stop_sequence": "stop", "tool_use": "toolUse", "max_tokens": "length",
	"model_context_window_exceeded": "length", "pause_turn": "stop", "refusal": "error", "compaction": "stop",

	// the status of responses, and why they are incomplete
	"completed": "stop", "failed": "error", "cancelled": "aborted", "in_progress": "aborted", "queued": "aborted",
	"incomplete": "error", "max_output_tokens": "length",

	// Gemini; its other words are errors
	"STOP": "stop", "MAX_TOKENS": "length",

	// Ollama, which answers nothing to load and to unload a model
	"load": "stop", "unload": "stop",
}

// StopReason returns why a reply ended for the word of an API, "" for one that is not known.
func StopReason(word string) string { return stops[word] }

// StopFields returns the fields that say why a reply ended, for the word of an API.
func StopFields(word string) []js.Field {
	fields := []js.Field{Str("stopReason", StopReason(word))}
	if StopReason(word) == "error" {
		fields = append(fields, js.StringField("errorMessage", word))
	}
	return fields
}

// Known calls Beside if an object has members other than those named.
func (m Mapping) Known(raw js.Value, names ...string) {
	for name, value := range raw.Members() {
		if value != "null" && !slices.Contains(names, name) {
			m.beside()
		}
	}
}

func (m Mapping) beside() {
	if m.Beside != nil {
		m.Beside()
	}
}

// An answer is what a response says beside its content.
type answer struct {
	api, provider, model, id string

	stop, failure string // stop in our words
	usage         js.Value
	refused       bool
}

// cut reports whether the end of a reply is missing.
func (m Mapping) cut(a answer) bool { return m.Stop != "" || a.stop == "length" || a.stop == "aborted" }

// message returns the message of blocks.
func (m Mapping) message(blocks []string, a answer) session.Message {
	if m.Stop != "" {
		a.stop, a.failure = m.Stop, m.Error
	}
	if a.stop == "stop" && slices.ContainsFunc(blocks, isCall) {
		a.stop = "toolUse" // not all servers say so
	}
	fields := []js.Field{
		Str("api", a.api), Str("provider", a.provider), Str("model", a.model), Str("responseId", a.id),
		Str("stopReason", a.stop), Str("errorMessage", a.failure),
	}
	if a.usage.IsObject() {
		fields = append(fields, js.RawField("usage", Usage(a.usage)))
	}
	if a.refused {
		fields = append(fields, js.RawField("details", js.Object(js.RawField("refusal", "true"))))
	}
	return Assistant(blocks, fields...)
}

func isCall(block string) bool { return js.Value(block).Get("type").Str() == session.BlockToolCall }

// call returns the block of a call, "" if its arguments are cut: a model could not be shown
// it. Raw is the text of the arguments, and of an object wherever an API keeps to its
// documentation.
func (m Mapping) call(id, name, raw string, cut bool) string {
	arguments, ok := m.arguments(name, raw, cut)
	if !ok {
		return ""
	}
	return ToolCall(id, name, arguments)
}

// arguments returns the JSON text of the arguments of a call; ok is false for a text that was cut.
func (m Mapping) arguments(name, raw string, cut bool) (object string, ok bool) {
	raw = strings.TrimSpace(raw)
	switch {
	case raw == "":
		return "{}", true
	case raw[0] == '{' && js.Valid([]byte(raw)):
		return Compact(raw), true
	case cut:
		m.Lose(KindDamage, "a call of %q is left out, for its arguments are not whole", name)
		return "", false
	}
	m.Lose(KindTool, "the arguments of %q are no JSON object, so they are the text input", name)
	return js.Object(js.StringField("input", raw)), true
}

// text returns the JSON text of a string that is a value, or of the value itself.
func text(v js.Value) string {
	if v.IsString() {
		return v.Str()
	}
	return string(v)
}

// Package parts maps the parts of opencode's messages to blocks and results. An import of
// a database and a recorded stream of events have the same parts.
package parts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

// Interruption is what opencode tells a model in place of a result that never came.
const Interruption = "[Tool execution was interrupted]"

// Unnamed is what a tool or a call is called that has no name.
const Unnamed = "unknown"

// CallID returns the id of the call in a part of a tool.
func CallID(tool js.Value) string { return cmp.Or(tool.Get("callID").Str(), Unnamed) }

// ToolName returns the name of the tool in a part of a tool.
func ToolName(tool js.Value) string { return cmp.Or(tool.Get("tool").Str(), Unnamed) }

// Literal returns a JSON text if it is a string, else the empty string's.
func Literal(raw string) js.Value {
	if v := js.Value(raw); v.IsString() {
		return v
	}
	return `""`
}

// Thinking returns the block for a part of reasoning.
func Thinking(part js.Value) string {
	if data := part.Get("metadata", "anthropic", "redactedData").Str(); data != "" {
		return api.RedactedThinking(data)
	}
	return api.Thinking(part.Get("text").Str(), part.Get("metadata", "anthropic", "signature").Str())
}

// Image returns the image block of a file.
func Image(file js.Value) string {
	media, data, _ := api.DataURL(file.Get("url").Str())
	return api.Image(cmp.Or(media, file.Get("mime").Str()), data)
}

// IsImage reports whether a file can be an image block: whether it is here, and not at
// an address.
func IsImage(file js.Value) bool {
	if !strings.HasPrefix(file.Get("mime").Str(), "image/") {
		return false
	}
	if js.Member(string(file), "url") == "null" {
		return true
	}
	_, _, ok := api.DataURL(file.Get("url").Str())
	return ok
}

// Attached returns the files that came with the result of a tool in this state.
func Attached(state js.Value) []js.Value { return slices.Collect(state.Get("attachments").Elements()) }

// Interrupted returns what a tool had said when it was interrupted, which counts as its
// result.
func Interrupted(state js.Value) (output js.Value, ok bool) {
	metadata := state.Get("metadata")
	if metadata.Get("interrupted") != "true" {
		return "", false
	}
	output = metadata.Get("output")
	return output, output.IsString()
}

// Result returns the result in a part of a tool. What opencode says of it goes to the
// details.
func Result(tool js.Value) session.Message {
	state := tool.Get("state")
	var blocks []string
	failed := true
	switch state.Get("status").Str() {
	case "completed":
		failed = Exited(state)
		blocks = append(blocks, api.TextOf(state.Get("output")))
		for _, f := range Attached(state) {
			if IsImage(f) {
				blocks = append(blocks, Image(f))
			}
		}
	case "error":
		text := state.Get("error")
		if output, ok := Interrupted(state); ok {
			text = output
		}
		blocks = append(blocks, api.TextOf(text))
	default:
		blocks = append(blocks, api.Text(Interruption))
		return api.ToolResult(CallID(tool), ToolName(tool), blocks, failed, js.RawField("details", session.MadeUp))
	}
	var details []js.Field
	switch {
	case failed && state.Get("error").Str() == convo.NoResult && state.Get("metadata") == "": // from an export
		details = append(details, js.RawField("details", session.MadeUp))
	case Detailed(state):
		details = append(details, js.RawField("details", state.Get("metadata")))
	}
	return api.ToolResult(CallID(tool), ToolName(tool), blocks, failed, details...)
}

// Exited reports whether the state of a tool is that of a command which ended with another
// status than 0: opencode takes it for completed.
func Exited(state js.Value) bool {
	return state.Get("status").Str() == "completed" && ExitedBy(state.Get("metadata"))
}

// ExitedBy is [Exited] by what opencode says of a result.
func ExitedBy(metadata js.Value) bool {
	code := metadata.Get("exit")
	return code.IsNumber() && code.Int() != 0
}

// Detailed reports whether what opencode says of a result goes to its details.
func Detailed(state js.Value) bool {
	metadata := state.Get("metadata")
	_, spoke := Interrupted(state)
	status := state.Get("status").Str()
	return metadata.IsObject() && strings.Trim(string(metadata), "{} \t") != "" && !spoke && (status == "completed" || status == "error")
}

// Input returns the arguments of a call; lose is told of those that are no object.
func Input(tool js.Value, lose func(kind, format string, args ...any)) js.Value {
	raw := tool.Get("state", "input")
	if raw.IsObject() {
		return raw
	}
	if raw == "" {
		return "{}"
	}
	lose(formats.KindTool, "the arguments of %q are no object, so they are its member input", ToolName(tool))
	return js.Value(js.Object(js.RawField("input", raw)))
}

// Counts returns the tokens of a message or a session, those for reasoning with the output. They stand beside it, unless the
// total of the message says that they are within it: opencode takes over what a provider counts.
func Counts(tokens js.Value) (input, output, read, write int64) {
	n := func(names ...string) int64 { return Int(tokens, names...) }
	input, read, write = n("input"), n("cache", "read"), n("cache", "write")
	return input, metering.Output(n("total"), input+read+write, n("output")+n("reasoning"), n("reasoning")), read, write
}

// Usage returns the usage for the tokens and the cost, in USD, of a message or of a step, and the
// size of the context in tokens: the total that opencode has, if it has one. The error is that of values that are no usage.
func Usage(tokens, cost js.Value) (usage string, total int64, err error) {
	input, output, read, write := Counts(tokens)
	total = cmp.Or(Int(tokens, "total"), input+output+read+write)
	price := ""
	if cost.IsNumber() {
		price = js.Object(js.RawField("total", cost))
	}
	reasoning := js.Field{Name: "reasoning"}
	if n := Int(tokens, "reasoning"); n > 0 {
		reasoning = js.IntField(reasoning.Name, n)
	}
	usage, err = metering.CompleteUsage(js.Object(append([]js.Field{
		js.IntField("input", input), js.IntField("output", output),
		js.IntField("cacheRead", read), js.IntField("cacheWrite", write), reasoning,
		js.IntField("totalTokens", total), js.RawField("cost", price),
	}, metering.PriceFields(tokens)...)...))
	return usage, total, err
}

package opencode

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// apis are what providers speak, as far as pi has a name for it.
var apis = map[string]string{
	"anthropic": "anthropic-messages",
	"google":    "google-generative-ai",
	"openai":    "openai-responses",
}

// reply returns what an assistant message has beside its content. One that failed, and that
// opencode shows to the model all the same, is a reply like others.
func (e *emission) reply(s step, calls bool) []js.Field {
	provider := str(e.info, "providerID")
	stop := "stop"
	switch finish := str(e.info, "finish"); {
	case e.silenced() && str(e.info, "error", "name") == "MessageAbortedError":
		stop = "aborted"
	case e.silenced():
		stop = "error"
	case finish == "length":
		stop = finish
	case calls:
		stop = "toolUse"
	}
	failure := ""
	if get(e.info, "error") != "" {
		failure = cmp.Or(str(e.info, "error", "data", "message"), str(e.info, "error", "name"), "unknown")
	}
	return []js.Field{
		formats.Str("api", apis[provider]), formats.Str("provider", provider), formats.Str("model", str(e.info, "modelID")),
		{Name: "usage", Raw: e.usage(s)},
		formats.Str("stopReason", stop), formats.Str("errorMessage", failure),
	}
}

// usage returns what a step cost: what the message says if it is its only one, else what the
// part that ends it says.
func (e *emission) usage(s step) string {
	from := e.info
	if s.finished >= 0 && len(e.layout()) > 1 {
		from = e.parts[s.finished]
	}
	tokens := get(from, "tokens")
	input, output := num(tokens, "input"), num(tokens, "output")+num(tokens, "reasoning")
	read, write := num(tokens, "cache", "read"), num(tokens, "cache", "write")
	total := num(tokens, "total")
	if total == 0 {
		total = input + output + read + write
	}
	if total > 0 {
		e.tokens = total
	}
	cost := ""
	if raw := get(from, "cost"); raw != "" && !strings.HasPrefix(raw, `"`) {
		cost = js.Object(js.RawField("total", raw))
	}
	full, err := session.CompleteUsage(js.Object(
		js.RawField("input", formats.Int(input)), js.RawField("output", formats.Int(output)),
		js.RawField("cacheRead", formats.Int(read)), js.RawField("cacheWrite", formats.Int(write)),
		js.RawField("totalTokens", formats.Int(total)), js.RawField("cost", cost)))
	if err != nil {
		e.b.Lose(e.where(), formats.KindUsage, "what it has for a usage is none, so nothing was used")
		return ""
	}
	return full
}

// result adds the result of a tool. What opencode says of it goes to the details.
func (e *emission) result(tool string) error {
	state := get(tool, "state")
	id, call := str(tool, "id"), callOf(tool)
	var blocks []string
	failed := true
	switch str(state, "status") {
	case "completed":
		failed = false
		blocks = append(blocks, textBlock(get(state, "output")))
		for _, f := range attached(tool) {
			if isImage(f) {
				blocks = append(blocks, image(f))
			}
		}
	case "error":
		text := get(state, "error")
		if output, ok := interrupted(tool); ok {
			text = output
		}
		blocks = append(blocks, textBlock(text))
	default:
		blocks = append(blocks, formats.Text(textInterrupted))
	}
	var details []js.Field
	if detailed(tool) {
		details = append(details, js.RawField("details", get(state, "metadata")))
	}
	at := max(num(state, "time", "end"), num(state, "time", "start"))
	entry, err := e.b.Message(e.place(id, "result "+id+call, at), formats.ToolResult(call, nameOfTool(tool), blocks, failed, details...))
	if pruned := num(state, "time", "compacted"); err == nil && pruned > 0 {
		e.pruned = append(e.pruned, prune{pruned, e.key + id, entry})
	}
	return err
}

// detailed reports whether what opencode says of a result goes to its details.
func detailed(tool string) bool {
	raw := get(tool, "state", "metadata")
	_, spoke := interrupted(tool)
	status := str(tool, "state", "status")
	return isObject(raw) && len(formats.Fields(raw)) > 0 && !spoke && (status == "completed" || status == "error")
}

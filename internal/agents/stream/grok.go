package stream

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
)

// A grokReader reads the events of `grok -p --output-format streaming-json`. A request's thoughts and texts come in pieces, then
// its usage, then its calls with their results: a text, a thought or a usage behind that begins the next reply. The model and
// the session's id are told at the end alone.
type grokReader struct {
	reply
	text, thought strings.Builder // since the last block
	usage         js.Value        // of the open reply, "" until it is told
	cost          js.Value        // of the run, in USD, "" until it is told
}

func isGrok(v js.Dict) bool {
	return v.Get("type").Str() == "available_commands" && v.Get("tools").IsArray() && v.Get("commands").IsArray()
}

func readGrok(rec *recorder) reader {
	rec.run(0, "grok", "", "")
	return &grokReader{reply: reply{rec: rec}}
}

func (g *grokReader) value(v js.Dict, _ string) verdict {
	switch v.Get("type").Str() {
	case "available_commands":
	case "thought":
		g.piece(&g.thought, v.Get("data").Str())
	case "text":
		text := v.Get("data").Str()
		g.piece(&g.text, text)
		g.rec.hear(text)
	case "usage":
		if g.usage != "" {
			g.finish()
		}
		g.usage = v.Get("usage")
		g.flush()
	case "tool_call":
		g.flush()
		arguments := v.Get("rawInput")
		if !arguments.IsObject() {
			arguments = "{}"
		}
		g.add(g.rec.now(), api.ToolCall(v.Get("toolCallId").Str(), cmp.Or(v.Get("toolName").Str(), v.Get("title").Str()), string(arguments)))
	case "tool_call_update":
		g.outcome(v)
	case "error":
		g.fails(cmp.Or(v.Get("message").Str(), "unknown"))
	case "end":
		g.ends(v)
		return over
	default:
		return other
	}
	return more
}

// piece takes a piece of a thought or of a text.
func (g *grokReader) piece(of *strings.Builder, text string) {
	if g.usage != "" {
		g.finish()
	}
	if g.text.Len()+g.thought.Len()+len(text) <= maxValue {
		of.WriteString(text)
	}
}

// flush makes blocks of the pieces.
func (g *grokReader) flush() {
	if g.thought.Len() > 0 {
		g.add(g.rec.now(), api.Thinking(g.thought.String(), ""))
		g.thought.Reset()
	}
	if g.text.Len() > 0 {
		g.add(g.rec.now(), api.Text(g.text.String()))
		g.text.Reset()
	}
}

// outcome takes the end of a call. How a command ended stands beside the words "completed" and "failed", which say whether the
// tool did its work.
func (g *grokReader) outcome(v js.Dict) {
	status := v.Get("status").Str()
	if status != "completed" && status != "failed" {
		return
	}
	var blocks []string
	for c := range v.Get("content").Elements() {
		if text := c.Get("content", "text").Str(); text != "" {
			blocks = append(blocks, api.Text(text))
		}
	}
	raw, failed := v.Get("rawOutput"), status == "failed"
	var details []js.Field
	switch raw.Get("type").Str() {
	case "BackgroundTaskStarted":
		details = append(details, js.RawField("backgroundTaskId", raw.Get("task_id")))
	case "Bash":
		if code := raw.Get("exit_code"); code.IsNumber() {
			details = append(details, js.RawField("exitCode", code))
		}
		if signal := raw.Get("signal"); signal.IsString() {
			details = append(details, js.RawField("signal", signal))
		}
		failed = failed || raw.Get("exit_code").Int() != 0 || raw.Get("signal").IsString() || raw.Get("timed_out").Truthy()
	}
	id := v.Get("toolCallId").Str()
	more := js.Field{Name: "details"}
	if len(details) > 0 {
		more.Raw = js.Object(details...)
	}
	if !g.answer(api.ToolResult(id, g.tool(id), blocks, failed, more), g.rec.now()) {
		g.rec.problem("a result of a call that was not recorded: %.40q", id)
	}
}

// finish ends the open reply.
func (g *grokReader) finish(fields ...js.Field) {
	g.flush()
	fields = append(fields, js.StringField("provider", "xai"))
	if g.usage != "" {
		n := func(name string) int64 { return api.Tokens(g.usage.Get(name)) }
		price := js.Field{Name: "cost"}
		if g.cost.Float() > 0 { // it pays for the replies before, too
			price.Raw = js.Object(js.RawField("total", g.cost))
			fields = append(fields, js.RawField("details", `{"usageFrom":"result"}`))
		}
		fields = append(fields, js.RawField("usage", js.Object(append([]js.Field{
			price, js.IntField("input", n("input_tokens")), js.IntField("output", n("output_tokens")), js.IntField("cacheRead", n("cache_read_input_tokens")),
			js.IntField("cacheWrite", n("cache_creation_input_tokens")), js.IntField("reasoning", n("reasoning_tokens")),
		}, metering.PriceFields(g.usage)...)...)))
	}
	g.usage = ""
	if !slices.ContainsFunc(fields, func(f js.Field) bool { return f.Name == "stopReason" }) {
		fields = append(fields, js.StringField("stopReason", g.stopOf()))
	}
	g.close(fields...)
}

// ends takes the end of a run.
func (g *grokReader) ends(v js.Dict) {
	if !v.Get("costIsPartial").Truthy() && v.Get("total_cost_usd").IsNumber() {
		g.cost = v.Get("total_cost_usd")
	}
	switch v.Get("stopReason").Str() {
	case "cancelled":
		g.finish(js.StringField("stopReason", "aborted"))
	case "error":
		g.fails(cmp.Or(v.Get("error").Str(), v.Get("message").Str(), "unknown"))
	default:
		g.finish()
	}
}

func (g *grokReader) fails(text string) {
	g.finish()
	g.rec.message(api.Assistant(nil, append(fail(text), js.StringField("provider", "xai"))...), g.rec.now())
}

// end takes a stream that stops.
func (g *grokReader) end() {
	if g.flush(); len(g.blocks) > 0 && g.usage == "" {
		g.finish(js.StringField("stopReason", "aborted"))
		return
	}
	g.finish()
}

package stream

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/agent"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
)

// A geminiReader reads the events of `gemini -o stream-json`, and the object that `gemini -o json`
// prints. The stream does not mark the end of a reply: it ends where text or a call comes behind the
// result of a tool. The results are those for the user, not those for the model.
type geminiReader struct {
	reply
	text  strings.Builder // since the last block
	model string
	begun bool
}

func isGemini(v js.Dict) bool {
	return v.Get("type").Str() == "init" && v.Get("session_id").IsString() && v.Get("timestamp").IsString() || isGeminiJSON(v)
}

// isGeminiJSON reports whether a value is all that a run prints.
func isGeminiJSON(v js.Dict) bool {
	return v.Get("type") == "" && v.Get("session_id").IsString() && (v.Get("response") != "" || v.Get("error") != "")
}

func readGemini(rec *recorder) reader { return &geminiReader{reply: reply{rec: rec}} }

func (g *geminiReader) value(v js.Dict, _ string) verdict {
	at, typ := timeOf(v.Get("timestamp")), v.Get("type").Str()
	if len(g.results) > 0 && (typ == "message" || typ == "tool_use") { // the calls of a reply are all printed before their results
		g.finish()
	}
	switch typ {
	case "init":
		if g.begun {
			return other
		}
		g.begun = true
		g.model = v.Get("model").Str()
		g.rec.run(at, "gemini", "", v.Get("session_id").Str())
	case "message":
		g.message(v, at)
	case "tool_use":
		g.flush(at)
		arguments := v.Get("parameters")
		if !arguments.IsObject() {
			arguments = "{}"
		}
		g.add(at, api.ToolCall(v.Get("tool_id").Str(), v.Get("tool_name").Str(), string(arguments)))
	case "tool_result":
		g.flush(at)
		g.outcome(v, at)
	case "error":
		g.rec.warn("gemini: %s", short(v.Get("message").Str()))
	case "result":
		g.result(v, at)
		return over
	case "":
		if !isGeminiJSON(v) {
			return other
		}
		g.whole(v)
		return over
	default:
		return other
	}
	return more
}

// message takes the user's words, or a piece of a reply.
func (g *geminiReader) message(v js.Dict, at int64) {
	text := v.Get("content").Str()
	if v.Get("role").Str() == "user" {
		g.finish()
		g.rec.message(api.User([]string{api.Text(text)}), at)
		return
	}
	if g.text.Len() == 0 && len(g.blocks) == 0 {
		g.at = at
	}
	if g.text.Len()+len(text) <= maxValue {
		g.text.WriteString(text)
	}
}

// flush makes a block of the pieces of text.
func (g *geminiReader) flush(at int64) {
	if g.text.Len() > 0 {
		g.add(cmp.Or(g.at, at), api.Text(g.text.String()))
		g.text.Reset()
	}
}

func (g *geminiReader) outcome(v js.Dict, at int64) {
	id := v.Get("tool_id").Str()
	var blocks []string
	if text := cmp.Or(v.Get("output").Str(), v.Get("error", "message").Str()); text != "" {
		blocks = append(blocks, api.Text(text))
	}
	details := js.Field{Name: "details"}
	if agent.EndsWithZero(g.tool(id)) { // a command that failed is printed as a success, without its exit code
		details.Raw = `{"exitCode":null}`
	}
	if !g.answer(api.ToolResult(id, g.tool(id), blocks, v.Get("status").Str() != "success", details), at) {
		g.rec.problem("a result of a call that was not recorded: %.40q", id)
	}
}

// finish ends the open reply.
func (g *geminiReader) finish(fields ...js.Field) {
	g.flush(0)
	g.close(append(fields, g.fields()...)...)
}

func (g *geminiReader) fields() []js.Field {
	return []js.Field{api.Str("model", g.model), js.StringField("api", "google-generative-ai"), js.StringField("provider", "google")}
}

// result takes the end of a run, with what all of it used.
func (g *geminiReader) result(v js.Dict, at int64) {
	g.flush(at)
	stats := v.Get("stats")
	n := func(name string) int64 { return api.Tokens(stats.Get(name)) }
	usage := js.RawField("usage", js.Object(append([]js.Field{
		js.IntField("input", max(0, n("input_tokens")-n("cached"))),
		js.IntField("output", n("output_tokens")), js.IntField("cacheRead", n("cached")), js.IntField("totalTokens", n("total_tokens")),
	}, metering.PriceFields(stats.Without("duration_ms", "tool_calls", "models"))...)...))
	if n("total_tokens") > 0 {
		defer g.rec.counted()
	}
	if v.Get("status").Str() != "error" {
		g.finish(usage, js.RawField("details", `{"usageFrom":"result"}`))
		return
	}
	failed := fail(cmp.Or(v.Get("error", "message").Str(), "unknown"))
	if len(g.blocks) > 0 && len(g.results) == 0 {
		g.finish(append(failed, usage)...)
		return
	}
	g.finish()
	g.rec.message(api.Assistant(nil, append(append(failed, usage), g.fields()...)...), at)
}

// whole takes what `-o json` prints: the answer alone, and what the run used.
func (g *geminiReader) whole(v js.Dict) {
	g.rec.run(0, "gemini", "", v.Get("session_id").Str())
	var input, output, cached, total int64
	for name, model := range v.Get("stats", "models").Members() {
		n := func(count string) int64 { return api.Tokens(model.Get("tokens", count)) }
		g.model = cmp.Or(g.model, name)
		prompt := n("prompt") + n("tool")
		input, output = input+prompt-n("cached"), output+metering.Output(n("total"), prompt, n("candidates")+n("thoughts"), n("thoughts"))
		cached, total = cached+n("cached"), total+n("total")
	}
	usage := js.RawField("usage", js.Object(js.IntField("input", max(0, input)), js.IntField("output", output),
		js.IntField("cacheRead", cached), js.IntField("totalTokens", total)))
	if v.Get("error") != "" {
		g.rec.message(api.Assistant(nil, append(append(fail(errorText(v.Value)), usage), g.fields()...)...), 0)
		return
	}
	g.add(g.rec.now(), api.Text(v.Get("response").Str()))
	g.finish(usage, js.RawField("details", `{"usageFrom":"result"}`))
}

// end takes a stream that stops: gemini prints nothing more when it is interrupted.
func (g *geminiReader) end() {
	g.flush(0)
	if len(g.blocks) > 0 {
		g.finish(js.StringField("stopReason", "aborted"))
	}
}

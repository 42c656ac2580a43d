package stream

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A copilotReader reads the events of `copilot -p --output-format json`. Messages are whole
// in one event; deltas in front of it matter only if it never comes. There is no usage.
type copilotReader struct {
	reply
	model  string
	saying string // id of the message whose deltas come
	pieces pieces
	agents map[string]string // sub-agents, to the calls that started them
}

func isCopilot(v js.Dict) bool {
	typ := v.Get("type").Str()
	return strings.Contains(typ, ".") && v.Get("data").IsObject() && v.Get("id").IsString() && v.Get("timestamp").IsString() ||
		typ == "result" && v.Get("sessionId").IsString() && v.Get("exitCode") != ""
}

func readCopilot(rec *recorder) reader {
	return &copilotReader{reply: reply{rec: rec}, agents: map[string]string{}}
}

func (c *copilotReader) value(v js.Dict, _ string) verdict {
	data, at := js.DictOf(v.Get("data"), nil), timeOf(v.Get("timestamp"))
	if agent, parent := v.Get("agentId").Str(), data.Get("parentToolCallId").Str(); agent != "" || parent != "" { // of a sub-agent, whose report is a result
		c.lane(agent, parent, v.Get("type").Str(), data)
		c.rec.keep("copilot", v.Value)
		return more
	}
	switch typ := v.Get("type").Str(); typ {
	case "user.message":
		c.finish()
		c.user(data, at)
	case "assistant.message":
		c.message(data, at)
	case "assistant.message_delta":
		c.delta(data.Get("messageId").Str(), pieceText, data.Get("deltaContent").Str())
	case "assistant.reasoning_delta":
		c.delta(c.saying, pieceThinking, data.Get("deltaContent").Str())
	case "assistant.message_start":
		c.saying, c.pieces = data.Get("messageId").Str(), pieces{}
	case "tool.execution_complete":
		if id := data.Get("toolCallId").Str(); !c.answer(resulting(data, c.tool(id)), at) {
			c.rec.problem("a result of a call that was not recorded: %.40q", id)
		}
	case "system.notification":
		c.finish()
		c.rec.context("copilot", at, api.Array(api.Text(data.Get("content").Str())))
	case "session.error":
		c.finish()
		c.rec.message(api.Assistant(nil, append(fail(cmp.Or(data.Get("message").Str(), "unknown")), c.fields()...)...), at)
	case "abort":
		c.abort()
	case "assistant.turn_retry":
		c.saying, c.pieces = "", pieces{}
	case "result":
		c.finish()
		c.rec.run(at, "copilot", "", v.Get("sessionId").Str())
		return over
	default: // others of these say nothing of the conversation
		known := []string{"session.", "model.", "tool.", "assistant.", "agent."}
		if !slices.ContainsFunc(known, func(prefix string) bool { return strings.HasPrefix(typ, prefix) }) {
			return other
		}
	}
	return more
}

// lane takes an event of a sub-agent: the call that started it, calls that it makes, and their results.
func (c *copilotReader) lane(agent, parent, typ string, data js.Dict) {
	if typ == "subagent.started" {
		c.agents[strings.Clone(agent)] = strings.Clone(data.Get("toolCallId").Str())
	}
	if parent = cmp.Or(parent, c.agents[agent]); parent == "" {
		return
	}
	switch typ {
	case "assistant.message":
		for call := range data.Get("toolRequests").Elements() {
			c.rec.lanes.call(parent, session.NewBlock(requested(call)))
		}
	case "tool.execution_complete":
		c.rec.lanes.answer(parent, resulting(data, c.rec.lanes.tool(parent, data.Get("toolCallId").Str())))
	}
}

// user records what the user said, with the images that came with it.
func (c *copilotReader) user(data js.Dict, at int64) {
	blocks := []string{api.Text(data.Get("content").Str())}
	for a := range data.Get("attachments").Elements() {
		if media := a.Get("mimeType").Str(); strings.HasPrefix(media, "image/") && a.Get("data").Str() != "" {
			blocks = append(blocks, api.Image(media, a.Get("data").Str()))
		} else {
			c.rec.note("copilot: the file %.80q is named and not recorded", a.Get("displayName").Str())
		}
	}
	c.rec.message(api.User(blocks), at)
}

// delta collects what a message says before it is whole.
func (c *copilotReader) delta(id string, kind int, text string) {
	if id != c.saying {
		c.saying, c.pieces = id, pieces{}
	}
	c.pieces.at(1-kind, kind).write(text) // thinking comes first
	if kind == pieceText {
		c.rec.hear(text)
	}
}

func (c *copilotReader) message(data js.Dict, at int64) {
	c.finish()
	c.saying, c.pieces = "", pieces{}
	c.model = cmp.Or(strings.Clone(data.Get("model").Str()), c.model) // a call that copilot makes itself has none
	if text := data.Get("reasoningText").Str(); text != "" {
		c.add(at, api.Thinking(text, ""))
	}
	if text := data.Get("content").Str(); text != "" {
		c.add(at, api.Text(text))
	}
	for call := range data.Get("toolRequests").Elements() {
		c.add(at, requested(call))
	}
	if len(c.blocks) > 0 {
		c.write(append(c.fields(), js.StringField("stopReason", c.stopOf()))...)
	}
}

// requested is the block of a call.
func requested(call js.Value) string {
	arguments := string(call.Get("arguments"))
	if !call.Get("arguments").IsObject() {
		arguments = js.Object(js.RawField("input", cmp.Or(call.Get("arguments"), "null")))
	}
	return api.ToolCall(call.Get("toolCallId").Str(), call.Get("name").Str(), arguments)
}

func (c *copilotReader) fields() []js.Field {
	return []js.Field{api.Str("model", c.model), js.StringField("provider", "github-copilot")}
}

// resulting is the message of the result of a call of a tool.
func resulting(data js.Dict, tool string) session.Message {
	result := data.Get("result")
	var blocks []string
	if text := cmp.Or(result.Get("content").Str(), data.Get("error", "message").Str()); text != "" {
		blocks = append(blocks, api.Text(text))
	}
	for b := range result.Get("binaryResultsForLlm").Elements() {
		if b.Get("type").Str() == "image" {
			blocks = append(blocks, api.Image(b.Get("mimeType").Str(), b.Get("data").Str()))
		}
	}
	details := js.Field{Name: "details"}
	if code := data.Get("shellExecution", "exitCode"); code.IsNumber() {
		details.Raw = js.Object(js.RawField("exitCode", code))
	}
	return api.ToolResult(data.Get("toolCallId").Str(), tool, blocks, data.Get("success") != "true", details)
}

// abort records what was said of a message that does not come whole any more.
func (c *copilotReader) abort() {
	said := c.pieces.blocks(c.rec)
	c.saying, c.pieces = "", pieces{}
	if len(said) > 0 {
		c.finish()
		c.add(c.rec.now(), said...)
		c.close(append(c.fields(), js.StringField("stopReason", "aborted"))...)
	}
}

// finish ends the open reply, which is recorded already.
func (c *copilotReader) finish() { c.close(c.fields()...) }

func (c *copilotReader) end() {
	c.abort()
	c.finish()
}

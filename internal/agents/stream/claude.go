package stream

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A claudeReader reads the events of Claude Code, and those of Qwen Code, which look alike.
//
// Claude Code prints an event for each block of a message; results come between the events of one
// message. The message is whole when one with another id begins, when another speaker follows, or
// when the turn ends. Qwen Code gives each event an id; there a message is whole when the results
// of its calls have come.
type claudeReader struct {
	reply
	qwen      bool
	sessionID string

	id       string           // of the message that is open
	head     js.Value         // the message as the last event has it
	aborted  bool             // it was interrupted
	uuids    map[string]*Item // the items that events became
	seen     map[string]bool  // blocks of the open message
	pending  []string         // uuids of its events
	partial  messageAssembler // of the message in stream_events, as far as it came
	boundary js.Value         // a compaction whose summary comes next
	failure  string           // words of an API error, said in place of a reply
	spoke    bool             // a message has come
	turn     turnUsage
	room     []js.Field // for the members of an event
}

// A turnUsage counts the usage of the replies of a turn, to find the part that the stream does not
// tell.
type turnUsage struct {
	output int64   // tokens of its replies that are recorded
	cost   float64 // in USD, since the agent's session began
}

func isClaude(v js.Dict) bool {
	switch v.Get("type").Str() {
	case "system":
		return v.Get("subtype").IsString() && v.Get("qwen_code_version") == ""
	case "assistant", "user":
		return v.Get("message").IsObject() && (v.Get("session_id") != "" || v.Get("uuid") != "")
	case "result":
		return v.Get("subtype").IsString()
	}
	return false
}

func isQwen(v js.Dict) bool {
	return v.Get("type").Str() == "system" && v.Get("qwen_code_version") != ""
}

func readClaude(rec *recorder) reader { return newClaude(rec, false) }
func readQwen(rec *recorder) reader   { return newClaude(rec, true) }

func newClaude(rec *recorder, qwen bool) reader {
	return &claudeReader{qwen: qwen, reply: reply{rec: rec}, uuids: map[string]*Item{}, seen: map[string]bool{}}
}

func (c *claudeReader) agent() string {
	if c.qwen {
		return "qwen"
	}
	return "claude"
}

func (c *claudeReader) value(v js.Dict, _ string) verdict {
	if v.Get("parent_tool_use_id").Str() != "" { // what a sub-agent says; its report is a result
		c.rec.keep(c.agent(), v.Value)
		return more
	}
	if id := v.Get("session_id").Str(); id != "" && id != c.sessionID {
		c.begin(v, id)
	}
	switch typ := v.Get("type").Str(); typ {
	case "system":
		c.system(v)
	case "assistant":
		c.assistant(v)
	case "user":
		c.user(v)
	case "result":
		c.result(v)
	case "stream_event":
		c.event(js.DictOf(v.Get("event"), c.room))
	default:
		return other
	}
	return more
}

// begin takes the first event of a session of the agent.
func (c *claudeReader) begin(v js.Dict, id string) {
	c.finish("")
	c.sessionID = id
	c.rec.run(timeOf(v.Get("timestamp")), c.agent(), cmp.Or(v.Get("claude_code_version").Str(), v.Get("qwen_code_version").Str()), id)
	c.turn = turnUsage{cost: c.rec.total(id).Get("totalCostUsd").Float()}
}

func (c *claudeReader) system(v js.Dict) {
	switch v.Get("subtype").Str() {
	case "init":
		c.turn.output = 0
	case "compact_boundary":
		c.finish("")
		c.boundary = v.Get("compact_metadata")
	case "api_retry", "status", "thinking_tokens", "hook_started", "hook_progress", "hook_response", "permission_denied",
		"task_started", "task_progress", "task_updated", "task_notification", "background_tasks_changed":
	default:
		c.rec.unknown(c.agent(), v.Value)
	}
}

// assistant takes an event with blocks of a message.
func (c *claudeReader) assistant(v js.Dict) {
	c.spoke = true
	m := v.Get("message")
	if v.Get("is_api_error_message").Truthy() && m.Get("model").Str() == "<synthetic>" {
		c.finish("")
		c.failure = textOf(m.Get("content"))
		return
	}
	if id := m.Get("id").Str(); c.qwen && c.answered() || !c.qwen && c.id != id {
		c.finish("")
		c.id = id
	}
	c.head, c.aborted = m, v.Get("aborted").Truthy()
	var made []string
	for b := range m.Get("content").Elements() {
		if block := c.block(b); block != "" && !c.seen[block] { // wrappers repeat events
			c.seen[block] = true
			made = append(made, block)
		}
	}
	if c.written != nil && len(made) > 0 { // its end was announced, but it goes on
		c.close()
	}
	c.add(cmp.Or(timeOf(v.Get("timestamp")), c.rec.now()), made...)
	c.pending = append(c.pending, uuidOf(v))
	c.ready()
}

// ready records a message with calls as soon as its end is known. One without is the last
// of its turn, and waits for what the turn says of it.
func (c *claudeReader) ready() {
	if c.partial.ended && c.partial.id == c.id && len(c.calls) > 0 && c.written == nil {
		c.write(c.fields("")...)
	}
}

// block returns what a block is here, "" for nothing.
func (c *claudeReader) block(b js.Value) string {
	return api.AnthropicBlock(b, func(input js.Value) string {
		c.rec.lose(formats.KindTool, "a call of %q whose input is no object", b.Get("name").Str())
		return js.Object(js.RawField("input", input))
	}, c.rec.lose)
}

// blocksOf returns the blocks of a content.
func (c *claudeReader) blocksOf(content js.Value) []string {
	if content.IsString() {
		return []string{api.Text(content.Str())}
	}
	var out []string
	for b := range content.Elements() {
		if block := c.block(b); block != "" {
			out = append(out, block)
		}
	}
	return out
}

// user takes results of tools, words of the user, and words in the user's name.
func (c *claudeReader) user(v js.Dict) {
	content, at := v.Get("message", "content"), cmp.Or(timeOf(v.Get("timestamp")), c.rec.now())
	if content.IsString() {
		content = js.Value(api.Array(api.Text(content.Str())))
	}
	if c.boundary != "" {
		c.compaction(v, content, at)
		return
	}
	messages := api.AnthropicUser(content, c.block, func(b js.Value) session.Message {
		id := b.Get("tool_use_id").Str()
		return api.ToolResult(id, c.tool(id), c.blocksOf(b.Get("content")), b.Get("is_error").Truthy())
	})
	for _, m := range messages {
		switch {
		case m.Role() == session.RoleToolResult:
			if !c.answer(m, at) {
				c.rec.problem("a result of a call that was not recorded: %.40q", m.Str("toolCallId"))
			}
		case v.Get("isSynthetic").Truthy():
			c.finish("")
			c.uuids[uuidOf(v)] = c.rec.entry(session.TypeCustomMessage, at, js.StringField("customType", session.CustomContext(c.agent())),
				js.RawField("content", m.Get("content")), js.RawField("display", "false"))
		default:
			c.finish("")
			c.uuids[uuidOf(v)] = c.rec.message(m, at)
		}
	}
}

// compaction takes the summary behind a boundary.
func (c *claudeReader) compaction(v js.Dict, content js.Value, at int64) {
	about := c.boundary
	c.boundary = ""
	i := &Item{Type: session.TypeCompaction, Time: at, Fields: []js.Field{
		js.StringField("summary", strings.TrimSpace(textOf(content))), js.IntField("tokensBefore", about.Get("pre_tokens").Int()),
	}}
	kept := 0
	for uuid := range about.Get("preserved_messages", "uuids").Elements() {
		kept++
		if have := c.uuids[uuid.Str()]; have != nil {
			i.Of = have
			break
		}
	}
	if kept > 0 && i.Of == nil {
		c.rec.warn("the messages that a compaction keeps are not in the stream, and are out of sight")
	}
	c.uuids[uuidOf(v)] = c.rec.add(i)
}

// event takes an event of the API, which comes before the block that it is a piece of.
func (c *claudeReader) event(v js.Dict) {
	c.room = v.Room()
	if v.Get("type").Str() == "message_start" {
		c.finish("")
		c.partial = messageAssembler{}
	}
	c.partial.value(v)
	c.rec.hear(c.partial.said)
	c.ready()
}

// fields returns what the open message has beside its blocks. Stop is the reason why it
// ended as the turn says it, "" if that is not known.
func (c *claudeReader) fields(stop string) []js.Field {
	usage := c.head.Get("usage")
	if c.streamed() && !c.qwen {
		usage = c.partial.usage
		stop = cmp.Or(c.partial.stop, stop)
	} else if !c.qwen { // its counts are those of its beginning
		usage = usage.With("output_tokens", "0")
	}
	reason := cmp.Or(api.StopReason(stop), c.stopOf())
	if c.aborted {
		reason = "aborted"
	}
	protocol, provider := "anthropic-messages", "anthropic"
	if c.qwen {
		protocol, provider = "openai-completions", "qwen"
		usage = usage.With("input_tokens", js.Value(api.Int(usage.Get("input_tokens").Int()-usage.Get("cache_read_input_tokens").Int())))
	}
	c.turn.output += usage.Get("output_tokens").Int()
	fields := []js.Field{
		api.Str("model", c.head.Get("model").Str()), js.StringField("api", protocol), js.StringField("provider", provider),
		js.RawField("usage", api.Usage(usage)), js.StringField("stopReason", reason),
	}
	if !c.qwen {
		fields = append(fields, api.Str("responseId", c.id))
	}
	return fields
}

// apiError is how Qwen Code ends a reply that an error cut off.
var apiError = lazy.Regexp(`\[API Error: (?s:.*)\]\s*$`)

// finish ends the open message, if there is one. More are fields that only the end of the
// turn knows.
func (c *claudeReader) finish(stop string, more ...js.Field) {
	if len(c.blocks) > 0 {
		if c.written == nil {
			fields := merge(c.fields(stop), more)
			if c.qwen {
				fields = merge(fields, c.qwenError())
			}
			c.write(fields...)
		}
		for _, uuid := range c.pending {
			c.uuids[uuid] = c.written
		}
	}
	c.close()
	c.id, c.pending, c.aborted = "", nil, false
	clear(c.seen)
}

// qwenError returns the fields of a reply that is an error, which only its words tell.
func (c *claudeReader) qwenError() []js.Field {
	last := c.blocks[len(c.blocks)-1]
	text := session.NewBlock(last).Str("text")
	if c.head.Get("usage", "output_tokens").Int() > 0 || !apiError().MatchString(text) {
		return nil
	}
	said := apiError().FindString(text)
	if text = strings.TrimSuffix(text, said); text == "" {
		c.blocks = c.blocks[:len(c.blocks)-1]
	} else {
		c.blocks[len(c.blocks)-1] = api.Text(text)
	}
	return fail(strings.TrimSpace(said))
}

// merge returns fields with those of more in place of theirs of the same name.
func merge(fields, more []js.Field) []js.Field {
	out := fields
	for _, m := range more {
		found := false
		for i := range out {
			if out[i].Name == m.Name {
				out[i], found = m, true
			}
		}
		if !found {
			out = append(out, m)
		}
	}
	return out
}

// result takes the end of a turn, which knows what the turn used.
func (c *claudeReader) result(v js.Dict) {
	failed := c.failure
	interrupted := strings.HasPrefix(v.Get("terminal_reason").Str(), "aborted")
	switch said := v.Get("result").Str(); {
	case failed != "" || interrupted:
	case v.Get("is_error").Truthy():
		failed = cmp.Or(said, textOf(v.Get("errors")), v.Get("error", "message").Str(), v.Get("subtype").Str())
	case said != "" && !c.spoke: // the whole output is this object
		c.head = v.Value
		c.add(c.rec.now(), api.Text(said))
	}
	if c.qwen {
		c.finish(v.Get("stop_reason").Str())
	} else {
		c.finish(v.Get("stop_reason").Str(), c.rest(v)...)
	}
	if failed != "" {
		fields := append(fail(failed), js.StringField("api", "anthropic-messages"), js.StringField("provider", "anthropic"))
		c.rec.message(api.Assistant(nil, fields...), cmp.Or(timeOf(v.Get("timestamp")), c.rec.now()))
	}
	c.failure, c.turn.output = "", 0
}

// streamed reports whether the events of the API say what the open message used.
func (c *claudeReader) streamed() bool {
	return c.partial.id != "" && c.partial.id == c.id && c.partial.usage != ""
}

// rest returns the usage of the last reply of a turn, with what the turn used and no reply
// of it says: output, which is known at the end only, and cost, which is summed up from the
// beginning of the agent's session on.
func (c *claudeReader) rest(v js.Dict) []js.Field {
	if len(c.blocks) == 0 || c.written != nil {
		return nil
	}
	usage := c.head.Get("usage")
	known := c.turn.output
	if c.streamed() {
		usage = c.partial.usage
		known += usage.Get("output_tokens").Int()
	}
	output := usage.Get("output_tokens").Int()
	if !c.streamed() {
		output = 0
	}
	output += max(0, v.Get("usage", "output_tokens").Int()-known)
	total := v.Get("total_cost_usd").Float()
	cost := math.Round(max(0, total-c.turn.cost)*1e12) / 1e12
	c.turn.cost = total
	made := js.Value(api.Usage(usage.With("output_tokens", js.Value(api.Int(output)))))
	made = made.With("cost", js.Value(js.Object(js.RawField("total", strconv.FormatFloat(cost, 'f', -1, 64)))))
	return []js.Field{js.RawField("usage", made), js.RawField("details", js.Object(
		js.StringField("usageFrom", "result"), js.StringField("sessionId", c.sessionID), js.RawField("totalCostUsd", v.Get("total_cost_usd"))))}
}

func (c *claudeReader) end() {
	if said := c.partial.blocks(c.rec); !c.partial.ended && len(said) > len(c.blocks) && c.written == nil {
		c.blocks = nil // what was said so far, the blocks that were whole among it
		c.id, c.head, c.aborted = c.partial.id, c.partial.head, true
		c.add(c.rec.now(), said...)
	}
	if c.failure != "" {
		c.result(js.DictOf("{}", nil))
	}
	c.finish("")
}

// uuidOf returns the id of an event, apart from the event.
func uuidOf(v js.Dict) string { return strings.Clone(v.Get("uuid").Str()) }

// textOf returns the text of a content: a string, an array of strings, or blocks.
func textOf(content js.Value) string {
	if content.IsString() {
		return content.Str()
	}
	var out []string
	for b := range content.Elements() {
		if text := cmp.Or(b.Str(), b.Get("text").Str()); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n\n")
}

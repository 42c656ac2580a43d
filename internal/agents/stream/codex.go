package stream

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

// A codexReader reads the events of `codex exec --json`: a log of what was done, from which
// the conversation cannot be rebuilt. Calls are there as codex ran them, without their ids,
// some not at all. What a turn used is in it as a total since the thread began.
type codexReader struct {
	reply
	thread  string
	begun   int64  // when this process began, in milliseconds since the epoch
	total   tokens // of the thread, as far as it is recorded
	unknown bool   // what the thread used before this process is not known
	in      bool   // a turn is under way
}

func isCodex(v js.Dict) bool {
	return v.Get("type").Str() == "thread.started" && v.Get("thread_id").IsString()
}

func readCodex(rec *recorder) reader { return &codexReader{reply: reply{rec: rec}} }

func (c *codexReader) value(v js.Dict, _ string) verdict {
	switch typ := v.Get("type").Str(); typ {
	case "thread.started":
		if c.thread != "" {
			return other
		}
		c.start(v.Get("thread_id").Str())
	case "turn.started":
		c.in = true
	case "item.started":
		c.item(js.DictOf(v.Get("item"), nil), false)
	case "item.completed":
		c.item(js.DictOf(v.Get("item"), nil), true)
	case "turn.completed":
		c.complete(v.Get("usage"))
	case "turn.failed":
		c.in = false
		c.fail(v.Get("error", "message").Str())
	case "error":
		c.notice(v.Get("message").Str())
	case "item.updated", "item.plan.delta":
	default:
		return other
	}
	return more
}

// start takes the beginning of a process, which may go on with a thread.
func (c *codexReader) start(thread string) {
	c.thread, c.begun = thread, c.rec.now()
	c.rec.run(0, "codex", "", thread)
	if known := c.rec.total(thread).Get("cumulativeUsage"); known != "" {
		c.total = tokensOf(known)
		return
	}
	// A thread's id says when it began. If that is long ago, the thread goes on.
	born, ok := uuidTime(thread)
	c.unknown = ok && c.rec.o.Live && c.begun-born > fresh
}

// fresh is how old, in milliseconds, a thread may be when the first event of it comes.
const fresh = 60_000

// uuidTime returns when a UUID of version 7 was made, in milliseconds since the epoch; ok is
// false for any other text.
func uuidTime(id string) (ms int64, ok bool) {
	if !formats.IsUUID(id) || id[14] != '7' {
		return 0, false
	}
	ms, err := strconv.ParseInt(id[:8]+id[9:13], 16, 64)
	return ms, err == nil
}

// notice takes what codex says of an error that it gets over, such as a stream that broke:
// what came of it stays in front of the whole answer.
func (c *codexReader) notice(text string) {
	if strings.HasPrefix(text, "Reconnecting") && len(c.blocks) > 0 && !c.answered() {
		c.closeWith(fail(text)...)
		return
	}
	c.rec.note("codex: %s", short(text))
}

// item takes a thing that was said or done, at its beginning or at its end.
func (c *codexReader) item(v js.Dict, ended bool) {
	typ := v.Get("type").Str()
	switch typ {
	case "agent_message", "reasoning":
		if ended {
			c.say(typ, v.Get("text").Str())
		}
	case "web_search":
		if ended {
			c.searched(v)
		}
	case "command_execution", "file_change", "mcp_tool_call", "collab_tool_call":
		c.call(typ, v)
		if ended {
			c.outcome(typ, v)
		}
	case "error":
		if ended {
			c.rec.note("codex: %s", short(v.Get("message").Str()))
		}
	case "todo_list", "plan":
		if ended {
			c.rec.keep("codex", v.Value)
		}
	default:
		if ended {
			c.rec.problem("an item of type %.40q is not known", typ)
			c.rec.keep("codex", v.Value)
		}
	}
}

// say adds words to the open message, or begins a new one behind results. Codex does not tell where a reply ends, and another may follow
// the last words of a turn: each text begins a message, as in a rollout.
func (c *codexReader) say(typ, text string) {
	spoke := func(block string) bool { return session.NewBlock(block).Type == session.BlockText }
	if len(c.results) > 0 || typ == "agent_message" && slices.ContainsFunc(c.blocks, spoke) {
		c.closeWith()
	}
	block := api.Text(text)
	if typ == "reasoning" {
		block = api.Thinking(text, "")
	}
	c.add(c.rec.now(), block)
}

// call adds a call, unless it is there.
func (c *codexReader) call(typ string, v js.Dict) {
	id := c.callID(v)
	if _, called := c.tools[id]; called {
		return
	}
	name, arguments := typ, ""
	switch typ {
	case "command_execution":
		name, arguments = "exec_command", js.Object(js.StringField("cmd", unwrapShell(v.Get("command").Str())))
	case "file_change":
		name, arguments = "apply_patch", js.Object(js.RawField("changes", cmp.Or(v.Get("changes"), "[]")))
	case "mcp_tool_call":
		name = v.Get("server").Str() + "__" + v.Get("tool").Str()
		if arguments = string(v.Get("arguments")); !v.Get("arguments").IsObject() {
			arguments = js.Object(js.RawField("input", v.Get("arguments")))
		}
	case "collab_tool_call":
		name = cmp.Or(v.Get("tool").Str(), typ)
		arguments = js.Object(js.RawField("prompt", v.Get("prompt")), js.RawField("receivers", v.Get("receiver_thread_ids")))
	}
	c.add(c.rec.now(), api.ToolCall(id, name, arguments))
}

// searched adds a search of the provider's, of which codex prints no result.
func (c *codexReader) searched(v js.Dict) {
	if len(c.results) > 0 {
		c.closeWith()
	}
	arguments := js.Object(js.RawField("query", cmp.Or(v.Get("query"), `""`)))
	if action := v.Get("action"); action.IsObject() {
		arguments = string(action)
	}
	c.add(c.rec.now(), session.ProvidedResult(session.ProvidedCall(c.callID(v), "web_search", arguments), "", "", "", false))
}

// outcome adds the result of a call.
func (c *codexReader) outcome(typ string, v js.Dict) {
	var blocks []string
	var details []js.Field
	switch typ {
	case "command_execution":
		blocks = []string{api.Text(v.Get("aggregated_output").Str())}
		if code := v.Get("exit_code"); code.IsNumber() {
			details = append(details, js.RawField("details", js.Object(js.RawField("exitCode", code))))
		}
	case "file_change":
		var lines []string
		for change := range v.Get("changes").Elements() {
			lines = append(lines, change.Get("kind").Str()+" "+change.Get("path").Str())
		}
		blocks = []string{api.Text(strings.Join(lines, "\n"))}
	case "mcp_tool_call":
		blocks = c.mcp(v)
	case "collab_tool_call":
		blocks = []string{api.Text(string(cmp.Or(v.Get("agents_states"), "{}")))}
	}
	word, id := v.Get("status").Str(), c.callID(v)
	if word == "in_progress" || typ == "command_execution" && word == "completed" && !v.Get("exit_code").IsNumber() {
		c.rec.keep("codex", v.Value) // codex completes at the end of a turn what still runs
		return
	}
	failed := word != "" && word != "completed"
	c.answer(api.ToolResult(id, c.tool(id), blocks, failed, details...), c.rec.now())
}

// mcp returns the blocks of the result of a tool of an MCP server.
func (c *codexReader) mcp(v js.Dict) (blocks []string) {
	if text := v.Get("error", "message").Str(); text != "" {
		return []string{api.Text(text)}
	}
	for b := range v.Get("result", "content").Elements() {
		switch b.Get("type").Str() {
		case "text":
			blocks = append(blocks, api.Text(b.Get("text").Str()))
		case "image":
			blocks = append(blocks, api.Image(b.Get("mimeType").Str(), b.Get("data").Str()))
		default:
			c.rec.lose("", "content of type %.40q of a tool, which no model will see", b.Get("type").Str())
		}
	}
	return blocks
}

// callID makes an id for the call of an item, which has none that is unique: codex counts
// the items of each process.
func (c *codexReader) callID(item js.Dict) string {
	return "codex_" + formats.EntryID(nothing, c.thread, api.Int(c.begun)) + "_" + item.Get("id").Str()
}

// complete takes the end of a turn with the total of its thread.
func (c *codexReader) complete(usage js.Value) {
	c.in = false
	now := tokensOf(usage)
	details := js.Object(js.StringField("sessionId", c.thread), js.RawField("cumulativeUsage", usage))
	fields := []js.Field{js.RawField("details", details)}
	known := !c.unknown && now != (tokens{})
	if c.unknown {
		c.rec.warn("the thread %s was begun before, and what it used until now is not recorded: so what this turn used is not known", c.thread)
	} else {
		fields = append(fields, js.RawField("usage", js.Value(now.minus(c.total).usage()).Add(metering.PriceFields(usage)...)))
	}
	if known && len(c.blocks) == 0 { // its last reply failed, and is recorded
		c.rec.rest(now.minus(c.total), js.StringField("provider", "openai"), js.RawField("details", details))
		c.rec.totals[c.thread] = js.Value(details)
	}
	c.total, c.unknown = now, false
	if len(c.blocks) == 0 && usage != "" {
		c.rec.note("a turn without a word")
	}
	c.closeWith(fields...)
	if known {
		c.rec.counted()
	}
}

func (c *codexReader) fail(text string) {
	if len(c.blocks) > 0 && len(c.results) == 0 {
		c.closeWith(fail(text)...)
		return
	}
	c.closeWith()
	c.rec.message(api.Assistant(nil, append(fail(text), codexFields()...)...), c.rec.now())
}

// closeWith ends the open message.
func (c *codexReader) closeWith(fields ...js.Field) { c.close(append(fields, codexFields()...)...) }

// codexFields are those of every message: codex does not say which model it asks.
func codexFields() []js.Field {
	return []js.Field{js.StringField("api", "openai-responses"), js.StringField("provider", "openai")}
}

func (c *codexReader) end() {
	if c.in && len(c.blocks) > 0 {
		c.closeWith(js.StringField("stopReason", "aborted"))
	}
	c.closeWith()
}

// shellLine is a command as codex runs it: by a shell.
var shellLine = lazy.Regexp(`^(?:/\S*/)?(?:ba|z|da)?sh -l?c (.+)$`)

// unwrapShell returns the command that a shell was given, if the quotes around it are
// plain; else the whole line.
func unwrapShell(command string) string {
	m := shellLine().FindStringSubmatch(command)
	if m == nil || strings.Contains(command, "\n") && !strings.HasSuffix(command, "'") {
		return command
	}
	inner := m[1]
	n := len(inner)
	switch {
	case n > 1 && inner[0] == '\'' && inner[n-1] == '\'' && !strings.Contains(inner[1:n-1], "'"):
		return inner[1 : n-1]
	case n > 1 && inner[0] == '"' && inner[n-1] == '"' && !strings.ContainsAny(inner[1:n-1], "\"\\$`!"):
		return inner[1 : n-1]
	case !strings.ContainsAny(inner, " \t\"'\\$`|&;<>()*?[]#~=%{}!"):
		return inner
	}
	return command
}

// tokensOf returns the counters of a thread as codex tells them.
func tokensOf(usage js.Value) tokens {
	n := func(name string) int64 { return api.Tokens(usage.Get(name)) }
	return tokens{n("input_tokens"), n("cached_input_tokens"), n("output_tokens")}
}

package stream

import (
	"cmp"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
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
	others   []api.Iteration  // requests that the API made on its own for the open message
	spoke    bool             // a message has come
	turn     turnUsage
	room     []js.Field // for the members of an event
}

// A turnUsage counts the usage of the replies of a turn, to find the part that the stream does not
// tell.
type turnUsage struct {
	output int64               // tokens of its replies that are recorded
	cost   js.Value            // in USD, since the agent's session began
	models js.Value            // what each model had used by the end of the turn before, since the agent's session began
	spent  map[string][4]int64 // tokens that entries of the turn have, by model
}

// took takes note of a usage of the format that is recorded.
func (t *turnUsage) took(model, usage string) {
	if t.spent == nil {
		t.spent = map[string][4]int64{}
	}
	n := t.spent[model]
	for i, names := range api.ModelCounters {
		n[i] += api.Tokens(js.Value(usage).Get(names[2]))
	}
	t.spent[model] = n
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
	if parent := v.Get("parent_tool_use_id").Str(); parent != "" { // what a sub-agent does; its report is a result
		c.lane(parent, v)
		c.rec.keep(c.agent(), v.Value)
		return more
	}
	if id := v.Get("session_id").Str(); id != "" && id != c.sessionID {
		c.finish("")
		c.sessionID = id
		c.rec.run(timeOf(v.Get("timestamp")), c.agent(), cmp.Or(v.Get("claude_code_version").Str(), v.Get("qwen_code_version").Str()), id)
		before := c.rec.total(id)
		c.turn = turnUsage{cost: before.Get("totalCostUsd"), models: before.Get("modelUsage")}
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

// lane takes an event of a sub-agent: calls, their results, and the usage of a reply. The output is counted before the first
// word, as in own. Qwen Code prints no usage of sub-agents.
func (c *claudeReader) lane(parent string, v js.Dict) {
	m := v.Get("message")
	switch v.Get("type").Str() {
	case "assistant":
		for b := range m.Get("content").Elements() {
			if b.Get("type").Str() == "tool_use" {
				c.rec.lanes.call(parent, session.NewBlock(c.block(b)))
			}
		}
		if model := m.Get("model").Str(); !c.qwen && model != "<synthetic>" && m.Get("usage").IsObject() {
			usage := api.IterationsOf(m.Get("usage")).Own.With("output_tokens", "0")
			c.rec.lanes.spent(parent, m.Get("id").Str(), model, api.Usage(usage))
		}
	case "user":
		for b := range m.Get("content").Elements() {
			if id := b.Get("tool_use_id").Str(); id != "" {
				c.rec.lanes.answer(parent, api.ToolResult(id, c.rec.lanes.tool(parent, id), c.blocksOf(b.Get("content")), b.Get("is_error").Truthy()))
			}
		}
	}
}

func (c *claudeReader) system(v js.Dict) {
	switch v.Get("subtype").Str() {
	case "init":
		c.turn.output = 0
	case "compact_boundary":
		c.finish("")
		c.boundary = v.Get("compact_metadata")
	case "api_retry", "status", "thinking_tokens", "hook_started", "hook_progress", "hook_response", "permission_denied",
		"task_started", "task_progress", "task_updated", "background_tasks_changed":
	case "task_notification": // nothing else says how a command in the background ended
		c.rec.entry(session.TypeCustom, 0, js.StringField("customType", c.agent()+":event"), js.RawField("data", v.Value))
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
		c.put(c.fields(""))
	}
}

// put records the open message, in front of it the requests that were made on its way.
func (c *claudeReader) put(fields []js.Field) {
	model := c.head.Get("model").Str()
	for _, other := range c.others {
		by, usage, entry := other.Entry(model)
		c.rec.entry(session.TypeUsage, c.at, entry...)
		c.turn.took(by, usage)
	}
	c.turn.output += outputOf(c.others)
	c.others = nil
	for _, f := range fields {
		if f.Name == "usage" {
			c.turn.took(model, f.Raw)
		}
	}
	c.write(fields...)
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
	messages := api.AnthropicUser(content, c.block, func(b js.Dict) session.Message {
		id := b.Get("tool_use_id").Str()
		return api.ToolResult(id, c.tool(id), c.blocksOf(b.Get("content")), b.Get("is_error").Truthy())
	})
	for _, m := range messages {
		switch {
		case m.Role() == session.RoleToolResult:
			if !c.answer(m, at) {
				c.rec.problem("a result of a call that was not recorded: %.40q", m.Str("toolCallId"))
			}
		case v.Get("isSynthetic").Truthy() || typed.IsHarnessText(m.Text("\n")):
			c.finish("")
			c.uuids[uuidOf(v)] = c.rec.context(c.agent(), at, m.Get("content"))
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
	if !c.qwen {
		usage = c.own()
		if c.streamed() {
			stop = cmp.Or(c.partial.stop, stop)
		}
	}
	reason := cmp.Or(api.StopReason(stop), c.stopOf())
	if c.aborted {
		reason = "aborted"
	}
	protocol, provider := "anthropic-messages", api.AnthropicProvider(c.head.Get("model").Str())
	if c.qwen {
		protocol, provider = "openai-completions", "qwen"
		usage = usage.With("input_tokens", js.Value(api.Int(usage.Get("input_tokens").Int()-usage.Get("cache_read_input_tokens").Int())))
	}
	c.turn.output += usage.Get("output_tokens").Int()
	fields := []js.Field{
		api.Str("model", c.head.Get("model").Str()), js.StringField("api", protocol), api.Str("provider", provider),
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
			c.put(fields)
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
		model, most := "", -1.0
		for name, used := range v.Get("modelUsage").Members() { // helpers cost less
			if cost := used.Get("costUSD").Float(); cost > most {
				model, most = api.ModelNamed(name), cost
			}
		}
		c.head = v.Value.Add(js.StringField("model", model))
		c.add(c.rec.now(), api.Text(said))
	}
	if c.qwen {
		c.finish(v.Get("stop_reason").Str())
	} else {
		c.total(v)
	}
	if failed != "" {
		fields := append(fail(failed), js.StringField("api", "anthropic-messages"), api.ProviderField(c.head.Get("model").Str()))
		c.rec.message(api.Assistant(nil, fields...), cmp.Or(timeOf(v.Get("timestamp")), c.rec.now()))
	}
	c.failure, c.turn.output = "", 0
	clear(c.turn.spent)
}

// streamed reports whether the events of the API say what the open message used.
func (c *claudeReader) streamed() bool {
	return c.partial.id != "" && c.partial.id == c.id && c.partial.usage != ""
}

// own returns the usage of the open message alone, and remembers the requests on its way. Without the
// events of the API the counts are those from before the first word.
func (c *claudeReader) own() js.Value {
	usage := c.head.Get("usage")
	if c.streamed() {
		usage = c.partial.usage
	}
	parts := api.IterationsOf(usage)
	c.others = parts.Others
	if !c.streamed() {
		parts.Own = parts.Own.With("output_tokens", "0")
	}
	return parts.Own
}

// total takes what a turn used in all, as its result says it: each part is counted up from the beginning of the agent's
// session on, or from a new beginning where it has become less. What no reply of the turn says is output, which is known
// at the end only and is added to the last reply, and what sub-agents and other models used, which becomes an entry
// for each model. The last reply has the cost of the turn but for that of other models; readers know that it pays for
// the replies in front of it.
func (c *claudeReader) total(v js.Dict) {
	open, model := len(c.blocks) > 0 && c.written == nil, c.head.Get("model").Str()
	models := v.Get("modelUsage")
	details := js.RawField("details", js.Object(js.StringField("usageFrom", "result"), js.StringField("sessionId", c.sessionID),
		js.RawField("totalCostUsd", v.Get("total_cost_usd")), js.RawField("modelUsage", models)))
	var rest []js.Field
	whole, told := turnUsage{models: c.turn.models, spent: maps.Clone(c.turn.spent)}, js.Value("") // what the turn will have taken
	if open {
		usage := c.own()
		output := usage.Get("output_tokens").Int()
		output += max(0, v.Get("usage", "output_tokens").Int()-c.turn.output-outputOf(c.others)-output)
		told = js.Value(api.Usage(usage.With("output_tokens", js.Value(api.Int(output)))))
		whole.took(model, string(told))
		for _, other := range c.others {
			by, usage, _ := other.Entry(model)
			whole.took(by, usage)
		}
	}
	for _, u := range c.rec.lanes.used {
		whole.took(u.model, u.usage)
	}
	names := whole.answered(models)
	cost := max(0, usdSince(v.Get("total_cost_usd"), c.turn.cost)-c.turn.beside(models, names, model))
	if open {
		rest = []js.Field{js.RawField("usage", told.With("cost", js.Value(js.Object(usd("total", cost))))), details}
	}
	c.finish(v.Get("stop_reason").Str(), rest...)
	c.rec.subagents(false)
	c.rec.spentBeside(paidBeside, c.turn.took)
	entries := c.turn.rests(models, names, model, c.rec.lose)
	at := cmp.Or(timeOf(v.Get("timestamp")), c.rec.now())
	if !open && cost > 0 { // no entry has the cost yet
		entries = append(entries, []js.Field{
			js.StringField("kind", usageRest), js.StringField("provider", api.UsageProvider(model)), api.Str("model", model),
			js.RawField("usage", js.Object(js.RawField("cost", js.Object(usd("total", cost))))), details,
		})
	}
	for _, fields := range entries {
		c.rec.entry(session.TypeUsage, at, fields...)
	}
	c.turn = turnUsage{cost: js.Value(strings.Clone(string(v.Get("total_cost_usd")))), models: js.Value(strings.Clone(string(models)))}
}

// paidBeside is the cost of a call that another entry has: that of its model.
const paidBeside = `{"total":0,"totalFromProvider":true}`

// usageRest is the kind of an entry for what was used in all and no reply says.
const usageRest = "rest"

// usd returns a member with an amount of dollars.
func usd(name string, amount float64) js.Field {
	return js.RawField(name, strconv.FormatFloat(amount, 'f', -1, 64))
}

// outputOf returns the output of requests that the model of a reply answered itself, in tokens.
func outputOf(others []api.Iteration) (n int64) {
	for _, other := range others {
		if other.Model == "" {
			n += api.Tokens(other.Usage.Get("output_tokens"))
		}
	}
	return n
}

// since returns by how much a counter has grown. One that has become less was begun anew.
func since[N int64 | float64](now, before N) N {
	if now < before {
		return now
	}
	return now - before
}

// usdSince is [since] for dollars, without the error that a difference of two sums has.
func usdSince(now, before js.Value) float64 {
	return math.Round(since(now.Float(), before.Float())*1e12) / 1e12
}

// beside returns what models other than that of the replies cost in a turn, in USD.
func (t *turnUsage) beside(models js.Value, names map[string]string, own string) (sum float64) {
	for name, used := range models.Members() {
		if as(names, name) != own {
			sum += usdSince(used.Get("costUSD"), t.models.Get(name, "costUSD"))
		}
	}
	return sum
}

// rests returns the usage entries for what models used in a turn and nothing recorded says.
func (t *turnUsage) rests(models js.Value, names map[string]string, own string, lose func(kind, format string, args ...any)) (entries [][]js.Field) {
	var parts, total int64
	for _, n := range t.spent {
		parts += n[0] + n[1] + n[2] + n[3]
	}
	for name, used := range models.Members() {
		before, model := t.models.Get(name), as(names, name)
		usage, some := used.Without("costUSD", "contextWindow", "maxOutputTokens", "canonicalModel", "provider", "costBasis"), false
		for i, grew := range t.grown(name, used) {
			n := max(0, grew-t.spent[model][i])
			parts, total = parts+n, total+grew
			counter := api.ModelCounters[i]
			usage, some = usage.Without(counter[0]).Add(js.IntField(counter[1], n)), some || n > 0
		}
		cost := 0.0
		if model != own {
			cost = usdSince(used.Get("costUSD"), before.Get("costUSD"))
		}
		if !some && cost == 0 {
			continue
		}
		made := js.Value(api.Usage(usage)).With("cost", js.Value(js.Object(usd("total", cost), js.RawField("totalFromProvider", "true"))))
		entries = append(entries, []js.Field{
			js.StringField("kind", usageRest), js.StringField("provider", api.UsageProvider(model)), js.StringField("model", model), js.RawField("usage", made),
		})
	}
	if parts > total && total > 0 {
		entries = append(entries, new(formats.Gap).Differ(api.UsageProvider(own), own, parts, total, lose))
	}
	return entries
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
	c.aborted = c.aborted || c.qwen && len(c.calls) == 0 && c.head.Get("usage", "output_tokens").Int() == 0 // of a whole reply it prints usage
	c.finish("")
	c.rec.spentBeside("", c.turn.took)
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

package claude

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// agent is the name of the format, which begins the types of its custom entries.
const agent = "claude"

// The types of the custom entries, without the format's name.
const (
	customLine = "line" // a line that became no entry
	customLeaf = "leaf" // {"uuid"}: where the conversation goes on from
)

// A line is the members of one line, and those of its message.
type line struct {
	js.Dict
	message js.Dict
}

// parse takes a line apart. ok is false if it is no JSON object.
func parse(text string) (l line, ok bool) {
	text = strings.Trim(strings.TrimPrefix(text, jsonl.ByteOrderMark), " \t\r")
	if !strings.HasPrefix(text, "{") || !js.Valid([]byte(text)) {
		return line{}, false
	}
	return members(text), true
}

// members takes a line apart that is a JSON object.
func members(text string) line {
	l := line{Dict: js.DictOf(js.Value(text), make([]js.Field, 0, 24))} // as many as most have
	l.message = js.DictOf(l.get("message"), make([]js.Field, 0, 12))
	return l
}

// get returns the member called name, null included, "" if there is none.
func (l line) get(name string) js.Value { return l.Own(name) }

func (l line) str(name string) string { return l.get(name).Str() }

func (l line) is(name string) bool { return l.get(name) == "true" }

// isNotification reports whether the line is of a background task, not said by the user.
func (l line) isNotification() bool { return l.get("origin").Get("kind").Str() == "task-notification" }

// taskIn returns what a leader gives a teammate to do, if the text of a line is that: it begins the teammate's session.
func taskIn(text string) (task string, ok bool) {
	text, begins := strings.CutPrefix(strings.TrimSpace(text), "<teammate-message ")
	_, text, ok = strings.Cut(text, ">")
	if !begins || !ok {
		return "", false
	}
	text, ok = strings.CutSuffix(strings.TrimSpace(text), "</teammate-message>")
	return strings.TrimSpace(text), ok
}

// text returns the text of the line's message.
func (l line) text() string {
	return textOf(cmp.Or(l.message.Get("content"), "[]"))
}

func textOf(content js.Value) string { return session.TextOf(string(content), "\n") }

// time returns when the line was written in milliseconds since the epoch, 0 if it
// does not say.
func (l line) time() int64 {
	ms, _ := js.ParseTime(l.str("timestamp"))
	return ms
}

func (l line) isMessage() bool { return isMessage(l.get("type"), l.message.Value) }

// isMessage reports whether a line with these members is one of a conversation's.
func isMessage(typ, message js.Value) bool {
	return (typ.Str() == "user" || typ.Str() == "assistant") && message.IsObject()
}

// queued returns what the user typed while the model was at work, if the line is that.
func (l line) queued() (prompt js.Value, ok bool) {
	a := l.get("attachment")
	if l.str("type") != "attachment" || a.Get("type").Str() != "queued_command" || a.Get("isMeta") == "true" {
		return "", false
	}
	if mode := a.Get("commandMode").Str(); mode != "" && mode != "prompt" {
		return "", false
	}
	prompt = a.Get("prompt")
	return prompt, prompt.IsArray() || prompt.IsString() && !typed.IsHarnessText(prompt.Str())
}

// command returns the command that the user typed, if the line with this text is one that was expanded to
// a prompt: "/review the parser". The line of a command that the program ran by itself begins with its name instead. Most of them, such
// as /clear, ask a model for nothing; one that asks, such as /goal, is known by the lines behind it.
func (l line) command(text string, asks bool) (typed string, ok bool) {
	text = strings.TrimSpace(text)
	if !asks && !strings.HasPrefix(text, "<command-message>") || l.is("isMeta") {
		return "", false
	}
	name, arguments := element(text, "command-name"), element(text, "command-args")
	return strings.TrimSpace(name + " " + arguments), name != ""
}

// element returns the content of the first element with a name in a text, "" if there is none.
func element(text, name string) string {
	_, text, ok := strings.Cut(text, "<"+name+">")
	text, _, closed := strings.Cut(text, "</"+name+">")
	if !ok || !closed {
		return ""
	}
	return strings.TrimSpace(text)
}

// A ran is what the user ran with `!`, as far as a line tells it: first what, in the line below it what came of it.
type ran struct {
	command, output   string
	begins, continues bool // the line has the command, the line has the output
}

// ran returns what the line, with this text, tells of a command that the user ran.
func (l line) ran(text string) (r ran) {
	content := l.message.Get("content")
	if l.str("type") != "user" || l.is("isMeta") || !content.IsString() && !content.IsArray() {
		return ran{}
	}
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "<bash-input>"); ok {
		r.command, text, r.begins = strings.Cut(rest, "</bash-input>")
		text = strings.TrimSpace(text)
	}
	if rest, ok := strings.CutPrefix(text, "<bash-stdout>"); ok {
		out, failed, _ := strings.Cut(strings.TrimSuffix(rest, "</bash-stderr>"), "</bash-stdout><bash-stderr>")
		parts := slices.DeleteFunc([]string{strings.TrimSuffix(out, "</bash-stdout>"), failed}, func(s string) bool { return s == "" })
		r.output, text, r.continues = strings.Join(parts, "\n"), "", true
	}
	if text != "" {
		return ran{}
	}
	return r
}

// typed returns what the user typed, as the line tells it: a prompt, also one that waited in the queue, a command or what he ran.
func (l line) typed() string {
	if prompt, ok := l.queued(); ok {
		return textOf(prompt)
	}
	text := l.text()
	if r := l.ran(text); r.begins {
		return r.command
	}
	if l.str("subtype") == "local_command" {
		text = l.str("content")
	}
	if name := element(text, "command-name"); name != "" {
		return strings.TrimSpace(name + " " + element(text, "command-args"))
	}
	return text
}

// lost is told of what of a content cannot be carried over.
type lost func(kind, format string, args ...any)

// results returns how many results of tools a content has.
func results(content js.Value) (n int) {
	for b := range session.Blocks(string(content)) {
		if b.Type == "tool_result" {
			n++
		}
	}
	return n
}

// blocks returns the blocks of a content, without the results of tools.
func blocks(content js.Value, lose lost) []string {
	if content.IsString() {
		return []string{api.TextOf(js.Value(js.Spelled(string(content))))}
	}
	var out []string
	for b := range content.Elements() {
		if made := block(b, lose); made != "" {
			out = append(out, made)
		}
	}
	return out
}

// block returns what a block is here, "" for nothing.
func block(b js.Value, lose lost) string {
	if b.Get("type").Str() == "tool_result" { // a separate message
		return ""
	}
	return api.AnthropicBlock(b, func(input js.Value) string {
		lose(formats.KindTool, "a call whose input is no object")
		return js.Object(js.RawField("input", input))
	}, lose)
}

// synthetic is the model of replies that the program made itself; those that tell of
// an error are shown to no model.
const synthetic = "<synthetic>"

// reply returns what else than its content a reply says, by its last line, and why it ended, and the requests
// that were made on its way. Again says that its usage stands with other lines of it.
func reply(l line, stop string, again bool) (fields []js.Field, others []api.Iteration) {
	str := func(name string) string { return l.message.Get(name).Str() }
	fields = []js.Field{
		api.Str("model", str("model")), js.StringField("api", "anthropic-messages"), api.ProviderField(str("model")),
		api.Str("responseId", str("id")),
	}
	switch {
	case l.is("isApiErrorMessage") && str("model") == synthetic:
		fields = append(fields, js.StringField("stopReason", "error"), api.Str("errorMessage", l.text()))
	default:
		fields = append(fields, api.StopFields(stop)...)
	}
	usage := l.message.Get("usage")
	if usage == "" || again {
		return fields, nil
	}
	parts := api.IterationsOf(usage)
	return append(fields, js.RawField("usage", api.Usage(parts.Own))), parts.Others
}

// rest returns the fields of a reply of which another line has counted a part: with the rest of its usage, if there is one.
func rest(fields []js.Field, l, counted line) (out []js.Field) {
	usage, before, left := l.message.Get("usage"), counted.message.Get("usage"), false
	for _, name := range []string{"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"} {
		n := max(0, api.Tokens(usage.Get(name))-api.Tokens(before.Get(name)))
		usage, left = usage.With(name, js.Value(api.Int(n))), left || n > 0
	}
	if parts := usage.Get("cache_creation"); parts.IsObject() {
		for name, v := range parts.Members() {
			n := max(0, api.Tokens(v)-api.Tokens(before.Get("cache_creation", name)))
			parts, left = parts.With(name, js.Value(api.Int(n))), left || n > 0
		}
		usage = usage.With("cache_creation", parts)
	}
	for _, f := range fields {
		if f.Name != "usage" {
			out = append(out, f)
		} else if left {
			out = append(out, js.RawField("usage", api.Usage(usage)))
		}
	}
	return out
}

// userMessages returns the messages in the line of a user: one for each of n results of tools, and one
// for the blocks before, between and behind them.
func userMessages(l line, n int, tools map[string]string, lose lost) []session.Message {
	content := l.message.Get("content")
	if n == 0 {
		return []session.Message{api.User(l.marked(blocks(content, lose)))}
	}
	messages := api.AnthropicUser(content, func(b js.Value) string { return block(b, lose) }, func(b js.Dict) session.Message {
		details := js.Field{Name: "details"}
		if n == 1 {
			details.Raw = string(l.get("toolUseResult"))
		}
		id := b.Get("tool_use_id").Str()
		return api.ToolResult(id, cmp.Or(tools[id], "unknown"), blocks(b.Get("content"), lose), b.Get("is_error") == "true", details)
	})
	for i, m := range messages {
		if m.Role() == session.RoleUser {
			messages[i] = api.User(l.marked(slices.Collect(js.Elements(m.Get("content")))))
		}
	}
	return messages
}

// marked marks what of the blocks of a user's line is not the user's words.
func (l line) marked(blocks []string) (out []string) {
	for _, block := range blocks {
		switch {
		case block == "":
		case l.is("isMeta"):
			out = append(out, session.HarnessBlock(block, agent))
		default:
			out = append(out, typed.FramedBlocks(block, agent)...)
		}
	}
	return out
}

// resultIDs returns the ids of the calls that messages bring the results of.
func resultIDs(messages []session.Message) []string {
	var out []string
	for _, m := range messages {
		if m.Role() == session.RoleToolResult {
			out = append(out, m.Str("toolCallId"))
		}
	}
	return out
}

// A title is the name of a session as far as it is known: what the user said goes
// before what a model said, and that before a summary of former releases.
type title struct {
	name string
	rank int
}

// of returns the name that a line gives the session; ok is false if it gives none, or
// none that counts.
func (t *title) of(l line, x *index, node int) (name string, ok bool) {
	rank := 0
	switch l.str("type") {
	case "summary": // of this session or of another one
		if at, here := x.with(l.str("leafUuid")); here && (at < node || !x.grows) {
			name, rank = l.str("summary"), 1
		}
	case "ai-title":
		name, rank = cmp.Or(l.str("customTitle"), l.str("aiTitle")), 2
	case "custom-title":
		name, rank = cmp.Or(l.str("customTitle"), l.str("aiTitle")), 3
	}
	if rank == 0 || rank < t.rank || name == "" || name == t.name {
		return "", false
	}
	t.name, t.rank = name, rank
	return name, true
}

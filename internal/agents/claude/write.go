package claude

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// release is the release of Claude Code whose lines new ones are like.
const release = "2.1.330"

// parent returns the uuid of the nearest line that an entry hangs from, "" for none.
func (x *exporter) parent(e session.Entry) string {
	if _, ok := x.index[e.ParentID()]; !ok {
		return ""
	}
	return x.uuids[e.ParentID()]
}

// uuidOf returns the uuid of the k-th line for an entry.
func (x *exporter) uuidOf(e session.Entry, k int) string {
	if k == 0 && formats.IsUUID(e.ID()) {
		return e.ID()
	}
	return formats.SessionID("claude line", x.session, e.ID(), strconv.Itoa(k))
}

// add writes the lines for an entry that has none.
func (x *exporter) add(e session.Entry) {
	x.uuids[e.ID()] = x.parent(e)
	switch e.Type() {
	case session.TypeMessage:
		m, _ := e.Message()
		x.message(e, m)
	case session.TypeCompaction:
		if js.Value(e.Get("systemMessage")).IsObject() {
			x.losses.Add(e, formats.KindSystem)
		}
		x.compaction(e)
	case session.TypeSessionInfo:
		x.named(e.Str("name"))
	case session.TypeCustomMessage, session.TypeBranchSummary:
		for _, m := range convo.ToLLM(convo.EntryMessages(e)) {
			x.say(e, m, js.RawField("isMeta", "true"))
		}
		x.losses.Add(e, formats.KindRole)
	case session.TypeContextEdit, session.TypeResetBoundary:
		x.losses.Add(e, formats.KindContext)
	case session.TypeThinkingLevel:
		x.losses.Add(e, formats.KindThinking)
	default:
		x.losses.Entry(e, "Claude Code")
	}
}

// message writes the line of a message, or the lines of a reply.
func (x *exporter) message(e session.Entry, m session.Message) {
	switch m.Role() {
	case session.RoleUser:
		x.say(e, m)
	case session.RoleToolResult:
		details := js.RawField("toolUseResult", m.Get("details"))
		x.say(e, m, details)
	case session.RoleAssistant:
		x.reply(e, m)
	case session.RoleSystem, session.RoleDeveloper:
		x.losses.Add(e, formats.KindSystem)
	default:
		if m.IsPlainRun() {
			ended := ""
			if code := m.Get("exitCode"); js.Value(code).IsNumber() && code != "0" {
				ended = "Command exited with code " + code
			}
			for k, text := range []string{"<bash-input>" + m.Str("command") + "</bash-input>", "<bash-stdout>" + m.Str("output") + "</bash-stdout><bash-stderr>" + ended + "</bash-stderr>"} {
				x.turn(e, k, "user", js.Object(js.StringField("role", "user"), js.StringField("content", text)))
			}
			return
		}
		for _, llm := range convo.ToLLM([]session.Message{m}) {
			x.say(e, llm, js.RawField("isMeta", "true"))
		}
		x.losses.Add(e, formats.KindRole)
	}
}

// say writes the line of what a user says, or of a tool's result.
func (x *exporter) say(e session.Entry, m session.Message, more ...js.Field) {
	x.losses.Blocks(e, m, spoken...)
	content := spelled(m)
	if content == "[]" && m.Get("content") != "[]" {
		return
	}
	message := js.Object(js.StringField("role", "user"), js.RawField("content", content))
	x.turn(e, 0, "user", message, more...)
}

// reply writes the lines of a reply, one for each block. A reply that failed gets the mark with which Claude Code leaves such a reply out
// of its requests.
func (x *exporter) reply(e session.Entry, m session.Message) {
	failed := js.Field{Name: "isApiErrorMessage"}
	reason, model := m.Str("stopReason"), modelOf(m)
	if m.Failed() {
		failed.Raw, model = "true", synthetic
	}
	var own []session.Block
	x.losses.Blocks(e, m, replied...)
	signed := signedHere(m)
	for b := range m.Blocks() {
		data, encrypted := b.Encrypted()
		if b.IsThinking() && (!signed || encrypted && data == "" || !encrypted && b.Str("thinkingSignature") == "") {
			x.losses.Add(e, formats.KindThinking)
			continue
		}
		if slices.Contains(replied, b.Type) {
			own = append(own, b)
		}
	}
	id := m.Str("responseId")
	if id == "" {
		id = "msg_" + x.uuidOf(e, 0)
	}
	if len(own) == 0 && failed.Raw != "" {
		own = slices.Collect(api.User([]string{api.Text(cmp.Or(m.Str("errorMessage"), reason))}).Blocks())
	}
	if len(own) == 0 {
		x.losses.Add(e, formats.KindText)
	}
	tokens := usage(m)
	for k, b := range own {
		x.turn(e, k, "assistant", js.Object(
			js.StringField("id", id), js.StringField("type", "message"), js.StringField("role", "assistant"),
			js.StringField("model", model), js.RawField("content", api.Array(spelledBlock(b))),
			js.RawField("stop_reason", stopReason(reason)), js.RawField("stop_sequence", "null"),
			js.RawField("usage", tokens)), failed)
	}
}

// families are the words in the name of a model by which Claude Code takes it for one of
// Anthropic's, and goes on with it under that very name.
var families = lazy.Regexp(`(?i)claude|fable|opus|sonnet|haiku`)

// anthropics are names that Anthropic's API knows.
var anthropics = lazy.Regexp(`^claude-[a-z0-9-]+(@[0-9]+)?(\[1m\])?$`)

// modelOf returns the model of a reply, or Claude Code's placeholder for none if Claude Code would
// ask the API for a name that the API does not know, such as that of a reseller.
func modelOf(m session.Message) string {
	name := cmp.Or(m.Str("model"), "unknown")
	if families().MatchString(name) && !anthropics().MatchString(name) {
		return synthetic
	}
	return name
}

// signedHere reports whether the signatures of a reply's thinking are Anthropic's.
func signedHere(m session.Message) bool {
	api := m.Str("api")
	return api == "anthropic-messages" || api == "" && m.Str("provider") == "anthropic"
}

// stopReason returns the JSON text of why a reply ended, in the API's words.
func stopReason(reason string) string {
	switch reason {
	case "toolUse":
		return `"tool_use"`
	case "length":
		return `"max_tokens"`
	case "error", "aborted":
		return `"stop_sequence"`
	}
	return `"end_turn"`
}

// usage returns the tokens of a reply, in the API's words.
func usage(m session.Message) string {
	count := func(name, ours string) js.Field {
		return js.IntField(name, api.Tokens(js.Value(m.Get("usage")).Get(ours)))
	}
	return js.Object(count("input_tokens", "input"), count("cache_creation_input_tokens", "cacheWrite"),
		count("cache_read_input_tokens", "cacheRead"), count("output_tokens", "output"))
}

// turn writes a line of the tree, the k-th of an entry.
func (x *exporter) turn(e session.Entry, k int, typ, message string, more ...js.Field) {
	fields := append(x.lead(x.uuids[e.ID()]), js.StringField("type", typ), js.RawField("message", message))
	x.write(e, k, append(fields, more...))
}

// lead returns the members that begin a line of the tree.
func (x *exporter) lead(parent string) []js.Field {
	up := js.RawField("parentUuid", "null")
	if parent != "" {
		up.Raw = js.Quote(parent)
	}
	side := js.RawField("isSidechain", strconv.FormatBool(isAgent(x.session)))
	return []js.Field{up, side}
}

// write writes a line of the tree that begins with the given members.
func (x *exporter) write(e session.Entry, k int, fields []js.Field) {
	id := x.uuidOf(e, k)
	x.line(append(fields, js.StringField("uuid", id), js.StringField("timestamp", x.time(e)),
		js.StringField("userType", "external"), js.StringField("cwd", x.s.Header.CWD),
		js.StringField("sessionId", x.of), js.StringField("version", release), js.StringField("gitBranch", ""))...)
	x.called(e.ID(), id)
}

// time returns the time of an entry. Of the last one it is remembered: a reply has a line
// for each of its blocks.
func (x *exporter) time(e session.Entry) string {
	if x.timed != e.Line() || x.when == "" {
		x.timed, x.when = e.Line(), x.s.Header.Timestamp
		if ms, ok := e.Timestamp(); ok {
			x.when = js.FormatTime(ms)
		}
	}
	return x.when
}

// title writes the name that a session has in its header alone.
func (x *exporter) title() {
	for _, e := range x.s.Entries {
		if e.Type() == session.TypeSessionInfo {
			return
		}
	}
	if name := x.s.Header.Title; name != "" {
		x.named(name)
	}
}

func (x *exporter) named(name string) {
	x.line(js.StringField("type", "custom-title"), js.StringField("customTitle", name), js.StringField("sessionId", x.of))
}

func (x *exporter) line(fields ...js.Field) {
	x.out = append(x.out, formats.KeptLine{N: x.at, Text: js.Object(fields...)})
}

// spelled returns the content of a message.
func spelled(m session.Message) string {
	if m.Role() != session.RoleToolResult {
		return spelledBlocks(m)
	}
	failed := js.Field{Name: "is_error"}
	if m.Get("isError") == "true" {
		failed.Raw = "true"
	}
	return api.Array(js.Object(js.StringField("tool_use_id", formats.CallID(m.Str("toolCallId"))), js.StringField("type", "tool_result"),
		js.RawField("content", spelledBlocks(m)), failed))
}

// spelledBlocks returns the blocks of a message; a text alone is a string.
func spelledBlocks(m session.Message) string {
	var out []string
	texts := 0
	for b := range m.Blocks() {
		if !slices.Contains(spoken, b.Type) {
			continue
		}
		out = append(out, spelledBlock(b))
		if b.Type == session.BlockText {
			texts++
		}
	}
	if len(out) == 1 && texts == 1 {
		return js.Quote(m.Text(""))
	}
	return api.Array(out...)
}

// The types of blocks that the API has: replied in replies of the model, spoken at all.
var (
	replied = []string{session.BlockText, session.BlockThinking, session.BlockEncrypted, session.BlockToolCall}
	spoken  = append([]string{session.BlockImage}, replied...)
)

// spelledBlock returns a block as the API has it.
func spelledBlock(b session.Block) string {
	typ := js.StringField("type", b.Type)
	if data, ok := b.Encrypted(); ok {
		return js.Object(js.StringField("type", "redacted_thinking"), js.StringField("data", data))
	}
	switch b.Type {
	case session.BlockThinking:
		return js.Object(typ, js.StringField("thinking", b.Str("thinking")), js.StringField("signature", b.Str("thinkingSignature")))
	case session.BlockImage:
		return js.Object(typ, js.RawField("source", js.Object(js.StringField("type", "base64"),
			js.StringField("media_type", b.Str("mimeType")), js.StringField("data", b.Str("data")))))
	case session.BlockToolCall:
		return js.Object(js.StringField("type", "tool_use"), js.StringField("id", formats.CallID(b.Str("id"))), js.StringField("name", b.Str("name")),
			js.RawField("input", b.Get("arguments")))
	}
	return js.Object(typ, js.StringField("text", b.Str("text")))
}

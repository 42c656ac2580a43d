package claude

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A line is one line, taken apart as far as it is understood. Members that are
// not given are "".
type line struct {
	typ, uuid, parent, session string
	parentRaw                  string // JSON text of parentUuid, null included
	logical                    string // parent across a compaction
	timestamp, cwd, subtype    string
	leaf, summary, title       string // of a line that names a session
	message                    string // JSON texts from here on
	attachment, rendered       string
	toolUseResult              string
	compacted                  string
	forkedFrom                 string
	content                    string

	sidechain, compactSummary, apiError bool

	notification bool // of a background task, not said by the user
}

// parse takes a line apart. ok is false for what is no JSON object.
func parse(text string) (l line, ok bool) {
	text = strings.Trim(text, " \t\r")
	if !strings.HasPrefix(text, "{") || !js.Valid([]byte(text)) {
		return line{}, false
	}
	for key, value := range js.Members(text) {
		l.member(js.Unquote(key), value)
	}
	return l, true
}

func (l *line) member(key, value string) {
	switch key {
	case "type":
		l.typ = js.Value(value).Str()
	case "uuid":
		l.uuid = strings.Clone(js.Value(value).Str())
	case "parentUuid":
		l.parentRaw, l.parent = value, strings.Clone(js.Value(value).Str())
	case "logicalParentUuid":
		l.logical = strings.Clone(js.Value(value).Str())
	case "sessionId":
		l.session = js.Value(value).Str()
	case "timestamp":
		l.timestamp = js.Value(value).Str()
	case "cwd":
		l.cwd = js.Value(value).Str()
	case "subtype":
		l.subtype = js.Value(value).Str()
	case "leafUuid":
		l.leaf = js.Value(value).Str()
	case "summary":
		l.summary = js.Value(value).Str()
	case "customTitle", "aiTitle":
		l.title = js.Value(value).Str()
	case "message":
		l.message = value
	case "attachment":
		l.attachment = value
	case "rendered":
		l.rendered = value
	case "toolUseResult":
		l.toolUseResult = value
	case "compactMetadata":
		l.compacted = value
	case "forkedFrom":
		l.forkedFrom = value
	case "content":
		l.content = value
	case "origin":
		l.notification = js.Value(value).Get("kind").Str() == "task-notification"
	default:
		l.flag(key, value == "true")
	}
}

func (l *line) flag(key string, on bool) {
	switch key {
	case "isSidechain":
		l.sidechain = on
	case "isCompactSummary":
		l.compactSummary = on
	case "isApiErrorMessage":
		l.apiError = on
	}
}

// time returns when the line was written in milliseconds since the epoch, 0 if it
// does not say.
func (l *line) time() int64 {
	ms, _ := js.ParseTime(l.timestamp)
	return ms
}

// isMessage reports whether the line is one of a conversation's.
func (l *line) isMessage() bool {
	return l.uuid != "" && (l.typ == "user" || l.typ == "assistant") && strings.HasPrefix(l.message, "{")
}

// hasResults reports whether the line holds results of tools.
func (l *line) hasResults() bool {
	content := string(js.Value(l.message).Get("content"))
	if l.typ != "user" || !strings.HasPrefix(content, "[") {
		return false
	}
	for block := range js.Elements(content) {
		if js.Value(block).Get("type").Str() == "tool_result" {
			return true
		}
	}
	return false
}

// lost is told of what of a content cannot be carried over.
type lost func(kind, format string, args ...any)

// blocks returns the blocks of a content, without the results of tools.
func blocks(content string, lose lost) []string {
	if strings.HasPrefix(content, `"`) {
		return []string{formats.Text(js.Value(content).Str())}
	}
	if !strings.HasPrefix(content, "[") {
		return nil
	}
	var out []string
	for raw := range js.Elements(content) {
		if b := block(raw, lose); b != "" {
			out = append(out, b)
		}
	}
	return out
}

// block returns what a block is here, "" for nothing.
func block(raw string, lose lost) string {
	str := func(name string) string { return js.Value(raw).Get(name).Str() }
	switch typ := str("type"); typ {
	case "text":
		return formats.Text(str("text"))
	case "thinking":
		return formats.Thinking(str("thinking"), str("signature"))
	case "redacted_thinking":
		return formats.RedactedThinking(str("data"))
	case "tool_use":
		input := string(js.Value(raw).Get("input"))
		if !strings.HasPrefix(input, "{") {
			lose(formats.KindTool, "a call whose input is no object")
			input = js.Object(js.RawField("input", input))
		}
		return formats.ToolCall(str("id"), str("name"), input)
	case "image":
		source := string(js.Value(raw).Get("source"))
		if js.Value(source).Get("type").Str() == "base64" {
			return formats.Image(js.Value(source).Get("media_type").Str(), js.Value(source).Get("data").Str())
		}
		lose(formats.KindMedia, "an image that is but an address, which no model will be shown")
	case "tool_result": // a message of its own
	default:
		lose(formats.KindMedia, "content of type %q, which no model will be shown", typ)
	}
	return ""
}

// stops are the API's reasons to stop, in pi's words.
var stops = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "tool_use": "toolUse", "max_tokens": "length",
	"model_context_window_exceeded": "length", "refusal": "stop", "pause_turn": "stop",
}

// synthetic is the model of replies that the program made itself; those that tell of
// an error are shown to no model.
const synthetic = "<synthetic>"

// reply returns what else than its content a reply says, by its last line.
func reply(l *line) []js.Field {
	str := func(name string) string { return js.Value(l.message).Get(name).Str() }
	fields := []js.Field{
		formats.Str("model", str("model")), js.StringField("api", "anthropic-messages"), js.StringField("provider", "anthropic"),
		formats.Str("responseId", str("id")),
	}
	switch {
	case l.apiError && str("model") == synthetic:
		text := session.NewMessage(js.Object(js.RawField("role", `"assistant"`), js.RawField("content", cmp.Or(string(js.Value(l.message).Get("content")), "[]")))).Text("\n")
		fields = append(fields, js.StringField("stopReason", "error"), formats.Str("errorMessage", text))
	case stops[str("stop_reason")] != "":
		fields = append(fields, js.StringField("stopReason", stops[str("stop_reason")]))
	}
	usage := js.Value(l.message).Get("usage")
	if usage == "" {
		return fields
	}
	return append(fields, js.RawField("usage", formats.AnthropicUsage(usage)))
}

// said returns the messages that the line of a user is: its results of tools, a
// message each, and what stands before, between and behind them.
func said(l *line, tools map[string]string, lose lost) []session.Message {
	content := string(js.Value(l.message).Get("content"))
	if !l.hasResults() {
		return []session.Message{formats.User(blocks(content, lose))}
	}
	var out []session.Message
	var words []string
	flush := func() {
		if len(words) > 0 {
			out = append(out, formats.User(words))
		}
		words = nil
	}
	results := 0
	for raw := range js.Elements(content) {
		if js.Value(raw).Get("type").Str() == "tool_result" {
			results++
		}
	}
	for raw := range js.Elements(content) {
		if js.Value(raw).Get("type").Str() != "tool_result" {
			if b := block(raw, lose); b != "" {
				words = append(words, b)
			}
			continue
		}
		flush()
		var details []js.Field
		if results == 1 && l.toolUseResult != "" {
			details = []js.Field{{Name: "details", Raw: l.toolUseResult}}
		}
		id := js.Value(raw).Get("tool_use_id").Str()
		out = append(out, formats.ToolResult(id, cmp.Or(tools[id], "unknown"), blocks(string(js.Value(raw).Get("content")), lose),
			string(js.Value(raw).Get("is_error")) == "true", details...))
	}
	flush()
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
func (t *title) of(l *line, x *index) (name string, ok bool) {
	rank := 0
	switch l.typ {
	case "summary": // of this session or of another one
		if _, here := x.byUUID[l.leaf]; here {
			name, rank = l.summary, 1
		}
	case "ai-title":
		name, rank = l.title, 2
	case "custom-title":
		name, rank = l.title, 3
	}
	if rank == 0 || rank < t.rank || name == "" || name == t.name {
		return "", false
	}
	t.name, t.rank = name, rank
	return name, true
}

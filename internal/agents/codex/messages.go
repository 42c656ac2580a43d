package codex

import (
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// ranItem returns the item for what the user ran, as codex writes it.
func (x *exporter) ranItem(m session.Message) string {
	head := ""
	if code := js.Value(m.Get("exitCode")); code.IsNumber() {
		head = "Exit code: " + string(code) + "\n"
	}
	text := "<user_shell_command>\n<command>\n" + m.Str("command") + "\n</command>\n<result>\n" + head + "Output:\n" + m.Str("output") + "\n</result>\n</user_shell_command>"
	return messageItem(session.RoleUser, []string{x.textPart("input_text", js.ValidText(text))})
}

// items returns the items for a message that a model is shown.
func (x *exporter) items(m session.Message) []string {
	switch m.Role() {
	case session.RoleUser, session.RoleDeveloper:
		if content := x.content(m, "input_text"); len(content) > 0 {
			return []string{messageItem(m.Role(), content)}
		}
	case session.RoleAssistant:
		return x.replyItems(m)
	case session.RoleToolResult:
		return []string{x.outputItem(m)}
	}
	return nil
}

func messageItem(role string, content []string) string {
	return js.Object(js.StringField("type", kindMessage), js.StringField("role", role),
		js.RawField("content", api.Array(content...)))
}

// content returns the parts of a content: texts of a type, and images.
func (x *exporter) content(m session.Message, typ string) []string {
	var out []string
	for b := range m.Blocks() {
		switch b.Type {
		case session.BlockText:
			if text := js.ValidText(b.Str("text")); text != "" {
				out = append(out, x.textPart(typ, text))
			}
		case session.BlockImage:
			out = append(out, js.Object(js.StringField("type", "input_image"),
				js.RawField("image_url", x.large.quote(js.ValidText(api.FormatDataURL(b.Str("mimeType"), b.Str("data")))))))
		default:
			x.lose(formats.KindMedia, "content of type %q, which codex does not know", b.Type)
		}
	}
	return out
}

func (x *exporter) textPart(typ, text string) string {
	return js.Object(js.StringField("type", typ), js.RawField("text", x.large.quote(text)))
}

// replyItems returns the items for what the model has said.
func (x *exporter) replyItems(m session.Message) []string {
	var out, texts []string
	say := func() {
		if len(texts) > 0 {
			out = append(out, messageItem("assistant", texts))
		}
		texts = nil
	}
	for b := range m.Blocks() {
		switch b.Type {
		case session.BlockText:
			if text := js.ValidText(b.Str("text")); text != "" {
				texts = append(texts, x.textPart("output_text", text))
			}
		case session.BlockThinking, session.BlockEncrypted:
			if item, ok := reasoningItem(m, b); ok && x.own {
				say()
				out = append(out, item)
			} else {
				x.lose(formats.KindThinking, "thinking that codex only shows to people, and not to a model")
			}
		case session.BlockToolCall:
			say()
			out = append(out, js.Object(js.StringField("type", kindCall), js.StringField("name", js.ValidText(b.Str("name"))),
				js.StringField("arguments", argumentsOf(b.Get("arguments"))), js.StringField("call_id", formats.CallID(b.Str("id")))))
		default:
			x.lose(formats.KindMedia, "content of type %q, which codex does not know", b.Type)
		}
	}
	say()
	return out
}

// madeUpItem returns a result for a call that has none.
func madeUpItem(c session.ToolCall) string {
	return js.Object(js.StringField("type", kindOutput), js.StringField("call_id", formats.CallID(c.ID)),
		js.StringField("output", convo.NoResult))
}

// reasoningItem returns the item that is the signature of thinking, if the response API
// has made it.
func reasoningItem(m session.Message, b session.Block) (string, bool) {
	raw := b.Str("thinkingSignature")
	if !strings.HasPrefix(m.Str("api"), "openai") || !strings.HasPrefix(raw, "{") || !js.Valid([]byte(raw)) {
		return "", false
	}
	return api.Compact(raw), js.Value(raw).Get("type").Str() == kindReasoning
}

// argumentsOf returns arguments as the text that the API wants.
func argumentsOf(raw string) string {
	switch {
	case raw == "" || raw == "null":
		return "{}"
	case raw[0] == '"':
		return js.ValidText(js.Unquote(raw))
	}
	return js.ValidText(js.Stringify(raw))
}

// outputItem returns the item for a result: a text, or parts if there are images.
func (x *exporter) outputItem(m session.Message) string {
	raw, texts, images, unknown := "", []string{}, false, []string{}
	for b := range m.Blocks() {
		switch text := js.ValidText(b.Str("text")); b.Type {
		case session.BlockImage:
			images = true
		case session.BlockText:
			if text != "" {
				texts = append(texts, text)
			}
		default:
			unknown = append(unknown, b.Type)
		}
	}
	if raw = x.large.quote(strings.Join(texts, "\n")); images {
		raw = api.Array(x.content(m, "input_text")...)
		unknown = nil // told of there
	}
	for _, typ := range unknown {
		x.lose(formats.KindMedia, "content of type %q, which codex does not know", typ)
	}
	return js.Object(js.StringField("type", kindOutput), js.StringField("call_id", formats.CallID(m.Str("toolCallId"))),
		js.RawField("output", raw))
}

// showPrompt shows people what the user has said.
func (x *exporter) showPrompt(id string, m session.Message, at int64) {
	var content, images, texts []string
	for b := range m.Blocks() {
		switch b.Type {
		case session.BlockText:
			text := js.ValidText(b.Str("text"))
			texts = append(texts, text)
			content = append(content, js.Object(js.StringField("type", "text"), js.RawField("text", x.large.quote(text)),
				js.RawField("text_elements", "[]")))
		case session.BlockImage:
			url := api.FormatDataURL(b.Str("mimeType"), b.Str("data"))
			literal := x.large.quote(js.ValidText(url))
			images = append(images, literal)
			content = append(content, js.Object(js.StringField("type", "image"), js.RawField("image_url", literal)))
		}
	}
	if !x.legacy {
		x.item("UserMessage", id, at, js.RawField("content", api.Array(content...)))
		return
	}
	x.event("user_message", at, js.RawField("message", x.large.quote(js.ValidText(strings.Join(texts, "")))), js.RawField("images", api.Array(images...)),
		js.RawField("local_images", "[]"), js.RawField("text_elements", "[]"))
}

// replied adds a reply, and shows it.
func (x *exporter) replied(id string, m session.Message, r repair, at int64) {
	n := 0
	for b := range m.Blocks() {
		n++
		key := id + "-" + api.Int(int64(n))
		switch b.Type {
		case session.BlockText:
			x.spoke(key, x.large.quote(js.ValidText(b.Str("text"))), at)
		case session.BlockThinking:
			x.thought(key, x.large.quote(js.ValidText(b.Str("thinking"))), at)
		case session.BlockToolCall:
			x.calls[b.Str("id")] = session.ToolCall{ID: b.Str("id"), Name: b.Str("name"), Arguments: b.Get("arguments")}
		}
	}
	if !r.drop { // else no model is shown it, here either
		x.add(x.items(m), at)
	}
	u, _ := m.Usage()
	reasoning := api.Tokens(js.Value(m.Get("usage")).Get("reasoning"))
	x.count(counts{u.Input, u.Output, u.CacheRead, u.CacheWrite, reasoning, u.ContextTokens()}, at) // it ends the reply as well
	for _, j := range r.results {
		e := x.entries[j]
		if result, ok := e.Message(); ok && !r.drop && !x.covered[e.ID()] && !isMadeUp(e) {
			ms, _ := e.Timestamp()
			x.result(result, ms)
		}
	}
	for _, c := range r.unanswered {
		x.add([]string{madeUpItem(c)}, at)
	}
}

func (x *exporter) spoke(key, literal string, at int64) {
	if literal == `""` {
		return
	}
	x.reply = literal
	if !x.legacy {
		x.item("AgentMessage", key, at, js.RawField("content", `[{"type":"Text","text":`+literal+`}]`))
		return
	}
	x.event("agent_message", at, js.RawField("message", literal))
}

func (x *exporter) thought(key, literal string, at int64) {
	switch {
	case literal == `""`:
	case !x.legacy:
		x.item("Reasoning", key, at, js.RawField("summary_text", "["+literal+"]"), js.RawField("raw_content", "[]"))
	default:
		x.event("agent_reasoning", at, js.RawField("text", literal))
	}
}

// ran shows what came of a command.
func (x *exporter) ran(m session.Message, at int64) {
	call := x.calls[m.Str("toolCallId")]
	command := js.Value(call.Arguments).Get("command").Str()
	if command == "" {
		command = js.Value(call.Arguments).Get("cmd").Str()
	}
	if x.legacy || command == "" {
		return
	}
	status, code := "completed", "0"
	if m.Get("isError") == "true" {
		status, code = "failed", "1"
	}
	cwd := x.s.Header.CWD
	if !strings.HasPrefix(cwd, "/") {
		cwd = "/"
	}
	command = js.Quote(js.ValidText(command))
	x.item("CommandExecution", js.ValidText(call.ID), at,
		js.RawField("process_id", "null"), js.RawField("command", `["/bin/bash","-lc",`+command+"]"),
		js.StringField("cwd", "file://"+cwd), js.RawField("parsed_cmd", `[{"type":"unknown","cmd":`+command+"}]"),
		js.StringField("source", "unified_exec_startup"), js.StringField("status", status),
		js.RawField("aggregated_output", x.large.quote(js.ValidText(m.Text("\n")))), js.RawField("exit_code", code),
		js.RawField("duration", `{"secs":0,"nanos":0}`))
}

package codex

import (
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// asked shows people what the user has said.
func (x *exporter) asked(id string, m session.Message, at int64) {
	var content, images, texts []string
	for b := range m.Blocks() {
		switch b.Type {
		case "text":
			text := js.ValidText(b.Str("text"))
			texts = append(texts, text)
			content = append(content, formats.Object(session.StringField("type", "text"), session.Field{Name: "text", Raw: x.large.quote(text)},
				session.Field{Name: "text_elements", Raw: "[]"}))
		case "image":
			url := addressOf(b.Str("mimeType"), b.Str("data"))
			literal := x.large.quote(js.ValidText(url))
			images = append(images, literal)
			content = append(content, formats.Object(session.StringField("type", "image"), session.Field{Name: "image_url", Raw: literal}))
		}
	}
	if !x.legacy {
		x.item("UserMessage", id, at, session.Field{Name: "content", Raw: formats.Array(content...)})
		return
	}
	x.event("user_message", at, session.Field{Name: "message", Raw: x.large.quote(js.ValidText(strings.Join(texts, "")))}, session.Field{Name: "images", Raw: formats.Array(images...)},
		session.Field{Name: "local_images", Raw: "[]"}, session.Field{Name: "text_elements", Raw: "[]"})
}

// replied adds a reply, and shows it.
func (x *exporter) replied(id string, m session.Message, r repair, at int64) {
	n := 0
	for b := range m.Blocks() {
		n++
		key := id + "-" + formats.Int(int64(n))
		switch b.Type {
		case "text":
			x.spoke(key, x.large.quote(js.ValidText(b.Str("text"))), at)
		case "thinking":
			x.thought(key, x.large.quote(js.ValidText(b.Str("thinking"))), at)
		case "toolCall":
			x.calls[b.Str("id")] = session.ToolCall{ID: b.Str("id"), Name: b.Str("name"), Arguments: b.Get("arguments")}
		}
	}
	if !r.drop {
		x.add(x.items(m), at)
	} else {
		x.lost.add("", formats.KindContext, "a reply that failed: people are shown it, and no model is")
	}
	u, _ := m.Usage()
	x.count(counts{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.ContextTokens()}, at) // it ends the reply as well
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
	if m.Str("model") != "" {
		x.lost.add("", formats.KindEntry, "codex does not say for a reply which model it is of, and what it cost")
	}
}

func (x *exporter) spoke(key, literal string, at int64) {
	if literal == `""` {
		return
	}
	x.reply = literal
	if !x.legacy {
		x.item("AgentMessage", key, at, session.Field{Name: "content", Raw: `[{"type":"Text","text":` + literal + `}]`})
		return
	}
	x.event("agent_message", at, session.Field{Name: "message", Raw: literal})
}

func (x *exporter) thought(key, literal string, at int64) {
	switch {
	case literal == `""`:
	case !x.legacy:
		x.item("Reasoning", key, at, session.Field{Name: "summary_text", Raw: "[" + literal + "]"}, session.Field{Name: "raw_content", Raw: "[]"})
	default:
		x.event("agent_reasoning", at, session.Field{Name: "text", Raw: literal})
	}
}

// ran shows what came of a command.
func (x *exporter) ran(m session.Message, at int64) {
	call := x.calls[m.Str("toolCallId")]
	command := formats.RawString(formats.Member(call.Arguments, "command"))
	if command == "" {
		command = formats.RawString(formats.Member(call.Arguments, "cmd"))
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
		session.Field{Name: "process_id", Raw: "null"}, session.Field{Name: "command", Raw: `["/bin/bash","-lc",` + command + "]"},
		session.StringField("cwd", "file://"+cwd), session.Field{Name: "parsed_cmd", Raw: `[{"type":"unknown","cmd":` + command + "}]"},
		session.StringField("source", "unified_exec_startup"), session.StringField("status", status),
		session.Field{Name: "aggregated_output", Raw: x.large.quote(js.ValidText(m.Text("\n")))}, session.Field{Name: "exit_code", Raw: code},
		session.Field{Name: "duration", Raw: `{"secs":0,"nanos":0}`})
}

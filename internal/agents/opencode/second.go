package opencode

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/js"
)

// secondTable has the messages of opencode 2: a row for each, with its kind in type and the rest in data.
const secondTable = "session_message"

// The types of rows of [secondTable] that become messages. Those of a switch say something of the messages behind them.
const (
	secondUser       = "user"
	secondSynthetic  = "synthetic"
	secondSkill      = "skill"
	secondSystem     = "system"
	secondShell      = "shell"
	secondAssistant  = "assistant"
	secondCompaction = "compaction"
	secondModel      = "model-switched"
	secondAgent      = "agent-switched"
)

// textShell is what opencode tells a model of a command that the user ran.
const textShell = "The following tool was executed by the user"

// A second is what a message of opencode 2 has to know of the rows before it.
type second struct {
	typ   string
	half  int      // of a row that becomes two messages: 1 is the user's, 2 the answer
	asked string   // id of the last message of the user
	model js.Value // {"providerID","modelID"}
	agent string
}

// noteSecond notes the rows of opencode 2, which are in their order, and which of them are no messages that are noted already:
// opencode keeps the id of a message that it takes over from release 1.
func (s *stored) noteSecond(ctx context.Context) error {
	if !s.second {
		return nil
	}
	known := make(map[string]bool, len(s.messages))
	for _, r := range s.messages {
		known[r.id] = true
	}
	order := "seq"
	if !s.sequence {
		order = "time_created, id"
	}
	at := second{model: modelOf(s.about.Get("model")), agent: s.about.Get("agent").Str()}
	var id, typ, created, data sqldb.Text
	last, unknown := int64(0), map[string]int{}
	for err := range s.db.Rows(ctx, []any{&id, &typ, &created, &data}, "SELECT id, type, time_created, data FROM "+secondTable+" WHERE session_id = ? ORDER BY "+order, s.id) {
		if err != nil {
			return err
		}
		s.rows++
		if !isJSON(string(data)) {
			s.lose("message "+string(id), "not a JSON object, skipped")
			continue
		}
		ms, _ := parts.Integer(js.Value(created))
		last = max(last, ms) // the rows are in order, whatever their clocks said
		for _, r := range at.row(strings.Clone(string(id)), string(typ), js.Value(data)) {
			if r.created = last; !known[r.id] {
				s.messages = append(s.messages, r)
			}
			if r.second.typ == "" {
				unknown[string(typ)]++
			}
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(unknown)) {
		if typ != secondModel && typ != secondAgent && typ != secondCompaction {
			s.damaged = append(s.damaged, formats.Loss{
				Where: fmt.Sprintf("%s of type %.40q", secondTable, typ), Kind: formats.KindEntry, N: unknown[typ],
				What: formats.Counted(unknown[typ], "a row of a type that is not known, kept aside", "%d rows of a type that is not known, kept aside"),
			})
		}
	}
	return nil
}

// row returns the messages that a row becomes, and goes on behind it.
func (at *second) row(id, typ string, data js.Value) []ref {
	made := func(suffix string, half int) ref {
		r := ref{id: id + suffix, row: id, second: *at}
		r.second.typ, r.second.half = typ, half
		return r
	}
	switch typ {
	case secondUser, secondSynthetic, secondSkill, secondSystem:
		at.asked = id
		return []ref{made("", 0)}
	case secondShell:
		at.asked = id
		return []ref{made("", 1), made("_assistant", 2)}
	case secondAssistant:
		at.model, at.agent = cmp.Or(modelOf(data.Get("model")), at.model), cmp.Or(strings.Clone(data.Get("agent").Str()), at.agent)
		return []ref{made("", 0)}
	case secondCompaction:
		if status := data.Get("status").Str(); status != "" && status != "completed" {
			break // it failed, or was not over
		}
		at.asked = id
		asked, summary := made("", 1), made("_summary", 2)
		asked.compacted = true
		summary.summary, summary.parent = true, id
		return []ref{asked, summary}
	case secondModel:
		at.model = cmp.Or(modelOf(data.Get("model")), at.model)
	case secondAgent:
		at.agent = cmp.Or(strings.Clone(data.Get("agent").Str()), at.agent)
	}
	r := made("", 0)
	r.second.typ = ""
	return []ref{r}
}

// modelOf returns a model of a row as a message of the user names it, "" if it is none.
func modelOf(v js.Value) js.Value {
	id := v.Get("id").Str()
	if id == "" {
		return ""
	}
	return js.Value(strings.Clone(string(object(js.StringField("providerID", v.Get("providerID").Str()), js.StringField("modelID", id)))))
}

// secondMessage reads a row of opencode 2 as the message that release 1 has for it.
func (s *stored) secondMessage(ctx context.Context, r ref) (message, error) {
	var typ, data sqldb.Text
	if err := s.db.QueryRowContext(ctx, "SELECT type, data FROM "+secondTable+" WHERE id = ?", r.row).Scan(&typ, &data); err != nil {
		return message{}, s.db.Err(err)
	}
	m := r.second.message(s.id, r, string(typ), compact(string(data)))
	m.info = js.Value(strings.ToValidUTF8(string(m.info), "\ufffd"))
	for i, p := range m.parts {
		m.parts[i] = js.Value(strings.ToValidUTF8(string(p), "\ufffd"))
	}
	return m, nil
}

// message returns the message of release 1 for a row.
func (at second) message(session string, r ref, typ string, data js.Value) message {
	b := &secondParts{session: session, message: r.id}
	at.model = cmp.Or(at.model, `{"providerID":"unknown","modelID":"unknown"}`)
	who := []js.Field{js.StringField("role", "user"), js.RawField("time", object(js.RawField("created", data.Get("time", "created")))), js.StringField("agent", cmp.Or(at.agent, "build")), js.RawField("model", at.model)}
	switch {
	case at.typ == secondUser:
		b.text(data.Get("text"), false)
		for f := range data.Get("files").Elements() {
			b.file(f)
		}
	case at.typ == secondSynthetic, at.typ == secondSkill, at.typ == secondSystem:
		b.text(data.Get("text"), true)
	case at.half == 1 && at.typ == secondShell:
		b.text(quote(textShell), true)
	case at.half == 1:
		b.add("compaction", js.RawField("auto", boolean(data.Get("reason").Str() == "auto")))
	case at.half == 2 && at.typ == secondShell:
		who = at.reply(data)
		b.shell(data)
	case at.half == 2:
		who = append(at.reply(data), js.RawField("summary", "true"), js.StringField("finish", "stop"))
		b.text(quote(checkpoint(data)), false)
	case at.typ == secondAssistant:
		who = at.reply(data)
		b.reply(data)
	default:
		who = []js.Field{js.StringField("role", typ), js.RawField("time", data.Get("time")), js.RawField("data", data)}
	}
	return message{object(append([]js.Field{js.StringField("id", r.id), js.StringField("sessionID", session)}, who...)...), b.list}
}

// checkpoint is the text by which a compaction stands for what was before it: a summary, and what was said last.
func checkpoint(data js.Value) string {
	summary, recent := data.Get("summary").Str(), data.Get("recent").Str()
	if recent == "" {
		return summary
	}
	return summary + "\n\n<recent-context>\n" + recent + "\n</recent-context>"
}

func boolean(v bool) js.Value {
	if v {
		return "true"
	}
	return "false"
}

// reply returns what release 1 says of a reply beside its parts.
func (at second) reply(data js.Value) []js.Field {
	failed := js.Field{Name: "error"}
	if e := data.Get("error"); e != "" {
		kind, name := strings.ToLower(e.Get("type").Str()), "UnknownError"
		if strings.Contains(kind, "abort") || strings.Contains(kind, "interrupt") {
			name = "MessageAbortedError"
		}
		failed = js.RawField("error", object(js.StringField("name", name), js.RawField("data", object(js.StringField("message", e.Get("message").Str())))))
	}
	agent := cmp.Or(data.Get("agent").Str(), at.agent, "build")
	fields := []js.Field{
		js.StringField("role", "assistant"), js.RawField("time", data.Get("time")), js.StringField("parentID", at.asked), js.RawField("modelID", at.model.Get("modelID")), js.RawField("providerID", at.model.Get("providerID")),
		js.StringField("mode", agent), js.StringField("agent", agent), js.RawField("path", object(js.StringField("cwd", ""), js.StringField("root", ""))),
		js.RawField("cost", cmp.Or(data.Get("cost"), "0")), js.RawField("tokens", cmp.Or(data.Get("tokens"), noTokens)),
	}
	if finish := data.Get("finish").Str(); finish != "" && finish != "error" {
		fields = append(fields, js.StringField("finish", finish))
	}
	return append(fields, failed)
}

// secondParts makes the parts of a message, whose ids are in their order.
type secondParts struct {
	session, message string
	list             []js.Value
}

func (b *secondParts) add(typ string, fields ...js.Field) {
	id := fmt.Sprintf("prt_%s_%06d", strings.TrimPrefix(b.message, "msg_"), len(b.list))
	b.list = append(b.list, object(append([]js.Field{js.StringField("type", typ)}, append(fields,
		js.StringField("id", id), js.StringField("sessionID", b.session), js.StringField("messageID", b.message))...)...))
}

func (b *secondParts) text(text js.Value, synthetic bool) {
	fields := []js.Field{js.RawField("text", parts.Literal(string(text)))}
	if synthetic {
		fields = append(fields, js.RawField("synthetic", "true"))
	}
	b.add("text", fields...)
}

// file adds a file of a prompt: the betas of release 2 name its address, later ones the data itself.
func (b *secondParts) file(f js.Value) {
	b.add("file", secondFile(f)...)
}

func secondFile(f js.Value) []js.Field {
	url := cmp.Or(f.Get("uri").Str(), f.Get("source", "uri").Str())
	if data := f.Get("data").Str(); url == "" && data != "" {
		url = api.FormatDataURL(f.Get("mime").Str(), data)
	}
	return []js.Field{js.RawField("mime", f.Get("mime")), js.RawField("filename", f.Get("name")), js.StringField("url", url)}
}

// shell adds a command that the user ran.
func (b *secondParts) shell(data js.Value) {
	output := data.Get("output")
	if output.IsObject() {
		output = output.Get("output")
	}
	created := data.Get("time", "created")
	input := object(js.RawField("command", data.Get("command")))
	state := object(js.StringField("status", "running"), js.RawField("input", input), js.RawField("time", object(js.RawField("start", created))))
	if data.Get("status").Str() != "running" && data.Get("time", "completed") != "" {
		metadata := object(js.RawField("exit", data.Get("exit")), js.RawField("status", data.Get("status")))
		state = object(js.StringField("status", "completed"), js.RawField("input", input), js.RawField("output", parts.Literal(string(output))), js.StringField("title", "Shell"),
			js.RawField("metadata", metadata), js.RawField("time", object(js.RawField("start", created), js.RawField("end", data.Get("time", "completed")))))
	}
	b.add("tool", js.StringField("callID", cmp.Or(data.Get("callID").Str(), data.Get("shellID").Str(), b.message)), js.StringField("tool", "bash"), js.RawField("state", state))
}

// reply adds what a model said.
func (b *secondParts) reply(data js.Value) {
	b.add("step-start")
	for c := range data.Get("content").Elements() {
		switch c.Get("type").Str() {
		case "text":
			b.text(c.Get("text"), false)
		case "reasoning":
			b.add("reasoning", js.RawField("text", parts.Literal(string(c.Get("text")))), js.RawField("metadata", cmp.Or(c.Get("providerMetadata"), c.Get("state"))),
				js.RawField("time", object(js.RawField("start", cmp.Or(c.Get("time", "created"), data.Get("time", "created"))), js.RawField("end", c.Get("time", "completed")))))
		case "tool":
			b.tool(c)
		}
	}
	if tokens := data.Get("tokens"); tokens != "" {
		b.add("step-finish", js.StringField("reason", cmp.Or(data.Get("finish").Str(), "unknown")), js.RawField("cost", cmp.Or(data.Get("cost"), "0")), js.RawField("tokens", tokens))
	}
}

// tool adds a call and what came of it.
func (b *secondParts) tool(c js.Value) {
	state := c.Get("state")
	from := js.RawField("start", cmp.Or(c.Get("time", "ran"), c.Get("time", "created")))
	whole := js.RawField("time", object(from, js.RawField("end", cmp.Or(c.Get("time", "completed"), c.Get("time", "ran"), c.Get("time", "created"))), js.RawField("compacted", c.Get("time", "pruned"))))
	input := js.RawField("input", objectOr(state.Get("input"), "{}"))
	metadata := js.RawField("metadata", objectOr(cmp.Or(state.Get("metadata"), state.Get("structured")), "{}"))
	var made []js.Field
	switch status := state.Get("status").Str(); status {
	case "completed":
		var texts []string
		var files []js.Value
		for o := range state.Get("content").Elements() {
			if o.Get("type").Str() == "file" {
				files = append(files, object(append([]js.Field{js.StringField("type", "file")}, secondFile(o)...)...))
			} else {
				texts = append(texts, o.Get("text").Str())
			}
		}
		made = []js.Field{js.StringField("status", status), input, js.StringField("output", strings.Join(texts, "\n")), js.RawField("title", c.Get("name")), metadata, whole}
		if len(files) > 0 {
			made = append(made, js.RawField("attachments", list(files)))
		}
	case "error":
		made = []js.Field{js.StringField("status", status), input, js.StringField("error", cmp.Or(state.Get("error", "message").Str(), "error")), metadata, whole}
	case "running":
		made = []js.Field{js.StringField("status", status), input, metadata, js.RawField("time", object(from))}
	default: // its arguments are still coming
		made = []js.Field{js.StringField("status", "pending"), input, js.RawField("raw", parts.Literal(string(state.Get("input"))))}
	}
	b.add("tool", js.RawField("callID", c.Get("id")), js.RawField("tool", c.Get("name")), js.RawField("state", object(made...)))
}

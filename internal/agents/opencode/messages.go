package opencode

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// noTokens are the tokens of a message that cost nothing.
const noTokens = `{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}`

// userMessage writes the user's words or, if it is synthetic, words that are written in the user's
// name.
func (x *exporter) userMessage(i int, e session.Entry, m session.Message, synthetic bool) {
	var parts []js.Value
	for b := range m.Blocks() {
		switch b.Type {
		case session.BlockText:
			p := textOf(b.Get("text"))
			if synthetic || b.Harness() != "" {
				p = p.With("synthetic", "true")
			}
			parts = append(parts, p)
		case session.BlockImage:
			parts = append(parts, file(b))
		}
	}
	x.lost.Blocks(e, m, session.BlockText, session.BlockImage)
	x.put(message{x.userInfo(e, x.modelFor(i)), parts}, i, i)
}

func (x *exporter) userInfo(e session.Entry, m model) js.Value {
	at, _ := e.Timestamp()
	return object(
		js.StringField("role", "user"), js.RawField("time", js.Object(js.IntField("created", max(at, 0)))), js.StringField("agent", "build"),
		js.RawField("model", m.value()))
}

// textOf returns a part of a text that is JSON already.
func textOf(text string) js.Value { return js.Value(api.TextOf(js.Value(text))) }

// modelFor returns the model that answers a prompt at a place of the path, or that answered last.
func (x *exporter) modelFor(i int) model {
	if next := x.speaks[i+1]; next < len(x.path) && x.path[next].Role() == session.RoleAssistant {
		m, _ := x.path[next].Message()
		return model{m.Str("provider"), m.Str("model")}.known()
	}
	return x.model.known()
}

// value returns a model as a message of the user names it.
func (m model) value() js.Value {
	return object(js.StringField("providerID", m.provider), js.StringField("modelID", m.id))
}

// known returns a model, or a placeholder for an unknown one.
func (m model) known() model {
	return model{cmp.Or(m.provider, "unknown"), cmp.Or(m.id, "unknown")}
}

// assistant writes a reply with the results of its calls.
func (x *exporter) assistant(i int, e session.Entry, m session.Message) {
	if id := m.Str("model"); id != "" {
		x.model = model{m.Str("provider"), id}
	}
	at, _ := e.Timestamp()
	parts := []js.Value{`{"type":"step-start"}`}
	calls, kinds := 0, map[string]bool{}
	for b := range m.Blocks() {
		kinds[b.Type] = true
		switch b.Type {
		case session.BlockText:
			parts = append(parts, textOf(b.Get("text")))
		case session.BlockThinking, session.BlockEncrypted:
			parts = append(parts, x.reasoning(m, b, at))
		case session.BlockToolCall:
			parts = append(parts, x.tool(e, b, x.results[callAt{i, calls}], at))
			calls++
		}
	}
	x.lost.Blocks(e, m, session.BlockText, session.BlockThinking, session.BlockEncrypted, session.BlockToolCall)
	usage := js.Value(m.Get("usage"))
	finish := "stop" // why it ended, in opencode's words
	switch {
	case calls > 0:
		finish = "tool-calls"
	case m.Str("stopReason") == "length":
		finish = "length"
	}
	parts = append(parts, object(js.StringField("type", "step-finish"), js.StringField("reason", finish),
		js.RawField("cost", cost(usage)), js.RawField("tokens", tokens(usage))))
	failure := failureOf(m, kinds)
	if failure != "" {
		finish = ""
	}
	x.put(message{x.assistantInfo(e, "build", usage, finish, failure), parts}, i, i)
}

func (x *exporter) assistantInfo(e session.Entry, agent string, usage js.Value, finish string, failure js.Value) js.Value {
	at, _ := e.Timestamp()
	m := x.model.known()
	return object(
		js.StringField("role", "assistant"), js.StringField("mode", agent), js.StringField("agent", agent),
		js.RawField("path", js.Object(js.StringField("cwd", x.s.Header.CWD), js.StringField("root", "/"))),
		js.RawField("cost", cost(usage)), js.RawField("tokens", tokens(usage)),
		js.StringField("modelID", m.id), js.StringField("providerID", m.provider),
		js.RawField("time", js.Object(js.IntField("created", max(at, 0)), js.IntField("completed", max(at, 0)))),
		api.Str("finish", finish), js.RawField("error", failure))
}

// reasoning returns the part for a block of thinking. Its signature is in Anthropic's
// place if it is Anthropic's.
func (x *exporter) reasoning(m session.Message, b session.Block, at int64) js.Value {
	signature, metadata := b.Str("thinkingSignature"), ""
	data, encrypted := b.Encrypted()
	if encrypted {
		signature = data
	}
	if signature != "" && (m.Str("api") == apis["anthropic"] || m.Str("provider") == "anthropic") {
		name := "signature"
		if encrypted {
			name = "redactedData"
		}
		metadata = js.Object(js.RawField("anthropic", js.Object(js.StringField(name, signature))))
	}
	return object(js.StringField("type", "reasoning"), js.RawField("text", parts.Literal(b.Get("thinking"))),
		js.RawField("time", span{at, at}.times()), js.RawField("metadata", metadata))
}

// times returns a begin and an end.
func (s span) times() js.Value {
	return object(js.IntField("start", max(s.at, 0)), js.IntField("end", max(s.size, s.at, 0)))
}

// tool returns the part for a call and its result.
func (x *exporter) tool(e session.Entry, call session.Block, a *answer, at int64) js.Value {
	end := at
	if a != nil {
		if ms, ok := a.entry.Timestamp(); ok {
			end = ms
		}
	}
	input := js.Value(call.Get("arguments"))
	if !input.IsObject() {
		x.lost.Say(e, formats.KindTool, "the arguments of %q are no object, so they are its member input", call.Str("name"))
		input = object(js.RawField("input", cmp.Or(input, "null")))
	}
	state := object(js.RawField("status", `"completed"`), js.RawField("input", input))
	if a == nil || a.failed() {
		text := quote(convo.NoResult)
		if a != nil {
			text = a.text()
			x.lost.Blocks(a.entry, a.message(), session.BlockText)
		}
		state = object(
			js.RawField("status", `"error"`), js.RawField("input", objectOr(state.Get("input"), "{}")),
			js.RawField("error", text), js.RawField("time", state.Get("time"))).With("metadata", details(a))
	} else {
		state = state.Add(js.RawField("output", a.text()), js.RawField("title", `""`), js.RawField("metadata", objectOr(details(a), "{}")))
	}
	state = state.With("time", span{at, end}.times())
	if a != nil && !a.failed() {
		x.lost.Blocks(a.entry, a.message(), session.BlockText, session.BlockImage)
		state = fillOutput(state, a)
	}
	return object(js.StringField("type", "tool"), js.StringField("callID", formats.CallID(call.Str("id"))),
		js.StringField("tool", call.Str("name")), js.RawField("state", state))
}

// details returns the details of a result if opencode can have them: an object.
func details(a *answer) js.Value {
	if a == nil {
		return ""
	}
	return objectOr(js.Value(a.message().Get("details")), "")
}

// failureOf returns the error of a reply that no model is shown, "" for others. One that was
// aborted opencode shows if it says anything, so then it failed.
func failureOf(m session.Message, kinds map[string]bool) js.Value {
	name, text := "UnknownError", m.Str("errorMessage")
	switch m.Str("stopReason") {
	case "error":
	case "aborted":
		if !kinds[session.BlockText] && !kinds[session.BlockToolCall] {
			name = "MessageAbortedError"
		}
		if text == "" {
			text = "Aborted"
		}
	default:
		return ""
	}
	return object(js.StringField("name", name),
		js.RawField("data", js.Object(js.StringField("message", text))))
}

func cost(usage js.Value) js.Value {
	raw := usage.Get("cost", "total")
	if _, ok := parts.Integer(raw); !ok {
		return "0"
	}
	return raw
}

func tokens(usage js.Value) js.Value {
	input, output, read, write := parts.Int(usage, "input"), parts.Int(usage, "output"), parts.Int(usage, "cacheRead"), parts.Int(usage, "cacheWrite")
	total := parts.Int(usage, "totalTokens")
	reasoning := max(0, min(parts.Int(usage, "reasoning"), output))
	if input|output|read|write|total == 0 {
		return noTokens
	}
	return object(
		js.IntField("total", total), js.IntField("input", input),
		js.IntField("output", output-reasoning), js.IntField("reasoning", reasoning),
		js.RawField("cache", js.Object(js.IntField("read", read), js.IntField("write", write))))
}

// project finds out what the entries of the path show a model: edited, if they are in
// the context.
func (x *exporter) project() {
	edited := map[string][]session.Message{}
	for _, p := range convo.Project(x.path) {
		edited[p.Entry.ID()] = p.Messages
	}
	x.projected = make([][]session.Message, len(x.path))
	last, reset := -1, -1
	for i, e := range x.path {
		messages, ok := edited[e.ID()]
		if !ok {
			messages = convo.EntryMessages(e)
		}
		x.projected[i] = messages
		switch e.Type() {
		case session.TypeCompaction:
			last = i
		case session.TypeResetBoundary:
			reset = i
		}
	}
	switch {
	case reset > last:
		x.begin = reset + 1
		x.t.Lose(formats.At(x.path[reset]), formats.KindContext, "what was before a reset is left out, for opencode would show it")
	case last >= 0:
		x.hiddenFrom, x.hiddenTo = x.kept(last), last
		if len(x.projected[last]) == 0 {
			x.begin = x.hiddenFrom
			x.t.Lose(formats.At(x.path[last]), formats.KindContext, "what was before a compaction without a summary is left out, for opencode would show it")
		}
	}
}

// kept returns the first place on the path that a compaction keeps, its own if it keeps none.
func (x *exporter) kept(compaction int) int {
	if first, ok := x.firsts[x.path[compaction].Str("firstKeptEntryId")]; ok {
		return min(first, compaction)
	}
	return compaction
}

// A callAt is the n-th call of a message.
type callAt struct{ index, n int }

// An answer is the result of a call.
type answer struct {
	entry  session.Entry
	result session.Message
	edit   js.Value // what the last context_edit puts in its place, be it in the context or not
}

// pruned reports whether the text of the result was replaced in the context by the text that opencode puts in place of
// old outputs. Opencode does so with results that did not fail.
func (a *answer) pruned() bool {
	m, ok := a.entry.Message()
	return ok && !failedFor(m) && a.edit.Get("content").Str() == textPruned && m.Text("") != textPruned
}

// message returns the result that opencode has to hold.
func (a *answer) message() session.Message {
	if m, ok := a.entry.Message(); ok && a.pruned() {
		return m
	}
	return a.result
}

// text returns the text of a result as a JSON text, in one piece as a model reads it.
func (a *answer) text() js.Value {
	var texts []string
	var raw js.Value
	for b := range a.message().Blocks() {
		if b.Type == session.BlockText && b.Str("text") != "" {
			raw = js.Value(b.Get("text"))
			texts = append(texts, b.Str("text"))
		}
	}
	if len(texts) == 1 {
		return raw
	}
	return quote(strings.Join(texts, "\n"))
}

func (a *answer) failed() bool { return failedFor(a.message()) }

// failedFor reports whether a result failed as opencode sees it: a command that ended with
// another status than 0 has completed.
func failedFor(m session.Message) bool {
	return m.Get("isError") == "true" && !parts.ExitedBy(js.Value(m.Get("details")))
}

// pair gives each call its result, by the pairing of [convo.Pair].
func (x *exporter) pair() {
	x.results, x.answered = map[callAt]*answer{}, map[int]bool{}
	edits := map[string]js.Value{}
	x.edits = edits
	for _, e := range x.path {
		if e.Type() == session.TypeContextEdit {
			edits[e.Str("targetId")] = js.Value(e.Get("replacement"))
		}
	}
	var messages []session.Message
	var of []int // places on the path
	for i := range x.path {
		for _, m := range x.projected[i] {
			messages, of = append(messages, m), append(of, i)
		}
	}
	for k, p := range convo.Pair(messages) {
		for _, r := range p.Results {
			e := x.path[of[r.Message]]
			x.results[callAt{of[k], r.Call}] = &answer{e, messages[r.Message], edits[e.ID()]}
			x.answered[of[r.Message]] = true
		}
	}
	for i, e := range x.path {
		if x.answered[i] {
			// opencode has no field for the text of a result before it was edited.
			edit := edits[e.ID()]
			if a := (answer{entry: e, edit: edit}); edit != "" && !a.pruned() {
				x.t.Lose(formats.At(e), formats.KindEntry, "what it was before it was edited left out")
			}
		}
	}
}

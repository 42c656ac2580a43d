package opencode

import (
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// noTokens are the tokens of a message that cost nothing.
const noTokens = `{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}`

// says writes what the user says, or, if it is synthetic, what is said in the user's name.
func (x *exporter) says(i int, e session.Entry, m session.Message, synthetic bool) {
	var parts []string
	for b := range m.Blocks() {
		switch b.Type {
		case "text":
			p := formats.Object(session.StringField("type", "text"), session.Field{Name: "text", Raw: literal(b.Get("text"))})
			if synthetic {
				p = formats.With(p, "synthetic", "true")
			}
			parts = append(parts, p)
		case blockImage:
			parts = append(parts, file(b))
		default:
			x.t.Lose(formats.At(e), formats.KindMedia, "a block of type %q left out", b.Type)
		}
	}
	x.put(message{x.userInfo(e, x.modelFor(i)), parts}, i, i)
}

func (x *exporter) userInfo(e session.Entry, m model) string {
	return formats.Object(
		session.StringField("role", "user"), created(e), session.StringField("agent", "build"),
		session.Field{Name: "model", Raw: formats.Object(session.StringField("providerID", m.provider), session.StringField("modelID", m.id))})
}

// created returns the times of a message that is made of an entry.
func created(e session.Entry) session.Field {
	at, _ := e.Timestamp()
	return session.Field{Name: "time", Raw: formats.Object(session.Field{Name: "created", Raw: formats.Int(max(at, 0))})}
}

// modelFor returns the model that answers what is said at a place of the path, or that
// answered last.
func (x *exporter) modelFor(i int) model {
	if next := x.speaks[i+1]; next < len(x.path) && x.path[next].Role() == session.RoleAssistant {
		m, _ := x.path[next].Message()
		return model{m.Str("provider"), m.Str("model")}.known()
	}
	return x.model.known()
}

// known returns a model, or what stands for one that nothing is known of.
func (m model) known() model {
	if m.id == "" {
		m.id = "unknown"
	}
	if m.provider == "" {
		m.provider = "unknown"
	}
	return m
}

// assistant writes a reply with the results of its calls.
func (x *exporter) assistant(i int, e session.Entry, m session.Message) {
	if id := m.Str("model"); id != "" {
		x.model = model{m.Str("provider"), id}
	}
	at, _ := e.Timestamp()
	parts := []string{`{"type":"step-start"}`}
	calls, kinds := 0, map[string]bool{}
	for b := range m.Blocks() {
		kinds[b.Type] = true
		switch b.Type {
		case "text":
			parts = append(parts, formats.Object(session.StringField("type", "text"), session.Field{Name: "text", Raw: literal(b.Get("text"))}))
		case blockThinking:
			parts = append(parts, x.reasoning(m, b, at))
		case blockCall:
			parts = append(parts, x.tool(e, b, x.results[callAt{i, calls}], at))
			calls++
		default:
			x.t.Lose(formats.At(e), formats.KindMedia, "a block of type %q left out", b.Type)
		}
	}
	usage := m.Get("usage")
	finish := finishOf(m, calls)
	parts = append(parts, formats.Object(session.StringField("type", "step-finish"), session.StringField("reason", finish),
		session.Field{Name: "cost", Raw: cost(usage)}, session.Field{Name: "tokens", Raw: tokens(usage)}))
	failure := failureOf(m, kinds)
	if failure != "" {
		finish = ""
	}
	x.put(message{x.assistantInfo(e, "build", usage, finish, failure), parts}, i, i)
}

func (x *exporter) assistantInfo(e session.Entry, agent, usage, finish, failure string) string {
	at, _ := e.Timestamp()
	m := x.model.known()
	return formats.Object(
		session.StringField("role", "assistant"), session.StringField("mode", agent), session.StringField("agent", agent),
		session.Field{Name: "path", Raw: formats.Object(session.StringField("cwd", x.s.Header.CWD), session.StringField("root", "/"))},
		session.Field{Name: "cost", Raw: cost(usage)}, session.Field{Name: "tokens", Raw: tokens(usage)},
		session.StringField("modelID", m.id), session.StringField("providerID", m.provider),
		session.Field{Name: "time", Raw: formats.Object(
			session.Field{Name: "created", Raw: formats.Int(max(at, 0))}, session.Field{Name: "completed", Raw: formats.Int(max(at, 0))})},
		formats.Str("finish", finish), session.Field{Name: "error", Raw: failure})
}

// reasoning returns the part for a block of thinking. Its signature is in Anthropic's
// place if it is Anthropic's.
func (x *exporter) reasoning(m session.Message, b session.Block, at int64) string {
	signature, metadata := b.Str("thinkingSignature"), ""
	if signature != "" && (m.Str("api") == apis["anthropic"] || m.Str("provider") == "anthropic") {
		name := "signature"
		if b.Get("redacted") == "true" {
			name = "redactedData"
		}
		metadata = formats.Object(session.Field{Name: "anthropic", Raw: formats.Object(session.StringField(name, signature))})
	}
	return formats.Object(session.StringField("type", "reasoning"), session.Field{Name: "text", Raw: literal(b.Get("thinking"))},
		session.Field{Name: "time", Raw: span{at, at}.times()}, session.Field{Name: "metadata", Raw: metadata})
}

// times returns a begin and an end.
func (s span) times() string {
	return formats.Object(session.Field{Name: "start", Raw: formats.Int(max(s.at, 0))}, session.Field{Name: "end", Raw: formats.Int(max(s.size, s.at, 0))})
}

// tool returns the part for a call and its result.
func (x *exporter) tool(e session.Entry, call session.Block, a *answer, at int64) string {
	end := at
	if a != nil {
		if ms, ok := a.entry.Timestamp(); ok {
			end = ms
		}
	}
	input := call.Get("arguments")
	if !isObject(input) {
		x.t.Lose(formats.At(e), formats.KindTool, "the arguments of %q are no object, so they are its member input", call.Str("name"))
		input = formats.Object(session.Field{Name: "input", Raw: orNull(input)})
	}
	state := formats.Object(session.Field{Name: "status", Raw: `"completed"`}, session.Field{Name: "input", Raw: input})
	switch {
	case a == nil || a.failed():
		text := js.Quote(session.NoResult)
		if a != nil {
			text = a.text()
			if len(a.images()) > 0 {
				x.t.Lose(formats.At(a.entry), formats.KindMedia, "images of a result that failed left out")
			}
		}
		state = formats.With(failedState(state, text), "metadata", details(a))
	default:
		state = formats.Object(append(formats.Fields(state), session.Field{Name: "output", Raw: a.text()}, session.Field{Name: "title", Raw: `""`},
			session.Field{Name: "metadata", Raw: objectOr(details(a), "{}")})...)
	}
	state = formats.With(state, "time", span{at, end}.times())
	if a != nil && !a.failed() {
		state = fillOutput(state, a)
	}
	return formats.Object(session.StringField("type", "tool"), session.StringField("callID", call.Str("id")),
		session.StringField("tool", call.Str("name")), session.Field{Name: "state", Raw: state})
}

func orNull(raw string) string {
	if raw == "" {
		return "null"
	}
	return raw
}

// details returns the details of a result if opencode can have them: an object.
func details(a *answer) string {
	if a == nil {
		return ""
	}
	return objectOr(a.message().Get("details"), "")
}

// finishOf says in opencode's words why a reply ended.
func finishOf(m session.Message, calls int) string {
	switch {
	case calls > 0:
		return "tool-calls"
	case m.Str("stopReason") == "length":
		return "length"
	}
	return "stop"
}

// failureOf returns the error of a reply that no model is shown, "" for others. One that was
// aborted opencode shows if it says anything, so then it failed.
func failureOf(m session.Message, kinds map[string]bool) string {
	name, text := "UnknownError", m.Str("errorMessage")
	switch m.Str("stopReason") {
	case "error":
	case "aborted":
		if !kinds[blockText] && !kinds[blockCall] {
			name = "MessageAbortedError"
		}
		if text == "" {
			text = "Aborted"
		}
	default:
		return ""
	}
	return formats.Object(session.StringField("name", name),
		session.Field{Name: "data", Raw: formats.Object(session.StringField("message", text))})
}

func cost(usage string) string {
	raw := get(usage, "cost", "total")
	if _, ok := integer(raw); !ok {
		return "0"
	}
	return raw
}

func tokens(usage string) string {
	input, output, read, write := num(usage, "input"), num(usage, "output"), num(usage, "cacheRead"), num(usage, "cacheWrite")
	total := num(usage, "totalTokens")
	if input|output|read|write|total == 0 {
		return noTokens
	}
	return formats.Object(
		session.Field{Name: "total", Raw: formats.Int(total)}, session.Field{Name: "input", Raw: formats.Int(input)},
		session.Field{Name: "output", Raw: formats.Int(output)}, session.Field{Name: "reasoning", Raw: "0"},
		session.Field{Name: "cache", Raw: formats.Object(
			session.Field{Name: "read", Raw: formats.Int(read)}, session.Field{Name: "write", Raw: formats.Int(write)})})
}

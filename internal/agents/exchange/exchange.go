// Package exchange writes sessions for programs that are no agents: trajectories for evaluation, spans for observability, and
// lines for training. Each format is a map, a jq program over one path of a session. None is read back.
package exchange

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/jq"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

//go:embed maps/*.jq
var maps embed.FS

// A format is one that is only written.
type format struct {
	about  formats.About
	suffix string // of its files
}

// Formats returns the formats.
func Formats() []formats.Format {
	return []formats.Format{
		&format{formats.About{Name: "atif", Summary: "trajectories of Harbor (RFC 0001)", Versions: []string{"1.8", "1.7"}}, ".atif.json"},
		&format{formats.About{Name: "otlp", Summary: "spans of OpenTelemetry, without what was said", Content: true}, ".otlp.json"},
		&format{formats.About{Name: "sft", Summary: "a line for fine-tuning, as chat completions"}, ".sft.jsonl"},
	}
}

// About implements [formats.Format].
func (f *format) About() formats.About { return f.about }

// Detect implements [formats.Format]: nothing is read.
func (f *format) Detect(string, []byte) bool { return false }

// Open implements [formats.Format]: nothing is read.
func (f *format) Open(context.Context, *formats.Source) (formats.Archive, error) {
	return nil, errors.New(f.about.Name + " is only written, not read")
}

// Export writes the path to the leaf.
func (f *format) Export(ctx context.Context, s *session.Session, t *formats.Target) error {
	path := t.ActivePath(s)
	text, ok := f.input(s, path, t)
	if !ok {
		return errors.New("the session has no messages")
	}
	input, err := jq.Decode(text)
	if err != nil {
		return err
	}
	if err := t.Ready(); err != nil {
		return err
	}
	code, err := f.compile()
	if err != nil {
		return err
	}
	var out strings.Builder
	results := code.RunWithContext(ctx, input)
	for {
		v, ok := results.Next()
		if !ok {
			break
		}
		if err, failed := v.(error); failed {
			return fmt.Errorf("the map %s: %w", f.about.Name, err)
		}
		text, err := gojq.Marshal(v)
		if err != nil {
			return err
		}
		out.Write(append(text, '\n'))
	}
	return t.File(s.Header.ID+f.suffix, strings.NewReader(out.String()))
}

// compile compiles the format's map.
func (f *format) compile() (*gojq.Code, error) {
	var text strings.Builder
	for _, name := range []string{"prelude", f.about.Name} {
		part, err := maps.ReadFile("maps/" + name + ".jq")
		if err != nil {
			return nil, err
		}
		text.Write(part)
	}
	q, err := gojq.Parse(text.String())
	if err != nil {
		return nil, fmt.Errorf("the map %s: %w", f.about.Name, err)
	}
	return gojq.Compile(q)
}

// input is what a map is given, as JSON: the session, and its messages. The results of calls are members of the message that
// made them; ok is false if there are none.
func (f *format) input(s *session.Session, path []session.Entry, t *formats.Target) (text string, ok bool) {
	var list []item
	var system, tools string
	provider, model, lost := "", "", formats.Lost{}
	for _, e := range path {
		if e.Type() == session.TypeSessionInit {
			system, tools = e.Str("systemPrompt"), e.Get("tools")
		}
		messages := convo.EntryMessages(t.Inline(e))
		for n, m := range messages {
			lost.Blocks(e, m, session.BlockText, session.BlockToolCall, session.BlockThinking)
			list = append(list, item{e, m, n})
			if m.Role() == session.RoleAssistant && m.Str("model") != "" {
				provider, model = m.Str("provider"), m.Str("model")
			}
		}
	}
	if len(list) == 0 {
		return "", false
	}
	messages := items(s.Header.ID, list, func(i item) {
		if f.about.Name != "atif" {
			lost.Say(i.entry, formats.KindTool, "a result without its call, left out")
		}
	})
	lost.Tell(t)
	leaf := path[len(path)-1].ID()
	fields := []js.Field{
		js.StringField("session", s.Header.ID), js.StringField("leaf", leaf), js.StringField("trace", hash(16, s.Header.ID)), js.StringField("span", hash(8, s.Header.ID, leaf, "run")),
		js.StringField("agent", agentOf(path)), js.StringField("agentVersion", "unknown"), js.StringField("version", t.Version), js.RawField("content", strconv.FormatBool(t.Content)),
		js.StringField("title", session.NameOf(s.Header, s.Entries)), js.StringField("cwd", s.Header.CWD),
		js.RawField("messages", array(messages)),
	}
	if spent := session.SpentOn(path); spent != (session.Spent{}) {
		fields = append(fields, js.RawField("spent", js.Object(js.IntField("input", spent.Input), js.IntField("output", spent.Output),
			js.IntField("cacheRead", spent.CacheRead), js.IntField("cacheWrite", spent.CacheWrite),
			js.RawField("cost", strconv.FormatFloat(spent.Cost, 'f', -1, 64)))))
	}
	for name, text := range map[string]string{"model": model, "provider": provider, "system": system} {
		if text != "" {
			fields = append(fields, js.StringField(name, text))
		}
	}
	if strings.HasPrefix(tools, "[") {
		fields = append(fields, js.RawField("tools", tools))
	}
	return js.Object(fields...), true
}

// agentOf is the agent whose session it was, ours if none says so.
func agentOf(path []session.Entry) string {
	for _, e := range path {
		if agent := e.Harness(); agent != "" {
			return agent
		}
		if agent := e.Aside(); agent != "" {
			return agent
		}
	}
	return "sess"
}

// An item is a message of an entry.
type item struct {
	entry   session.Entry
	message session.Message
	number  int // of those of the entry
}

// fields are those of an item.
func (i item) fields(session string, more ...js.Field) []js.Field {
	out := append([]js.Field{
		js.StringField("entry", i.entry.ID()), js.StringField("span", hash(8, session, i.entry.ID(), strconv.Itoa(i.number))), js.RawField("message", i.message.Raw()),
	}, more...)
	if ms, ok := i.entry.Timestamp(); ok {
		out = append(out, js.IntField("ms", ms), js.StringField("timestamp", js.FormatTime(ms)))
	}
	return out
}

// items are messages as a map has them, with the results of their calls. Results that answer no call are told of.
func items(id string, list []item, orphan func(item)) (out []string) {
	messages := make([]session.Message, len(list))
	for n, i := range list {
		messages[n] = i.message
	}
	before := js.RawField("before", "null") // the time of the message before
	for n, p := range convo.Pair(messages) {
		last := before
		if ms, ok := list[n].entry.Timestamp(); ok {
			before = js.IntField("before", ms)
		}
		if p.Reply >= 0 {
			continue // it stands with its call
		}
		if list[n].message.Role() == session.RoleToolResult {
			orphan(list[n])
		}
		var results []string
		calls := p.Calls
		for _, r := range p.Results {
			call := calls[r.Call]
			results = append(results, js.Object(list[r.Message].fields(id,
				js.StringField("call", call.ID), js.StringField("name", call.Name), js.RawField("arguments", argumentsOf(call)))...))
		}
		out = append(out, js.Object(list[n].fields(id, last, js.RawField("results", array(results)))...))
	}
	return out
}

func array(values []string) string { return "[" + strings.Join(values, ",") + "]" }

// argumentsOf are the arguments of a call, an object.
func argumentsOf(c session.ToolCall) string {
	if raw := js.Trim(c.Arguments); strings.HasPrefix(raw, "{") && json.Valid([]byte(raw)) {
		return raw
	}
	return "{}"
}

// hash is the beginning of the SHA-256 of texts, in hexadecimal: the same text is the same span whenever it is sent.
func hash(size int, texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:size])
}

// Package exchange writes sessions for programs that are no agents: trajectories for evaluation, spans for observability, and
// lines for training. Each format is a map, a jq program over one path of a session. None is read back.
package exchange

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/sess-tools/sess/internal/agents/api"
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
		&format{formats.About{Name: "atif", Summary: "trajectories of Harbor (RFC 0001)", Versions: []string{"1.7", "1.8"}}, ".atif.json"},
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
	d := &document{format: f, ctx: ctx, target: t, id: s.Header.ID}
	if !d.read(s, t.ActivePath(s)) {
		return errors.New("the session has no messages")
	}
	if err := t.Ready(); err != nil {
		return err
	}
	if err := d.compile(); err != nil {
		return err
	}
	return t.File(s.Header.ID+f.suffix, d)
}

// A document is a session that is written, a message at a time.
type document struct {
	*format
	ctx    context.Context
	target *formats.Target
	id     string // of the session

	list  []item
	pairs []convo.Paired
	about string // the session without its messages, as JSON

	code    *gojq.Code
	session any
	mark    string // stands where the list does
}

// compile compiles the format's map.
func (d *document) compile() error {
	var text strings.Builder
	for _, name := range []string{"prelude", d.format.about.Name} {
		part, err := maps.ReadFile("maps/" + name + ".jq")
		if err != nil {
			return err
		}
		text.Write(part)
	}
	text.WriteString(`if $part == "whole" then whole elif $part == "head" then head else item end`)
	q, err := gojq.Parse(text.String())
	if err != nil {
		return fmt.Errorf("the map %s: %w", d.format.about.Name, err)
	}
	if d.code, err = gojq.Compile(q, gojq.WithVariables([]string{"$s", "$list", "$part"})); err != nil {
		return fmt.Errorf("the map %s: %w", d.format.about.Name, err)
	}
	d.session, err = jq.Decode(d.about)
	for d.mark = "list"; strings.Contains(d.about, d.mark); {
		d.mark += "-"
	}
	return err
}

// run calls emit for what a part of the map makes, as JSON.
func (d *document) run(part string, input any, emit func(json []byte) error) error {
	for results := d.code.RunWithContext(d.ctx, input, d.session, d.mark, part); ; {
		v, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := v.(error); failed {
			return fmt.Errorf("the map %s: %w", d.format.about.Name, err)
		}
		text, err := gojq.Marshal(v)
		if err == nil {
			err = emit(text)
		}
		if err != nil {
			return err
		}
	}
}

// WriteTo implements [io.WriterTo].
func (d *document) WriteTo(w io.Writer) (int64, error) {
	b := bufio.NewWriterSize(w, 64<<10)
	var whole string
	if err := d.run("whole", nil, func(json []byte) error { whole = string(json); return nil }); err != nil {
		return 0, err
	}
	before, after, _ := strings.Cut(whole, `"`+d.mark+`"`)
	n := int64(0)
	write := func(text string) error {
		m, err := b.WriteString(text)
		n += int64(m)
		return err
	}
	separator := "["
	add := func(json []byte) error {
		err := cmp.Or(write(separator), write(string(json)))
		separator = ","
		return err
	}
	if err := cmp.Or(write(before), d.run("head", nil, add)); err != nil {
		return n, err
	}
	for text := range d.messages() {
		input, err := jq.Decode(text)
		if err == nil {
			err = d.run("item", input, add)
		}
		if err != nil {
			return n, err
		}
	}
	if separator == "[" {
		after = "[]" + after
	} else {
		after = "]" + after
	}
	return n, cmp.Or(write(after+"\n"), b.Flush())
}

// read takes in a session, and tells what of it is lost; it reports whether there are messages.
func (d *document) read(s *session.Session, path []session.Entry) bool {
	t := d.target
	var system, tools string
	provider, model, lost := "", "", formats.Lost{}
	for _, e := range path {
		if e.Type() == session.TypeSessionInit {
			system, tools = e.Str("systemPrompt"), e.Get("tools")
		}
		messages := convo.EntryMessages(t.Inline(e))
		for n, m := range messages {
			lost.Blocks(e, m, session.BlockText, session.BlockToolCall, session.BlockThinking)
			d.list = append(d.list, item{e, m, n})
			if m.Role() == session.RoleAssistant && m.Str("model") != "" {
				provider, model = m.Str("provider"), m.Str("model")
			}
		}
	}
	if len(d.list) == 0 {
		return false
	}
	messages := make([]session.Message, len(d.list))
	for n, i := range d.list {
		messages[n] = i.message
	}
	d.pairs = convo.Pair(messages)
	count, first, last := 0, int64(-1), int64(-1) // how many messages are written, and their times
	for n, p := range d.pairs {
		if p.Reply >= 0 {
			continue // it stands with its call
		}
		if d.list[n].message.Role() == session.RoleToolResult && d.format.about.Name != "atif" {
			lost.Say(d.list[n].entry, formats.KindTool, "a result without its call, left out")
		}
		count++
		if ms, ok := d.list[n].entry.Timestamp(); ok {
			if first < 0 || ms < first {
				first = ms
			}
			last = max(last, ms)
		}
	}
	lost.Tell(t)
	if system != "" {
		count++
	}
	leaf := path[len(path)-1].ID()
	fields := []js.Field{
		js.StringField("session", s.Header.ID), js.StringField("leaf", leaf), js.StringField("trace", hash(16, s.Header.ID)), js.StringField("span", hash(8, s.Header.ID, leaf, "run")),
		js.StringField("agent", agentOf(path)), js.StringField("agentVersion", cmp.Or(versionOf(path), "unknown")), js.StringField("version", t.Version), js.RawField("content", strconv.FormatBool(t.Content)),
		js.StringField("title", session.NameOf(s.Header, s.Entries)), js.StringField("cwd", s.Header.CWD), js.IntField("count", int64(count)),
	}
	if first >= 0 {
		fields = append(fields, js.IntField("first", first), js.IntField("last", last))
	}
	if spent := session.SpentOn(path); spent != (session.Spent{}) {
		if t.Price != nil && d.format.about.Name == "atif" {
			usd, err := t.Price(d.ctx, (&session.Session{Header: s.Header, Entries: path}).Content())
			if err != nil {
				t.Note("", formats.KindUsage, "the total cost: %v", err)
			}
			spent.Cost = usd
		}
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
	d.about = js.Object(fields...)
	return true
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

// versionMembers are where lines of agents have the version of their agent.
var versionMembers = [][]string{{"version"}, {"payload", "cli_version"}, {"data", "copilotVersion"}, {"cliVersion"}, {"info", "version"}}

// versionOf returns the version of the agent that wrote the last of the path, as the lines say that it was made of; "" if none does.
func versionOf(path []session.Entry) string {
	agent := agentOf(path)
	for _, e := range slices.Backward(path) {
		version := ""
		for line := range e.KeptLines(agent) {
			for _, members := range versionMembers {
				if v := line.Get(members...); v.IsString() {
					version = v.Str()
				}
			}
		}
		if version != "" {
			return version
		}
	}
	return ""
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

// messages yields messages as a map has them, with their number, the results of their calls and the time of the message before,
// and if what was said is wanted with the message before.
func (d *document) messages() iter.Seq[string] {
	return func(yield func(string) bool) {
		before := js.RawField("before", "null") // the time of the message before
		earlier := "null"
		number := int64(1)
		if js.Value(d.about).Get("system") != "" {
			number++
		}
		for n, p := range d.pairs {
			last := before
			if ms, ok := d.list[n].entry.Timestamp(); ok {
				before = js.IntField("before", ms)
			}
			if p.Reply >= 0 {
				continue // it stands with its call
			}
			var results []string
			for _, r := range p.Results {
				call := p.Calls[r.Call]
				results = append(results, js.Object(d.list[r.Message].fields(d.id,
					js.StringField("call", call.ID), js.StringField("name", call.Name), js.RawField("arguments", argumentsOf(call)))...))
			}
			answered := js.RawField("results", api.Array(results...))
			fields := d.list[n].fields(d.id, last, answered, js.IntField("number", number))
			number++
			if d.target.Content {
				fields = append(fields, js.RawField("earlier", earlier))
				earlier = js.Object(js.RawField("message", d.list[n].message.Raw()), answered)
			}
			if !yield(js.Object(fields...)) {
				return
			}
		}
	}
}

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

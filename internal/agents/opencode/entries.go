package opencode

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

// A messageReader makes the entries for one message.
type messageReader struct {
	*conversion
	message
	key    string   // beside its ids, where the message comes a second time
	parent string   // of the first entry, "" for the last one
	made   []string // the messages that it became
	spent  formats.Count
}

// where names the message in losses.
func (e *messageReader) where() string { return "message " + e.id() }

// place returns where an entry stands that is known by a name within the message, and
// that has the id of the message or of a part if it may.
func (e *messageReader) place(id, name string, at int64) formats.Place {
	p := formats.Place{ID: id, Key: name + " " + e.id(), Time: at, Parent: e.parent}
	if e.key != "" || id == "" {
		p.ID, p.Key = "", e.key+name+" "+cmp.Or(id, e.id())
	}
	e.parent = ""
	return p
}

// add adds the entries that are made of the message, and keeps it with the last of them: aside
// if there are none.
func (e *messageReader) add() error {
	e.missed()
	if e.role() == "user" {
		if err := e.changeModel(); err != nil {
			return err
		}
	}
	steps := e.layout()
	for i, s := range steps {
		var err error
		if e.role() == "user" {
			err = e.user(s)
		} else {
			err = e.step(i, s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.where(), err)
		}
	}
	if len(steps) > 0 {
		if err := e.unsaid(steps); err != nil {
			return err
		}
		if err := e.total(); err != nil {
			return err
		}
		return e.b.Keep(e.made, e.kept())
	}
	id, err := e.b.Aside(e.place("", "message", parts.Int(e.info, "time", "created")), customMessage, "", e.kept())
	e.begins(id)
	return err
}

// kept returns the message as it is kept.
func (m message) kept() formats.KeptLine {
	return formats.KeptLine{Text: js.Object(js.RawField("info", m.info), js.RawField("parts", list(m.parts)))}
}

// say adds a message of ours.
func (e *messageReader) say(p formats.Place, m session.Message) (string, error) {
	id, err := e.b.Message(p, m)
	e.made = append(e.made, id)
	e.begins(id)
	return id, err
}

// begins notes the first entry of a message that begins a tail.
func (e *messageReader) begins(id string) {
	if first, ok := e.tails[e.id()]; ok && first == "" && e.key == "" {
		e.tails[e.id()] = id
	}
}

// changeModel says which model the user's message is for, if it is another one.
func (e *messageReader) changeModel() error {
	provider, id := e.info.Get("model", "providerID").Str(), e.info.Get("model", "modelID").Str()
	if provider == "" || id == "" || e.model == provider+"/"+id {
		return nil
	}
	e.model = provider + "/" + id
	_, err := e.b.Add(e.place("", "model", parts.Int(e.info, "time", "created")), session.TypeModelChange,
		js.StringField("provider", provider), js.StringField("modelId", id))
	return err
}

// missed tells of what a model was shown, and will not be.
func (e *messageReader) missed() {
	if e.info.Get("system").Str() != "" {
		e.b.Lose(e.where(), formats.KindSystem, "what it adds to the system prompt no model will be shown")
	}
	for _, p := range e.parts {
		switch typ := p.Get("type").Str(); {
		case typ == "file" && e.role() == "user" && isSent(p) && !parts.IsImage(p):
			e.b.Lose(e.where(), formats.KindMedia, "a file of type %q, which no model will see", p.Get("mime").Str())
		case typ == "tool" && p.Get("state", "time", "compacted") == "":
			for _, f := range parts.Attached(p.Get("state")) {
				if !parts.IsImage(f) {
					e.b.Lose(e.where(), formats.KindMedia, "a file of type %q, which no model will see", f.Get("mime").Str())
				}
			}
		}
	}
}

// user adds the user's message.
func (e *messageReader) user(s step) error {
	var blocks []string
	for _, b := range s.blocks {
		p := e.parts[b.part]
		switch {
		case b.fixed != "":
			blocks = append(blocks, session.HarnessBlock(api.Text(b.fixed), agent))
		case b.kind == session.BlockImage:
			blocks = append(blocks, parts.Image(p))
		case p.Get("synthetic").Truthy():
			blocks = append(blocks, session.HarnessBlock(api.TextOf(p.Get("text")), agent))
		default:
			blocks = append(blocks, api.TextOf(p.Get("text")))
		}
	}
	var by []js.Field
	if e.child {
		by = append(by, js.StringField("attribution", "agent"))
	}
	_, err := e.say(e.place(e.id(), "user", parts.Int(e.info, "time", "created")), api.User(blocks, by...))
	return err
}

// lose tells of what the message loses.
func (e *messageReader) lose(kind, format string, args ...any) {
	e.b.Lose(e.where(), kind, format, args...)
}

// step adds the n-th step of an assistant's message, and the results of its calls.
func (e *messageReader) step(n int, s step) error {
	var blocks []string
	calls := false
	for _, b := range s.blocks {
		p := e.parts[b.part]
		switch b.kind {
		case session.BlockThinking:
			blocks = append(blocks, parts.Thinking(p))
		case session.BlockToolCall:
			calls = true
			blocks = append(blocks, api.ToolCall(parts.CallID(p), parts.ToolName(p), string(parts.Input(p, e.lose))))
		default:
			blocks = append(blocks, api.TextOf(p.Get("text")))
		}
	}
	id, name := e.id(), "assistant"
	if n > 0 {
		id, name = "", fmt.Sprintf("assistant %d", n)
	}
	at := parts.Int(e.info, "time", "created")
	if _, err := e.say(e.place(id, name, at), api.Assistant(blocks, e.reply(s, calls)...)); err != nil {
		return err
	}
	for _, b := range s.blocks {
		if b.kind == session.BlockToolCall {
			if err := e.result(e.parts[b.part]); err != nil {
				return err
			}
		}
	}
	return nil
}

// apis are what providers speak, as far as pi has a name for it.
var apis = map[string]string{
	"anthropic": "anthropic-messages",
	"google":    "google-generative-ai",
	"openai":    "openai-responses",
}

// reply returns what an assistant message has beside its content. One that failed, and that
// opencode still shows to the model, is a reply like others.
func (e *messageReader) reply(s step, calls bool) []js.Field {
	provider := e.info.Get("providerID").Str()
	stop := "stop"
	switch finish := e.info.Get("finish").Str(); {
	case e.silenced() && e.info.Get("error", "name").Str() == "MessageAbortedError":
		stop = "aborted"
	case e.silenced():
		stop = "error"
	case finish == "length":
		stop = finish
	case calls:
		stop = "toolUse"
	}
	failure := ""
	if e.info.Get("error") != "" {
		failure = cmp.Or(e.info.Get("error", "data", "message").Str(), e.info.Get("error", "name").Str(), "unknown")
	}
	used := e.usage(s)
	return []js.Field{
		api.Str("api", apis[provider]), api.Str("provider", provider), api.Str("model", e.info.Get("modelID").Str()),
		{Name: "usage", Raw: used},
		api.Str("stopReason", stop), api.Str("errorMessage", failure),
	}
}

// ends returns the parts that end a step.
func (m message) ends() (at []int) {
	for i, p := range m.parts {
		if m.role() == "assistant" && p.Get("type").Str() == "step-finish" {
			at = append(at, i)
		}
	}
	return at
}

// told returns the tokens that a message tells: of each of its steps, or its own if it has one at most. Of several steps it has itself
// those of the last one alone.
func (m message) told() (all []js.Value) {
	ends := m.ends()
	if len(ends) < 2 {
		return []js.Value{m.info.Get("tokens")}
	}
	for _, i := range ends {
		all = append(all, m.parts[i].Get("tokens"))
	}
	return all
}

// usage returns what a step cost: what the message says if it is its only one, else what the
// part that ends it says.
func (e *messageReader) usage(s step) string {
	from := e.info
	steps := e.layout()
	if len(steps) == 1 && s.finished >= 0 && (len(e.ends()) > 1 || used(e.parts[s.finished]) > used(e.info)) {
		from = e.parts[s.finished]
	}
	if len(steps) > 1 {
		switch finished := slices.ContainsFunc(steps, func(s step) bool { return s.finished >= 0 }); {
		case s.finished >= 0:
			from = e.parts[s.finished]
		case finished, s.blocks[0].part != steps[len(steps)-1].blocks[0].part:
			return "" // another step has what the message cost
		}
	}
	usage, total, err := parts.Usage(from.Get("tokens"), from.Get("cost"))
	if total > 0 {
		e.tokens = total
	}
	if err != nil {
		e.b.Lose(e.where(), formats.KindUsage, "what it has for a usage is none, so nothing was used")
		return ""
	}
	e.uses(from)
	return usage
}

// unsaid adds a usage entry for each step that was paid for and is none of these: one that said nothing, or an attempt
// in front of another.
func (e *messageReader) unsaid(steps []step) error {
	ends := slices.DeleteFunc(e.ends(), func(i int) bool {
		return slices.ContainsFunc(steps, func(s step) bool { return s.finished == i })
	})
	if len(steps) == 1 && steps[0].finished < 0 && len(ends) > 0 {
		ends = ends[:len(ends)-1] // the message has the usage of its last step
	}
	for _, i := range ends {
		usage, total, err := parts.Usage(e.parts[i].Get("tokens"), e.parts[i].Get("cost"))
		if err != nil || total == 0 {
			continue
		}
		e.uses(e.parts[i])
		id, err := e.b.Add(e.place("", fmt.Sprintf("usage %d", i), parts.Int(e.info, "time", "created")), session.TypeUsage, js.StringField("kind", "call"),
			js.StringField("provider", cmp.Or(e.info.Get("providerID").Str(), "unknown")), js.StringField("model", cmp.Or(e.info.Get("modelID").Str(), "unknown")),
			js.RawField("usage", usage))
		if err != nil {
			return err
		}
		e.made = append(e.made, id)
	}
	return nil
}

// used is the number of tokens that a message or a part says, see [asIs].
func used(v js.Value) int64 {
	input, output, read, write := parts.Counts(v.Get("tokens").Without("total"))
	return input + output + read + write
}

// uses counts what the message, or a step of it, says that it used.
func (e *messageReader) uses(v js.Value) {
	tokens, cost := v.Get("tokens"), v.Get("cost")
	e.conversion.uses(tokens, cost, e.info)
	e.spent.Add(asIs(tokens, cost), e.spender[1])
}

// total compares the tokens of the message with those of its steps. The message has those of its last step, or of all of
// them. Tokens beyond the steps are an entry, and a total that is less is said.
func (e *messageReader) total() error {
	ends, sum := e.ends(), int64(0)
	for _, i := range ends {
		sum += used(e.parts[i])
	}
	told := used(e.info)
	if len(ends) == 0 || told == 0 || told == sum || told == used(e.parts[ends[len(ends)-1]]) {
		return nil
	}
	usage, _, err := parts.Usage(e.info.Get("tokens").Without("total"), e.info.Get("cost"))
	if err != nil {
		return nil // which was told
	}
	for i, fields := range e.spent.Rest(map[string]js.Value{e.spender[1]: js.Value(usage)}, formats.Of(e.spender[0]), e.lose) {
		rest := js.Value(fields[len(fields)-1].Raw)
		if rest.Get(metering.UsageTotals) != "" {
			e.differs = true
		} else {
			e.count.Add(rest, e.spender[1])
		}
		id, err := e.b.Add(e.place("", fmt.Sprintf("total %d", i), parts.Int(e.info, "time", "created")), session.TypeUsage, fields...)
		if err != nil {
			return err
		}
		e.made = append(e.made, id)
	}
	return nil
}

// result adds the result of a tool.
func (e *messageReader) result(tool js.Value) error {
	state := tool.Get("state")
	id, call := tool.Get("id").Str(), parts.CallID(tool)
	at := max(parts.Int(state, "time", "end"), parts.Int(state, "time", "start"))
	entry, err := e.say(e.place(id, "result "+id+call, at), parts.Result(tool))
	if pruned := parts.Int(state, "time", "compacted"); err == nil && pruned > 0 {
		e.pruned = append(e.pruned, prune{pruned, e.key + id, entry})
	}
	return err
}

package opencode

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// An emission is the making of the entries for one message.
type emission struct {
	*conversion
	message
	key    string // beside its ids, where the message comes a second time
	parent string // of the first entry, "" for the last one
}

// where names the message in losses.
func (e *emission) where() string { return "message " + e.id() }

// place returns where an entry stands that is known by a name within the message, and
// that has the id of the message or of a part if it may.
func (e *emission) place(id, name string, at int64) formats.Place {
	p := formats.Place{ID: id, Key: name + " " + e.id(), Time: at, Parent: e.parent}
	if e.key != "" || id == "" {
		p.ID, p.Key = "", e.key+name+" "+cmp.Or(id, e.id())
	}
	e.parent = ""
	return p
}

// add adds the message whole, and the entries that are made of it: none for one that
// is in force as a compaction.
func (e *emission) add(compaction bool) error {
	e.missed()
	if err := e.keep(compaction); err != nil || compaction {
		return err
	}
	if e.role() == "user" {
		if err := e.changeModel(); err != nil {
			return err
		}
	}
	for i, s := range e.layout() {
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
	return nil
}

// keep adds the custom entry with all that the other entries do not say.
func (e *emission) keep(compaction bool) error {
	list := []js.Field{
		{Name: "info", Raw: e.info},
		{Name: "parts", Raw: formats.Array(e.hollow(compaction)...)},
	}
	if compaction {
		list = append(list, js.RawField("compaction", "true"))
	}
	id, err := e.b.Custom(e.place("", "message", num(e.info, "time", "created")), customMessage, js.Object(list...))
	if _, ok := e.tails[e.id()]; ok && e.key == "" {
		e.tails[e.id()] = id
	}
	return err
}

// changeModel says which model the user's message is for, if it is another one.
func (e *emission) changeModel() error {
	provider, id := str(e.info, "model", "providerID"), str(e.info, "model", "modelID")
	if provider == "" || id == "" || e.model == provider+"/"+id {
		return nil
	}
	e.model = provider + "/" + id
	_, err := e.b.Add(e.place("", "model", num(e.info, "time", "created")), session.TypeModelChange,
		js.StringField("provider", provider), js.StringField("modelId", id))
	return err
}

// missed tells of what a model was shown, and will not be.
func (e *emission) missed() {
	if str(e.info, "system") != "" {
		e.b.Lose(e.where(), formats.KindSystem, "what it adds to the system prompt no model will be shown")
	}
	for _, p := range e.parts {
		switch typ := str(p, "type"); {
		case typ == "file" && e.role() == "user" && shown(p) && !isImage(p):
			e.b.Lose(e.where(), formats.KindMedia, "a file of type %q, which no model will be shown", str(p, "mime"))
		case typ == "tool" && get(p, "state", "time", "compacted") == "":
			for _, f := range attached(p) {
				if !isImage(f) {
					e.b.Lose(e.where(), formats.KindMedia, "a file of type %q, which no model will be shown", str(f, "mime"))
				}
			}
		}
	}
}

// user adds the user's message.
func (e *emission) user(s step) error {
	var blocks []string
	for _, b := range s.blocks {
		p := e.parts[b.part]
		switch {
		case b.fixed != "":
			blocks = append(blocks, formats.Text(b.fixed))
		case b.kind == blockImage:
			blocks = append(blocks, image(p))
		default:
			blocks = append(blocks, textBlock(get(p, "text")))
		}
	}
	_, err := e.b.Message(e.place(e.id(), "user", num(e.info, "time", "created")), formats.User(blocks))
	return err
}

// textBlock returns a text block of a text that is JSON already.
func textBlock(raw string) string {
	if !strings.HasPrefix(raw, `"`) {
		raw = `""`
	}
	return js.Object(js.StringField("type", "text"), js.RawField("text", raw))
}

// image returns the image block of a file.
func image(file string) string {
	media, data, _ := formats.DataURL(str(file, "url"))
	return formats.Image(cmp.Or(media, str(file, "mime")), data)
}

// step adds the n-th step of an assistant's message, and the results of its calls.
func (e *emission) step(n int, s step) error {
	var blocks []string
	calls := false
	for _, b := range s.blocks {
		p := e.parts[b.part]
		switch b.kind {
		case blockThinking:
			blocks = append(blocks, thinking(p))
		case blockCall:
			calls = true
			blocks = append(blocks, formats.ToolCall(callOf(p), nameOfTool(p), e.input(p)))
		default:
			blocks = append(blocks, textBlock(get(p, "text")))
		}
	}
	id, name := e.id(), "assistant"
	if n > 0 {
		id, name = "", fmt.Sprintf("assistant %d", n)
	}
	at := num(e.info, "time", "created")
	if _, err := e.b.Message(e.place(id, name, at), formats.Assistant(blocks, e.reply(s, calls)...)); err != nil {
		return err
	}
	for _, b := range s.blocks {
		if b.kind == blockCall {
			if err := e.result(e.parts[b.part]); err != nil {
				return err
			}
		}
	}
	return nil
}

// input returns the arguments of a call.
func (e *emission) input(tool string) string {
	raw := get(tool, "state", "input")
	if isObject(raw) {
		return raw
	}
	if raw == "" {
		return "{}"
	}
	e.b.Lose(e.where(), formats.KindTool, "the arguments of %q are no object, so they are its member input", nameOfTool(tool))
	return js.Object(js.RawField("input", raw))
}

// thinking returns the block for a part of reasoning.
func thinking(p string) string {
	if data := str(p, "metadata", "anthropic", "redactedData"); data != "" {
		return formats.RedactedThinking(data)
	}
	return formats.Thinking(str(p, "text"), str(p, "metadata", "anthropic", "signature"))
}

// apis are what providers speak, as far as pi has a name for it.
var apis = map[string]string{
	"anthropic": "anthropic-messages",
	"google":    "google-generative-ai",
	"openai":    "openai-responses",
}

// reply returns what an assistant message has beside its content. One that failed, and that
// opencode shows to the model all the same, is a reply like others.
func (e *emission) reply(s step, calls bool) []js.Field {
	provider := str(e.info, "providerID")
	stop := "stop"
	switch finish := str(e.info, "finish"); {
	case e.silenced() && str(e.info, "error", "name") == "MessageAbortedError":
		stop = "aborted"
	case e.silenced():
		stop = "error"
	case finish == "length":
		stop = finish
	case calls:
		stop = "toolUse"
	}
	failure := ""
	if get(e.info, "error") != "" {
		failure = cmp.Or(str(e.info, "error", "data", "message"), str(e.info, "error", "name"), "unknown")
	}
	return []js.Field{
		formats.Str("api", apis[provider]), formats.Str("provider", provider), formats.Str("model", str(e.info, "modelID")),
		{Name: "usage", Raw: e.usage(s)},
		formats.Str("stopReason", stop), formats.Str("errorMessage", failure),
	}
}

// usage returns what a step cost: what the message says if it is its only one, else what the
// part that ends it says.
func (e *emission) usage(s step) string {
	from := e.info
	if s.finished >= 0 && len(e.layout()) > 1 {
		from = e.parts[s.finished]
	}
	tokens := get(from, "tokens")
	input, output := num(tokens, "input"), num(tokens, "output")+num(tokens, "reasoning")
	read, write := num(tokens, "cache", "read"), num(tokens, "cache", "write")
	total := num(tokens, "total")
	if total == 0 {
		total = input + output + read + write
	}
	if total > 0 {
		e.tokens = total
	}
	cost := ""
	if raw := get(from, "cost"); raw != "" && !strings.HasPrefix(raw, `"`) {
		cost = js.Object(js.RawField("total", raw))
	}
	full, err := session.CompleteUsage(js.Object(
		js.RawField("input", formats.Int(input)), js.RawField("output", formats.Int(output)),
		js.RawField("cacheRead", formats.Int(read)), js.RawField("cacheWrite", formats.Int(write)),
		js.RawField("totalTokens", formats.Int(total)), js.RawField("cost", cost)))
	if err != nil {
		e.b.Lose(e.where(), formats.KindUsage, "what it has for a usage is none, so nothing was used")
		return ""
	}
	return full
}

// result adds the result of a tool. What opencode says of it goes to the details.
func (e *emission) result(tool string) error {
	state := get(tool, "state")
	id, call := str(tool, "id"), callOf(tool)
	var blocks []string
	failed := true
	switch str(state, "status") {
	case "completed":
		failed = false
		blocks = append(blocks, textBlock(get(state, "output")))
		for _, f := range attached(tool) {
			if isImage(f) {
				blocks = append(blocks, image(f))
			}
		}
	case "error":
		text := get(state, "error")
		if output, ok := interrupted(tool); ok {
			text = output
		}
		blocks = append(blocks, textBlock(text))
	default:
		blocks = append(blocks, formats.Text(textInterrupted))
	}
	var details []js.Field
	if detailed(tool) {
		details = append(details, js.RawField("details", get(state, "metadata")))
	}
	at := max(num(state, "time", "end"), num(state, "time", "start"))
	entry, err := e.b.Message(e.place(id, "result "+id+call, at), formats.ToolResult(call, nameOfTool(tool), blocks, failed, details...))
	if pruned := num(state, "time", "compacted"); err == nil && pruned > 0 {
		e.pruned = append(e.pruned, prune{pruned, e.key + id, entry})
	}
	return err
}

// detailed reports whether what opencode says of a result goes to its details.
func detailed(tool string) bool {
	raw := get(tool, "state", "metadata")
	_, spoke := interrupted(tool)
	status := str(tool, "state", "status")
	return isObject(raw) && len(formats.Fields(raw)) > 0 && !spoke && (status == "completed" || status == "error")
}

// hollow returns the parts of the message with null in place of what the entries have
// that are made of it. Of a summary, its text is in the compaction, if it is one part.
func (e *emission) hollow(compaction bool) []string {
	out := append([]string(nil), e.parts...)
	if compaction {
		if i, ok := e.onlyText(); ok {
			out[i] = formats.With(out[i], "text", "null")
		}
		return out
	}
	for _, s := range e.layout() {
		for _, b := range s.blocks {
			p := out[b.part]
			switch {
			case b.fixed != "":
			case b.kind == blockImage:
				p = hollowFile(p)
			case b.kind == blockCall:
				p = hollowTool(p)
			case get(p, "text") != "" && get(p, "metadata", "anthropic", "redactedData") == "":
				p = formats.With(p, "text", "null")
			}
			out[b.part] = p
		}
	}
	return out
}

// onlyText returns the part that is the text of an assistant's message, if there is
// but one.
func (m message) onlyText() (part int, ok bool) {
	part = -1
	for i, p := range m.parts {
		if m.role() == "assistant" && str(p, "type") == "text" {
			if part >= 0 {
				return 0, false
			}
			part = i
		}
	}
	return part, part >= 0
}

// hollowFile leaves out the data of an image, if its address is but that.
func hollowFile(file string) string {
	media, data, ok := formats.DataURL(str(file, "url"))
	if ok && isImage(file) && dataURL(media, data) == str(file, "url") {
		return formats.With(file, "url", "null")
	}
	return file
}

func dataURL(media, data string) string { return "data:" + media + ";base64," + data }

// hollowTool leaves out the arguments and the result of a call.
func hollowTool(tool string) string {
	if isObject(get(tool, "state", "input")) {
		tool = within(tool, "state", "input", "null")
	}
	if detailed(tool) {
		tool = within(tool, "state", "metadata", "null")
	}
	switch str(tool, "state", "status") {
	case "completed":
		tool = hollowOutput(tool)
	case "error":
		if _, spoke := interrupted(tool); !spoke && get(tool, "state", "error") != "" {
			tool = within(tool, "state", "error", "null")
		}
	}
	return tool
}

func hollowOutput(tool string) string {
	if get(tool, "state", "output") != "" {
		tool = within(tool, "state", "output", "null")
	}
	files := attached(tool)
	if len(files) == 0 {
		return tool
	}
	for i := range files {
		files[i] = hollowFile(files[i])
	}
	return within(tool, "state", "attachments", formats.Array(files...))
}

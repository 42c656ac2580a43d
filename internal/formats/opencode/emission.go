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

package chat

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A talk is one session that is being made of messages.
type talk struct {
	format format
	src    *formats.Source
	b      *formats.Builder
	header session.HeaderFields // to begin with, when there is a message
	tools  map[string]string    // ids of tool calls to the tools called
	called string               // id of the last call that had none

	line    int         // of the source, 0 for a document
	number  int         // of the message, from 1
	part    int         // entries made of the message
	partial bool        // something in it has no place in an entry
	of      *completion // that the message stands in, nil for none
}

// lines reads a message a line.
func (t *talk) lines(r io.Reader) error {
	for l, err := range jsonl.Lines(r) {
		if err != nil {
			return t.src.Located(err)
		}
		text := trimmed(l.Data)
		t.line = l.Number
		switch {
		case text == "":
			continue
		case !js.Valid([]byte(text)):
			t.b.LoseLine(t.src.At(l.Number), false, len(bytes.TrimSpace(l.Data)))
			continue
		}
		if err := t.add(t.valid(text)); err != nil {
			return err
		}
	}
	return t.done()
}

// begin makes the header, unless it is there.
func (t *talk) begin() error {
	if t.b.Opened() {
		return nil
	}
	return t.b.Header(t.header)
}

// valid returns a text with everything in it that is no UTF-8 as U+FFFD, as any
// reader of JSON would have it.
func (t *talk) valid(text js.Value) js.Value {
	if utf8.ValidString(string(text)) {
		return text
	}
	t.b.Lose(t.where(), formats.KindText, "invalid UTF-8, which became U+FFFD")
	return js.Value(strings.ToValidUTF8(string(text), "\ufffd"))
}

// document reads an array of messages, or a request.
func (t *talk) document(text js.Value) error {
	text = t.valid(text)
	list := text
	if isRequest(text) {
		list = text.Get("messages")
		if err := t.begin(); err != nil {
			return err
		}
		t.b.Defaults.Model = text.Get("model").Str()
		if err := t.request(text); err != nil {
			return err
		}
	}
	if isCompletion(text) {
		list = js.Value(formats.Array(text))
	}
	if !list.IsArray() {
		return formats.Damaged("%s: neither messages nor a request nor a response", t.where())
	}
	for raw := range list.Elements() {
		if err := t.add(raw); err != nil {
			return err
		}
	}
	return t.done()
}

// request keeps what a request says beside its messages.
func (t *talk) request(text js.Value) error {
	var rest []js.Field
	for name, value := range text.Members() {
		if name != "messages" {
			rest = append(rest, js.RawField(name, value))
		}
	}
	if len(rest) > 0 {
		if _, err := t.b.Custom(formats.Place{Key: "request"}, "request", js.Object(rest...)); err != nil {
			return err
		}
	}
	return t.format.dialect.system(t, text)
}

func (t *talk) done() error {
	if t.number == 0 {
		return formats.Damaged("%s: no messages", t.src.Name())
	}
	return nil
}

// add adds one message, and the whole of it once more if it was more than an
// entry can say.
func (t *talk) add(raw js.Value) error {
	t.number++
	t.part, t.partial = 0, false
	whole := raw
	raw, t.of = unwrap(raw)
	role := raw.Get("role").Str()
	if role == "" {
		t.number--
		t.b.Lose(t.where(), formats.KindDamage, "no message, for it has no role: %.40q", raw)
		return nil
	}
	if err := t.begin(); err != nil {
		return err
	}
	if err := t.format.dialect.message(t, raw); err != nil {
		return fmt.Errorf("%s: %w", t.where(), err)
	}
	if !t.partial {
		return nil
	}
	_, err := t.b.Custom(t.place("whole"), "message", string(whole))
	return err
}

// where returns the place of the message in the source.
func (t *talk) where() string {
	switch {
	case t.line > 0:
		return t.src.At(t.line)
	case t.number > 0:
		return fmt.Sprintf("%s: message %d", t.src.Name(), t.number)
	}
	return t.src.Name()
}

// place returns where the next entry of the message stands.
func (t *talk) place(name string) formats.Place {
	return formats.Place{Key: fmt.Sprintf("message %d %s", t.number, name)}
}

// say adds a message of ours.
func (t *talk) say(m session.Message) error {
	t.part++
	_, err := t.b.Message(t.place(formats.Int(int64(t.part))), m)
	return err
}

// lose tells of a loss in the message, which is kept whole.
func (t *talk) lose(kind, format string, args ...any) {
	t.partial = true
	t.b.Lose(t.where(), kind, format, args...)
}

// known notes whether an object has members other than those named.
func (t *talk) known(raw js.Value, names ...string) {
	for name, value := range raw.Members() {
		t.partial = t.partial || value != "null" && !slices.Contains(names, name)
	}
}

// arguments returns the JSON text of a tool call's arguments, which the source
// has as raw.
func (t *talk) arguments(tool, text string) string {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "{}"
	case text[0] == '{' && js.Valid([]byte(text)):
		return formats.Compact(text)
	}
	t.lose(formats.KindTool, "the arguments of %q are no JSON object, so they are the text input", tool)
	return js.Object(js.StringField("input", text))
}

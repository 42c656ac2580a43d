package chat

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
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

	line    int  // of the source, 0 for a document
	number  int  // of the message, from 1
	part    int  // entries made of the message
	partial bool // something in it has no place in an entry
}

// begin makes the header, unless it is there.
func (t *talk) begin() error {
	if t.b.Opened() {
		return nil
	}
	return t.b.Header(t.header)
}

// document reads an array of messages, a request, or a response.
func (t *talk) document(text js.Value) error {
	if !utf8.ValidString(string(text)) {
		t.b.Lose(t.where(), formats.KindText, "invalid UTF-8, which became U+FFFD")
		text = js.Value(strings.ToValidUTF8(string(text), "\ufffd")) // as any reader of JSON would have it
	}
	list := text
	if asked := messagesOf(text); asked != "" {
		if list = asked; list.IsString() {
			list = js.Value(api.Array(js.Object(js.StringField("role", session.RoleUser), js.RawField("content", asked))))
		}
		if err := t.begin(); err != nil {
			return err
		}
		t.b.Defaults.Model = text.Get("model").Str()
		if err := t.request(text); err != nil {
			return err
		}
	}
	if isReply(text) {
		list = js.Value(api.Array(text))
	}
	if !list.IsArray() {
		return formats.Damaged("%s: neither messages nor a request nor a response", t.where())
	}
	for _, raw := range t.format.dialect.group(list) {
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
		if name != "messages" && name != "input" {
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
	if !isReply(raw) && !isGroup(raw) && !isItem(raw) && raw.Get("role").Str() == "" {
		t.number--
		t.b.Lose(t.where(), formats.KindDamage, "no message, for it has no role: %.40q", raw)
		return nil
	}
	if err := t.begin(); err != nil {
		return err
	}
	if err := t.message(raw); err != nil {
		return fmt.Errorf("%s: %w", t.where(), err)
	}
	if !t.partial {
		return nil
	}
	_, err := t.b.Custom(t.place("whole"), "message", string(raw))
	return err
}

// message adds the entries for a message: for a response, items of one, or what the dialect
// knows.
func (t *talk) message(raw js.Value) error {
	switch {
	case api.IsCompletion(raw):
		return t.say(t.mapping().Completion(raw))
	case api.IsResponse(raw):
		return t.say(t.mapping().Response(raw))
	case isGroup(raw):
		return t.say(t.mapping().ReplyItems(raw))
	}
	return t.format.dialect.message(t, raw)
}

// isReply reports whether a value is a response of OpenAI's. One of Anthropic's is a message.
func isReply(v js.Value) bool { return api.IsCompletion(v) || api.IsResponse(v) }

// isGroup reports whether a value is an array of items that a model has said.
func isGroup(v js.Value) bool {
	return v.IsArray() && slices.ContainsFunc(slices.Collect(v.Elements()), api.IsReplyItem)
}

// isItem reports whether a value is an item of a request to the Responses API that no model
// has said.
func isItem(v js.Value) bool {
	typ := v.Get("type").Str()
	return v.Get("role") == "" && (strings.HasSuffix(typ, "_output") || typ == "item_reference" || typ == "mcp_approval_response")
}

// mapping makes messages of what a model said.
func (t *talk) mapping() api.Mapping {
	return api.Mapping{
		Lose:   t.lose,
		Beside: func() { t.partial = true },
		CallID: func(n int) string {
			t.called = fmt.Sprintf("call_%d_%d", t.number, n)
			return t.called
		},
	}
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

// system adds what a request says to the model beside its messages.
func (t *talk) system(blocks []string) error {
	_, err := t.b.Message(formats.Place{Key: "system"}, systemMessage(session.RoleSystem, blocks))
	return err
}

// say adds a message of ours.
func (t *talk) say(m session.Message) error {
	t.part++
	if m.Role() == session.RoleAssistant {
		for b := range m.Blocks() {
			if b.Type == session.BlockToolCall {
				t.tools[b.Str("id")] = b.Str("name")
			}
		}
	}
	_, err := t.b.Message(t.place(api.Int(int64(t.part))), m)
	return err
}

// lose tells of a loss in the message, which is kept whole.
func (t *talk) lose(kind, format string, args ...any) {
	t.partial = true
	t.b.Lose(t.where(), kind, format, args...)
}

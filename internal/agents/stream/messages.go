package stream

import (
	"cmp"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// isMessages reports whether a value is a message of Anthropic's API, or the first event of one.
func isMessages(v js.Dict) bool {
	switch v.Get("type").Str() {
	case "message_start": // pi has an event of that name, about its messages
		return v.Get("message", "type").Str() == "message"
	case "ping":
		return true
	}
	return isMessage(v)
}

func isMessage(v js.Dict) bool {
	return v.Get("type").Str() == "message" && v.Get("role").Str() == session.RoleAssistant && v.Get("content").IsArray()
}

// A messageAssembler puts the events of a message of Anthropic's API together: those of the
// API itself, and those that agents pass on.
type messageAssembler struct {
	id    string
	head  js.Value // the message as it began
	usage js.Value // at its end, "" until then
	stop  string   // why it ended, in the API's words, "" until then
	ended bool     // by message_stop
	said  string   // the text that the last event has added

	list   []*messageBlock
	at     map[int64]*messageBlock // by their places
	pieces pieces
	room   []js.Field // for the members of a delta
}

// A messageBlock is a block of a message as far as it came.
type messageBlock struct {
	raw                    js.Value // of content_block_start
	text, input, signature *piece
	stopped                bool
}

// value takes an event. ok is false for one of an unknown type.
func (a *messageAssembler) value(v js.Dict) (ok bool) {
	a.said = ""
	switch v.Get("type").Str() {
	case "message_start":
		*a = messageAssembler{head: v.Get("message"), id: v.Get("message", "id").Str()}
	case "content_block_start":
		if block := a.block(v.Get("index").Int()); a.pieces.room(len(v.Value)) {
			block.raw = v.Get("content_block")
		}
	case "content_block_delta":
		return a.delta(a.block(v.Get("index").Int()), v.Get("delta"))
	case "content_block_stop":
		a.block(v.Get("index").Int()).stopped = true
	case "message_delta":
		a.more(v)
	case "message_stop":
		a.ended = true
	case "ping":
	default:
		return false
	}
	return true
}

// block returns the block at a place.
func (a *messageAssembler) block(index int64) *messageBlock {
	if have := a.at[index]; have != nil {
		return have
	}
	made := &messageBlock{
		raw:  `{"type":"text","text":""}`,
		text: &piece{of: &a.pieces}, input: &piece{of: &a.pieces}, signature: &piece{of: &a.pieces},
	}
	if a.at == nil {
		a.at = map[int64]*messageBlock{}
	}
	if a.pieces.room(0) {
		a.list = append(a.list, made)
		a.at[index] = made
	}
	return made
}

func (a *messageAssembler) delta(block *messageBlock, delta js.Value) (ok bool) {
	v := js.DictOf(delta, a.room)
	a.room = v.Room()
	switch v.Get("type").Str() {
	case "text_delta":
		a.said = v.Get("text").Str()
		block.text.write(a.said)
	case "thinking_delta":
		block.text.write(v.Get("thinking").Str())
	case "signature_delta":
		block.signature.write(v.Get("signature").Str())
	case "input_json_delta":
		block.input.write(v.Get("partial_json").Str())
	case "citations_delta":
	default:
		return false
	}
	return true
}

// more takes why the message ended, and its usage: counters that replace those before, and
// leave out what did not change.
func (a *messageAssembler) more(v js.Dict) {
	a.stop = cmp.Or(v.Get("delta", "stop_reason").Str(), a.stop)
	if a.usage = cmp.Or(a.usage, a.head.Get("usage")); !a.usage.IsObject() {
		a.usage = "{}"
	}
	for name, count := range v.Get("usage").Members() {
		if count != "null" {
			a.usage = a.usage.With(name, count)
		}
	}
}

// began reports whether there is anything of a message.
func (a *messageAssembler) began() bool { return a.head != "" || len(a.list) > 0 }

// whole returns the message as far as it came. The input of a call that is cut is a text.
func (a *messageAssembler) whole() js.Value {
	var content []js.Value
	for _, block := range a.list {
		if v := block.value(); v != "" {
			content = append(content, v)
		}
	}
	whole := cmp.Or(a.head, "{}").With("content", js.Value(api.Array(content...)))
	if a.stop != "" {
		whole = whole.With("stop_reason", js.Value(js.Quote(a.stop)))
	}
	if a.usage != "" {
		whole = whole.With("usage", a.usage)
	}
	return whole
}

// blocks returns the blocks of a message that was cut, without calls that are not whole. A
// text is taken as it is, for it may be huge.
func (a *messageAssembler) blocks(rec *recorder) (out []string) {
	m := rec.mapping("anthropic", a.id, ending{stop: "aborted"})
	for _, block := range a.list {
		if text := block.said(); text != "" {
			out = append(out, api.Text(text))
		} else if v := block.value(); v != "" {
			out = append(out, m.AnthropicContent(js.Value(api.Array(v)), true)...)
		}
	}
	return out
}

// said returns the text of a block that is one.
func (b *messageBlock) said() string {
	if b.raw.Get("type").Str() != "text" {
		return ""
	}
	return b.raw.Get("text").Str() + b.text.text.String()
}

// value returns a block as far as it came, "" if it has nothing in it.
func (b *messageBlock) value() js.Value {
	v := b.raw
	typ, text := v.Get("type").Str(), b.said()
	thinking := v.Get("thinking").Str() + b.text.text.String()
	signature := v.Get("signature").Str() + b.signature.text.String()
	switch input := b.input.text.String(); {
	case typ == "text" && text == "", typ == "thinking" && thinking+signature == "":
		return ""
	case typ == "text":
		return v.With("text", js.Value(js.Quote(text)))
	case typ == "thinking":
		v = v.With("thinking", js.Value(js.Quote(thinking)))
		return v.With("signature", js.Value(js.Quote(signature)))
	case isObject(input):
		return v.With("input", js.Value(input))
	case input != "":
		return v.With("input", js.Value(js.Quote(input)))
	case typ == "tool_use" && !b.stopped: // its input did not begin
		return v.With("input", js.Value(js.Quote("{")))
	}
	return v
}

// A messagesReader reads a response of Anthropic's API.
type messagesReader struct {
	rec     *recorder
	message messageAssembler
	failure string
}

func readMessages(rec *recorder) reader { return &messagesReader{rec: rec} }

func (r *messagesReader) value(v js.Dict, _ string) verdict {
	switch {
	case r.message.began() && (isMessage(v) || v.Get("type").Str() == "message_start"):
		return other
	case isMessage(v):
		r.record(v.Value, ending{}, 0)
		return over
	case v.Get("error") != "" && !r.message.began():
		r.rec.refuse(v.Value)
		return over
	case v.Get("error") != "":
		r.failure = errorText(v.Value)
		return over
	case !r.message.value(v):
		return other
	}
	if r.rec.hear(r.message.said); r.message.ended {
		return over
	}
	return more
}

func (r *messagesReader) end() {
	if r.message.began() {
		finished := r.message.stop != "" || r.message.ended
		r.record(r.message.whole(), endingOf(r.failure, finished), r.message.pieces.size)
	}
}

func (r *messagesReader) record(v js.Value, end ending, size int) {
	r.rec.respond(r.rec.mapping("anthropic", v.Get("id").Str(), end).AnthropicMessage(v), 0, size)
}

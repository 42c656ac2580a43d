package stream

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
)

// isOpenAI reports whether a value is a response of OpenAI's APIs, or the first piece of one.
func isOpenAI(v js.Dict) bool { return isChat(v) || isResponses(v) }

// isChat reports whether a value is a chat completion, or a piece of one. Azure has a first
// piece without anything in it.
func isChat(v js.Dict) bool {
	switch v.Get("object").Str() {
	case "chat.completion", "chat.completion.chunk":
		return true
	case "":
		choices := v.Get("choices")
		for choice := range choices.Elements() {
			return choice.Get("delta").IsObject() || choice.Get("message").IsObject()
		}
		return choices.IsArray() && v.Get("model") != ""
	}
	return false
}

// An openAIReader reads a response of either of OpenAI's APIs.
type openAIReader struct {
	rec *recorder
	reader
}

func readOpenAI(rec *recorder) reader { return &openAIReader{rec: rec} }

func (o *openAIReader) value(v js.Dict, event string) verdict {
	if o.reader == nil {
		if o.reader = readChat(o.rec); isResponses(v) || strings.HasPrefix(v.Get("type").Str(), "response.") {
			o.reader = &responsesReader{rec: o.rec, keys: map[string]*responseItem{}}
		}
	}
	return o.reader.value(v, event)
}

// A chatReader puts the pieces of a chat completion together.
type chatReader struct {
	rec  *recorder
	id   string
	head struct {
		model   string
		created int64
	}
	pieces                      pieces
	content, refusal, reasoning *piece
	calls                       []*piece
	at                          map[int]*piece // the last call of each index
	finish, failure             string
	usage                       js.Value
	began, others, finished     bool
}

func readChat(rec *recorder) reader {
	c := &chatReader{rec: rec, at: map[int]*piece{}}
	c.content, c.refusal, c.reasoning = &piece{of: &c.pieces}, &piece{of: &c.pieces}, &piece{of: &c.pieces}
	return c
}

func (c *chatReader) value(v js.Dict, _ string) verdict {
	switch {
	case v.Value == done:
		c.finished = true
		return over
	case c.began && isChat(v) && !c.has(v.Get("id").Str()):
		return other
	case !c.began && api.IsCompletion(v.Value):
		id := v.Get("id").Str()
		c.rec.respond(c.rec.mapping("openai", id, ending{}).Completion(v.Value), seconds(v.Get("created")), 0)
		return over
	case isChat(v):
		c.chunk(v)
	case v.Get("error") == "":
		return other
	case !c.began:
		c.rec.refuse(v.Value)
		return over
	}
	if v.Get("error") != "" {
		c.failure = errorText(v.Value)
		return over
	}
	return more
}

// has reports whether a piece is of this completion: all of its pieces have its id.
func (c *chatReader) has(id string) bool { return id == c.id || id == "" || c.id == "" }

// chunk takes a piece.
func (c *chatReader) chunk(v js.Dict) {
	c.began = true
	c.id = cmp.Or(c.id, v.Get("id").Str())
	c.head.model = cmp.Or(c.head.model, v.Get("model").Str())
	c.head.created = cmp.Or(c.head.created, v.Get("created").Int())
	if usage := v.Get("usage"); usage.IsObject() { // repeated by some, and growing
		c.usage = usage
	}
	for choice := range v.Get("choices").Elements() {
		if choice.Get("index").Int() != 0 {
			c.others = true
			continue
		}
		c.finish = cmp.Or(choice.Get("finish_reason").Str(), c.finish)
		c.delta(choice.Get("delta"))
	}
}

// delta takes what a piece adds to the message.
func (c *chatReader) delta(v js.Value) {
	c.reasoning.write(api.Reasoning(v))
	c.content.write(v.Get("content").Str())
	c.rec.hear(v.Get("content").Str())
	for part := range v.Get("content").Elements() {
		if text := part.Get("text"); text.IsString() {
			c.content.write(text.Str())
			c.rec.hear(text.Str())
		} else {
			c.rec.problem("a piece of content of type %.40q is left out", part.Get("type").Str())
		}
	}
	c.refusal.write(v.Get("refusal").Str())
	for call := range v.Get("tool_calls").Elements() {
		c.call(call)
	}
	if function := v.Get("function_call"); function != "" {
		c.call(js.Value(js.Object(js.IntField("index", 0), js.RawField("function", function))))
	}
}

// call takes a piece of a call. It is of the last call with its index, unless it has another
// id, or, without an id, a name although that call is whole: some servers give all of their
// calls the index 0.
func (c *chatReader) call(v js.Value) {
	id, index := v.Get("id").Str(), int(v.Get("index").Int())
	name := v.Get("function", "name").Str()
	of := c.at[index]
	if n := len(c.calls); n > 0 && v.Get("index") == "" {
		of = c.calls[n-1]
	}
	if of == nil || id != "" && of.id != "" && id != of.id || id == "" && name != "" && isObject(of.text.String()) {
		if of = (&piece{of: &c.pieces, index: index, kind: pieceCall}); !c.pieces.room(len(id) + len(name)) {
			return
		}
		c.calls = append(c.calls, of)
		c.at[index] = of
	}
	of.id, of.name = cmp.Or(of.id, id), cmp.Or(of.name, name)
	arguments := v.Get("function", "arguments")
	if of.write(arguments.Str()); arguments.IsObject() {
		of.set(string(arguments))
	}
}

// isObject reports whether a text is a JSON object.
func isObject(text string) bool { return js.Value(text).IsObject() && js.Valid([]byte(text)) }

// whole returns the completion that the pieces stand for.
func (c *chatReader) whole() js.Value {
	var calls []string
	for _, call := range c.calls {
		calls = append(calls, js.Object(api.Str("id", call.id), js.RawField("function", js.Object(
			js.StringField("name", call.name), js.StringField("arguments", call.text.String())))))
	}
	message := js.Object(js.StringField("role", "assistant"), js.StringField("content", c.content.text.String()),
		api.Str("reasoning_content", c.reasoning.text.String()), api.Str("refusal", c.refusal.text.String()),
		js.RawField("tool_calls", api.Array(calls...)))
	choices := []string{js.Object(js.IntField("index", 0), js.RawField("message", message), api.Str("finish_reason", c.finish))}
	if c.others {
		choices = append(choices, js.Object(js.IntField("index", 1)))
	}
	return js.Value(js.Object(js.StringField("id", c.id), js.StringField("model", c.head.model),
		js.RawField("choices", api.Array(choices...)), js.RawField("usage", c.usage)))
}

func (c *chatReader) end() {
	if !c.began {
		return
	}
	if c.finished {
		c.finish = cmp.Or(c.finish, "stop") // the server said that this was all
	}
	m := c.rec.mapping("openai", c.id, endingOf(c.failure, c.finish != ""))
	c.rec.respond(m.Completion(c.whole()), seconds(js.Value(api.Int(c.head.created))), c.pieces.size)
}

package stream

import (
	"slices"

	"github.com/sess-tools/sess/internal/api"
	"github.com/sess-tools/sess/pkg/js"
)

// isOllama reports whether a value is a response of Ollama's /api/chat, or a piece of one:
// they look alike.
func isOllama(v js.Dict) bool {
	return v.Get("message").IsObject() && v.Get("done") != "" && v.Get("created_at") != ""
}

// An ollamaReader puts the pieces of a response together.
type ollamaReader struct {
	rec               *recorder
	first, last       js.Value
	pieces            pieces
	content, thinking *piece
	calls, images     []js.Value
	failure           string
}

func readOllama(rec *recorder) reader {
	o := &ollamaReader{rec: rec}
	o.content, o.thinking = &piece{of: &o.pieces}, &piece{of: &o.pieces}
	return o
}

func (o *ollamaReader) value(v js.Dict, _ string) verdict {
	switch {
	case isOllama(v):
		if o.piece(v) {
			return over
		}
		return more
	case v.Get("error") == "":
		return other
	case o.first == "":
		o.rec.refuse(v.Value)
		return over
	}
	o.failure = errorText(v.Value)
	return over
}

func (o *ollamaReader) piece(v js.Dict) (ended bool) {
	message := v.Get("message")
	o.content.write(message.Get("content").Str())
	o.rec.hear(message.Get("content").Str())
	o.thinking.write(message.Get("thinking").Str())
	o.calls = o.pieces.keep(o.calls, slices.Collect(message.Get("tool_calls").Elements()))
	o.images = o.pieces.keep(o.images, slices.Collect(message.Get("images").Elements()))
	o.last = v.Without("message")
	if o.first == "" {
		o.first = o.last
	}
	return v.Get("done") == "true"
}

// whole returns the response that the pieces stand for.
func (o *ollamaReader) whole() js.Value {
	return o.last.With("message", js.Value(js.Object(
		js.StringField("role", "assistant"), js.StringField("content", o.content.text.String()),
		api.Str("thinking", o.thinking.text.String()),
		js.RawField("images", api.Array(o.images...)), js.RawField("tool_calls", api.Array(o.calls...)))))
}

func (o *ollamaReader) end() {
	if o.first == "" {
		return
	}
	began := o.first.Get("created_at").Str()
	at, _ := js.ParseTime(began)
	m := o.rec.mapping("ollama", began, endingOf(o.failure, o.last.Get("done") == "true"))
	o.rec.respond(m.Ollama(o.whole()), at, o.pieces.size)
}

package stream

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// An ending is how a response ended that does not say so itself: "" is one that does.
type ending struct{ stop, failure string }

// endingOf returns the ending of a response: by an error, or, if it does not say why it
// ended, by being cut.
func endingOf(failure string, finished bool) ending {
	switch {
	case failure != "":
		return ending{"error", failure}
	case !finished:
		return ending{stop: "aborted"}
	}
	return ending{}
}

// mapping makes a message of a response of an API. The ids of calls that have none are made
// of the API's name and of id, which is that of the response or its time.
func (r *recorder) mapping(name, id string, end ending) api.Mapping {
	return api.Mapping{
		Stop: end.stop, Error: end.failure,
		Lose: func(kind, text string, args ...any) {
			if kind == formats.KindDamage || kind == formats.KindContext { // the rest stands for itself
				r.warn(text, args...)
				return
			}
			r.problem(text, args...)
		},
		CallID: func(n int) string {
			return fmt.Sprintf("%s:%s:%d", name, cmp.Or(id, api.Int(int64(r.items))), n)
		},
	}
}

// refuse says why a value begins no response.
func (r *recorder) refuse(v js.Value) {
	r.problem("%s", reasonAgainst(v))
	r.keep("unknown", v)
}

// respond records the message of a response that began at a time.
func (r *recorder) respond(m session.Message, at int64, size int) {
	if size > maxValue {
		r.problem("a message of more than %d bytes is cut", maxValue)
	}
	if js.Value(m.Get("content")) == "[]" && m.Str("stopReason") == "aborted" {
		r.warn("the response was cut before anything was said")
		return
	}
	if m.Get("usage") == "" {
		r.note("the response does not say how many tokens it took")
	}
	r.message(m, at)
}

// seconds returns a time that an API gives in seconds since the epoch in milliseconds, 0 if
// it cannot be one.
func seconds(v js.Value) int64 {
	if n := v.Int(); n > 1e9 && n < 1e11 {
		return n * 1000
	}
	return 0
}

// overhead is what a part of a message takes beside its text, in bytes.
const overhead = 256

// room reports whether a message may have n more bytes, and one more part.
func (p *pieces) room(n int) bool {
	p.size += n + overhead
	return p.size <= maxValue
}

// keep adds values to a list as far as there is room for them.
func (p *pieces) keep(list, values []js.Value) []js.Value {
	for _, v := range values {
		if p.room(len(v)) {
			list = append(list, v)
		}
	}
	return list
}

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

func (o *ollamaReader) end() {
	if o.first == "" {
		return
	}
	began := o.first.Get("created_at").Str()
	at, _ := js.ParseTime(began)
	message := js.Object(
		js.StringField("role", "assistant"), js.StringField("content", o.content.text.String()),
		api.Str("thinking", o.thinking.text.String()),
		js.RawField("images", api.Array(o.images...)), js.RawField("tool_calls", api.Array(o.calls...)))
	m := o.rec.mapping("ollama", began, endingOf(o.failure, o.last.Get("done") == "true"))
	o.rec.respond(m.Ollama(o.last.With("message", js.Value(message))), at, o.pieces.size)
}

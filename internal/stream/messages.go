package stream

import (
	"github.com/sess-tools/sess/pkg/js"
)

// A messageAssembler puts the events of Anthropic's Messages API together.
type messageAssembler struct {
	pieces
	id    string
	head  js.Value // the message as it began
	usage js.Value // "" until it ended
	stop  string
	ended bool
}

func (a *messageAssembler) value(v js.Value) {
	at := int(v.Get("index").Int())
	switch v.Get("type").Str() {
	case "message_start":
		a.head = v.Get("message")
		a.id = a.head.Get("id").Str()
	case "content_block_start":
		b := v.Get("content_block")
		switch b.Get("type").Str() {
		case "text":
			a.at(at, pieceText).write(b.Get("text").Str())
		case "thinking":
			a.at(at, pieceThinking).write(b.Get("thinking").Str())
		case "tool_use":
			p := a.at(at, pieceCall)
			p.id, p.name = b.Get("id").Str(), b.Get("name").Str()
		}
	case "content_block_delta":
		d := v.Get("delta")
		switch d.Get("type").Str() {
		case "text_delta":
			a.at(at, pieceText).write(d.Get("text").Str())
		case "thinking_delta":
			a.at(at, pieceThinking).write(d.Get("thinking").Str())
		case "signature_delta":
			a.at(at, pieceThinking).signature += d.Get("signature").Str()
		case "input_json_delta":
			a.at(at, pieceCall).write(d.Get("partial_json").Str())
		}
	case "message_delta":
		a.stop = v.Get("delta", "stop_reason").Str()
		a.usage = a.head.Get("usage")
		for name, value := range v.Get("usage").Members() {
			a.usage = a.usage.With(name, value)
		}
	case "message_stop":
		a.ended = true
	}
}

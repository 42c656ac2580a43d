package api

import (
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Ollama returns the message of a response of Ollama's /api/chat.
func (m Mapping) Ollama(v js.Value) session.Message {
	a := answer{api: "ollama", provider: "ollama", model: v.Get("model").Str()}
	if v.Get("done") == "true" {
		a.stop, a.usage = "stop", v
	}
	if reason := v.Get("done_reason").Str(); reason != "" {
		a.stop = StopReason(reason)
	}
	raw := v.Get("message")
	var blocks []string
	if text := raw.Get("thinking").Str(); text != "" {
		blocks = append(blocks, Thinking(text, ""))
	}
	if text := raw.Get("content").Str(); text != "" {
		blocks = append(blocks, Text(text))
	}
	for range raw.Get("images").Elements() {
		m.Lose(KindMedia, "an image of the model, which no model will see")
	}
	n := 0
	for call := range raw.Get("tool_calls").Elements() {
		n++
		if made := m.chatCall(call, n, m.cut(a)); made != "" {
			blocks = append(blocks, made)
		}
	}
	return m.message(blocks, a)
}

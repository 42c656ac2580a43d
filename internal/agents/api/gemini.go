package api

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// GeminiCandidate returns the candidate that is taken of a response of Gemini's API, or of a
// piece of one: the first. More reports whether it has others.
func GeminiCandidate(v js.Value) (first js.Value, more bool) {
	for c := range v.Get("candidates").Elements() {
		if c.Get("index").Int() == 0 && first == "" {
			first = c
		} else {
			more = true
		}
	}
	return first, more
}

// Gemini returns the message of a response of Gemini's generateContent.
func (m Mapping) Gemini(v js.Value) session.Message {
	c, more := GeminiCandidate(v)
	if more {
		m.Lose(KindContext, "all candidates but the first")
	}
	a := answer{
		api: "google-generative-ai", provider: "google", model: v.Get("modelVersion").Str(), id: v.Get("responseId").Str(),
		usage: v.Get("usageMetadata"),
	}
	reason, blocked := c.Get("finishReason").Str(), v.Get("promptFeedback", "blockReason").Str()
	switch {
	case reason != "":
		if a.stop = cmp.Or(StopReason(reason), "error"); a.stop == "error" {
			a.failure = cmp.Or(c.Get("finishMessage").Str(), reason)
		}
	case blocked != "":
		a.stop, a.failure = "error", "the prompt was blocked: "+cmp.Or(v.Get("promptFeedback", "blockReasonMessage").Str(), blocked)
	}
	blocks := m.geminiBlocks(c.Get("content", "parts"))
	if found := c.Get("groundingMetadata"); found.Get("webSearchQueries").IsArray() {
		var queries []string
		for q := range found.Get("webSearchQueries").Elements() {
			queries = append(queries, q.Str())
		}
		arguments := js.Object(js.StringField("query", strings.Join(queries, "; ")))
		blocks = append(blocks, session.ProvidedResult(session.ProvidedCall("", "google_search", arguments), "", "", found.Get("groundingChunks"), false))
	}
	return m.message(blocks, a)
}

// geminiBlocks returns the blocks of parts. Text goes on in the part behind it, and a
// signature is of the block it stands in, or behind.
func (m Mapping) geminiBlocks(parts js.Value) []string {
	var blocks []string
	var said geminiText
	calls := 0
	say := func() {
		if block := said.block(); block != "" {
			blocks = append(blocks, block)
		}
		said = geminiText{}
	}
	for part := range parts.Elements() {
		signature := part.Get("thoughtSignature").Str()
		call, spoken := part.Get("functionCall"), part.Get("text")
		switch {
		case call != "":
			say()
			calls++
			blocks = append(blocks, m.geminiCall(call, calls, signature))
		case spoken != "" || signature != "":
			thought := part.Get("thought") == "true"
			if thought != said.thought && spoken.Str() != "" {
				say()
			}
			if said.text.Len() == 0 {
				said.thought = thought
			}
			said.text.WriteString(spoken.Str())
			said.signature = cmp.Or(signature, said.signature)
		case part.Get("executableCode").IsObject():
			say()
			blocks = append(blocks, session.ProvidedCall(part.Get("executableCode", "id").Str(), codeExecution, string(part.Get("executableCode"))))
		case part.Get("codeExecutionResult").IsObject():
			say()
			came := part.Get("codeExecutionResult")
			failed := came.Get("outcome").Str() != "OUTCOME_OK"
			blocks = append(blocks, session.ProvidedResult("", came.Get("id").Str(), codeExecution, came.Get("output"), failed))
		default:
			say()
			m.Lose(KindMedia, "content of type %q, which no model will see", firstMember(part))
		}
	}
	say()
	return blocks
}

// codeExecution is what a run of code by Gemini's API is called.
const codeExecution = "code_execution"

// A geminiText is a block of text or thinking that parts make.
type geminiText struct {
	text      strings.Builder
	signature string
	thought   bool
}

// block returns the block, "" without a text: a signature alone signs nothing.
func (t *geminiText) block() string {
	text := t.text.String()
	switch {
	case text == "":
		return ""
	case t.thought:
		return Thinking(text, t.signature)
	case t.signature != "":
		return string(js.Value(Text(text)).Add(js.StringField("textSignature", t.signature)))
	}
	return Text(text)
}

// geminiCall returns the block of the n-th call of a response.
func (m Mapping) geminiCall(call js.Value, n int, signature string) string {
	id := call.Get("id").Str()
	if id == "" {
		id = m.CallID(n)
	}
	block := m.call(id, call.Get("name").Str(), string(call.Get("args")), false)
	if signature == "" {
		return block
	}
	return string(js.Value(block).Add(js.StringField("thoughtSignature", signature)))
}

// firstMember returns the name of the first member of an object, "" if it has none: what
// kind of part it is.
func firstMember(v js.Value) string {
	for name := range v.Members() {
		return name
	}
	return ""
}

package view

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// OpenAI returns messages as the JSON array that the chat completions API calls
// messages, and what had to be repaired for it (see the package comment).
//
// System messages are folded into one in front. Text of an assistant is one
// string; thinking is left out. As a tool message holds only text, the images
// of tool results follow them in a user message. Ids of calls are at most 40
// bytes of ASCII; longer ones are replaced.
func OpenAI(messages []session.Message, o Options) (json string, repairs []string) {
	messages = session.ToLLM(messages)
	r := &request{api: &openAI, ids: newNamer(&openAI)}
	var out []string
	if o.System {
		if text := systemText(messages); text != "" {
			out = append(out, `{"role":"system","content":`+quote(text)+`}`)
		}
	}
	for _, t := range r.turns(messages) {
		if t.message.Role() == session.RoleAssistant {
			out = append(out, r.openAIAssistant(t)...)
		} else if parts := r.parts(t.number, t.message); len(parts) > 0 {
			out = append(out, openAIUser(parts))
		} else {
			r.report(t.number, "user message without content left out")
		}
	}
	return "[" + strings.Join(out, ",") + "]", r.repairs()
}

// openAIAssistant returns an assistant message and the results of its calls.
func (r *request) openAIAssistant(t *turn) []string {
	var text strings.Builder
	var calls []string
	next := 0
	for b := range t.message.Blocks() {
		switch b.Type {
		case "text":
			text.WriteString(b.Str("text"))
		case "toolCall":
			calls = append(calls, r.openAICall(t.number, t.calls[next]))
			next++
		case "thinking", "redactedThinking":
		default:
			r.leftOut(t.number, b)
		}
	}
	content := "null"
	if text.Len() > 0 {
		content = quote(text.String())
	}
	switch {
	case len(calls) > 0:
		message := `{"role":"assistant","content":` + content + `,"tool_calls":[` + strings.Join(calls, ",") + `]}`
		return append([]string{message}, r.openAIResults(t)...)
	case text.Len() > 0:
		return []string{`{"role":"assistant","content":` + content + `}`}
	}
	r.report(t.number, "assistant message without content left out")
	return nil
}

func (r *request) openAICall(number int, c *call) string {
	r.name(number, c)
	return `{"id":` + quote(c.apiID) + `,"type":"function","function":{"name":` + quote(c.apiName) +
		`,"arguments":` + js.Quote(r.arguments(number, c)) + `}}`
}

// openAIResults returns the tool messages of a turn and, behind all of them
// because nothing may stand between, their images.
func (r *request) openAIResults(t *turn) []string {
	var out []string
	var images []part
	for _, res := range t.results {
		texts, pictures := r.resultParts(res)
		if len(pictures) > 0 {
			images = append(images, part{text: "Images of the result of call " + res.call.apiID + ":"})
			images = append(images, pictures...)
			if len(texts) == 0 {
				texts = []string{"(images follow)"}
			}
		}
		out = append(out, `{"role":"tool","tool_call_id":`+quote(res.call.apiID)+
			`,"content":`+quote(strings.Join(texts, "\n"))+`}`)
	}
	if len(images) > 0 {
		out = append(out, openAIUser(images))
	}
	return out
}

// openAIUser returns a user message: a string if it is one text, else an array.
func openAIUser(parts []part) string {
	if len(parts) == 1 && !parts[0].image() {
		return `{"role":"user","content":` + quote(parts[0].text) + `}`
	}
	blocks := make([]string, len(parts))
	for i, p := range parts {
		if p.image() {
			blocks[i] = `{"type":"image_url","image_url":{"url":` + quote("data:"+p.media+";base64,"+p.data) + `}}`
		} else {
			blocks[i] = `{"type":"text","text":` + quote(p.text) + `}`
		}
	}
	return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
}

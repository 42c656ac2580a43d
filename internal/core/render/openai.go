package render

import (
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// OpenAI returns messages as the JSON array that the chat completions API calls
// messages, and what had to be repaired for it (see the package comment).
//
// System messages are folded into one in front. Text of an assistant is one
// string; thinking is left out. Messages of the role developer keep it. As a tool message holds only text, the images
// of tool results follow them in a user message. Ids of calls are at most 40
// bytes of ASCII; longer ones are replaced.
func OpenAI(messages []session.Message, o Options) (json JSON, repairs []string) {
	messages = convo.ToLLM(messages)
	r := &request{api: &openAI, ids: newNamer(&openAI)}
	var out []JSON
	if o.System {
		if text := systemText(messages); text != "" {
			out = append(out, openAIMessage("system").quote(text).raw("}"))
		}
	}
	for _, t := range r.turns(messages) {
		if t.message.Role() == session.RoleAssistant {
			out = append(out, r.openAIAssistant(t)...)
		} else if parts := r.parts(t.number, t.message); len(parts) > 0 {
			out = append(out, openAIMessages(t.message.Role(), parts)...)
		} else {
			r.report(t.number, "user message without content left out")
		}
	}
	return json.array(out), r.repairs()
}

// openAIMessage begins a message, up to its content.
func openAIMessage(role string) JSON { return JSON(nil).raw(`{"role":"` + role + `","content":`) }

// openAIAssistant returns an assistant message and the results of its calls.
func (r *request) openAIAssistant(t *turn) []JSON {
	var texts []string
	var calls []JSON
	next := 0
	for b := range t.message.Blocks() {
		switch b.Type {
		case session.BlockText:
			if text := b.Str("text"); text != "" {
				texts = append(texts, text)
			}
		case session.BlockToolCall:
			calls = append(calls, r.openAICall(t.number, t.calls[next]))
			next++
		case session.BlockThinking, session.BlockEncrypted:
		default:
			r.leftOut(t.number, b)
		}
	}
	message := openAIMessage("assistant")
	if len(texts) > 0 {
		message = message.quote(texts...)
	} else {
		message = message.raw("null")
	}
	switch {
	case len(calls) > 0:
		message = message.raw(`,"tool_calls":`).array(calls).raw("}")
		return append([]JSON{message}, r.openAIResults(t)...)
	case len(texts) > 0:
		return []JSON{message.raw("}")}
	}
	r.report(t.number, "assistant message without content left out")
	return nil
}

func (r *request) openAICall(number int, c *call) JSON {
	r.name(number, c)
	return JSON(nil).raw(`{"id":`).quote(c.apiID).raw(`,"type":"function","function":{"name":`).quote(c.apiName).
		raw(`,"arguments":`).quote(r.arguments(number, c)).raw(`}}`)
}

// openAIResults returns the tool messages of a turn and, behind all of them
// because nothing may stand between, their images.
func (r *request) openAIResults(t *turn) []JSON {
	var out []JSON
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
		out = append(out, JSON(nil).raw(`{"role":"tool","tool_call_id":`).quote(res.call.apiID).
			raw(`,"content":`).quote(onLines(texts)...).raw("}"))
	}
	if len(images) > 0 {
		out = append(out, openAIText(session.RoleUser, images))
	}
	return out
}

// openAIMessages returns the messages of a role other than the assistant's. A developer
// message holds only text, so its images follow it in a user message.
func openAIMessages(role string, parts []part) []JSON {
	if role != session.RoleDeveloper {
		return []JSON{openAIText(session.RoleUser, parts)}
	}
	var texts, images []part
	for _, p := range parts {
		if p.image() {
			images = append(images, p)
		} else {
			texts = append(texts, p)
		}
	}
	var out []JSON
	if len(texts) > 0 {
		out = append(out, openAIText(role, texts))
	}
	if len(images) > 0 {
		out = append(out, openAIText(session.RoleUser, images))
	}
	return out
}

// openAIText returns a message of a role: its content is a string if it is one text,
// else an array.
func openAIText(role string, parts []part) JSON {
	if len(parts) == 1 && !parts[0].image() {
		return openAIMessage(role).quote(parts[0].text).raw("}")
	}
	blocks := make([]JSON, len(parts))
	for i, p := range parts {
		if p.image() {
			blocks[i] = JSON(nil).raw(`{"type":"image_url","image_url":{"url":`).quote("data:"+p.media+";base64,", p.data).raw(`}}`)
		} else {
			blocks[i] = textBlock(p.text)
		}
	}
	return openAIMessage(role).array(blocks).raw("}")
}

// textBlock is the block both APIs have for a text.
func textBlock(text string) JSON { return JSON(nil).raw(`{"type":"text","text":`).quote(text).raw("}") }

// onLines puts line feeds between texts.
func onLines(texts []string) []string {
	var out []string
	for i, text := range texts {
		if i > 0 {
			out = append(out, "\n")
		}
		out = append(out, text)
	}
	return out
}

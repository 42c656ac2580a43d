package render

import (
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// omitted is the user message in front of a conversation that begins with an
// assistant's.
const omitted = "(the beginning of the conversation is left out)"

// Anthropic returns messages as the JSON object {"system":…,"messages":[…]} of
// a request to Anthropic's messages API, and what had to be repaired for it
// (see the package comment). Without system messages, or without Options.System,
// the member system is absent.
//
// Neighbours of one role become one message, so user and assistant alternate,
// a user first. The results of a turn's calls come first in the message behind
// it. Thinking is kept if it has a signature, is of the model that answered last,
// since the API refuses what another model signed, is not known to come from
// another API and does not end its message. Ids of calls match ^[a-zA-Z0-9_-]{1,64}$;
// others are replaced. A conversation may end with an assistant message; the
// API takes it for the beginning of the answer.
func Anthropic(messages []session.Message, o Options) (json JSON, repairs []string) {
	messages = convo.ToLLM(messages)
	a := &anthropicRequest{request: request{api: &anthropic, ids: newNamer(&anthropic)}, thinker: thinkerOf(messages)}
	for _, t := range a.turns(messages) {
		if t.message.Role() == session.RoleAssistant {
			a.assistant(t)
		} else if parts := a.parts(t.number, t.message); len(parts) > 0 {
			a.add(session.RoleUser, anthropicBlocks(parts)...)
		} else {
			a.report(t.number, "user message without content left out")
		}
	}
	json = json.raw("{")
	if o.System {
		if text := systemText(messages); text != "" {
			json = json.raw(`"system":`).quote(text).raw(",")
		}
	}
	return json.raw(`"messages":`).array(a.messages()).raw("}"), a.repairs()
}

type anthropicRequest struct {
	request
	thinker string // the model whose thinking is sent
	out     []anthropicMessage
}

// thinkerOf returns the provider and the model of the last reply that names its model, "" if none does.
func thinkerOf(messages []session.Message) (by string) {
	for _, m := range messages {
		if m.Role() == session.RoleAssistant && m.Str("model") != "" {
			by = modelOf(m)
		}
	}
	return by
}

func modelOf(m session.Message) string { return m.Str("provider") + "/" + m.Str("model") }

type anthropicMessage struct {
	role   string
	blocks []JSON
}

// add adds blocks to the last message if that is of the role, else to a new
// one.
func (a *anthropicRequest) add(role string, blocks ...JSON) {
	if len(blocks) == 0 {
		return
	}
	if len(a.out) == 0 && role != session.RoleUser {
		a.report(0, "conversation begins with an assistant message: a user message put before it")
		a.add(session.RoleUser, anthropicBlocks([]part{{text: omitted}})...)
	}
	if last := len(a.out) - 1; last >= 0 && a.out[last].role == role {
		a.out[last].blocks = append(a.out[last].blocks, blocks...)
		return
	}
	a.out = append(a.out, anthropicMessage{role, blocks})
}

func (a *anthropicRequest) messages() []JSON {
	out := make([]JSON, len(a.out))
	for i, m := range a.out {
		out[i] = JSON(nil).raw(`{"role":"` + m.role + `","content":`).array(m.blocks).raw("}")
	}
	return out
}

// assistant adds an assistant message and the results of its calls. To the API, text behind a call
// means that the call has no result, so text goes in front.
func (a *anthropicRequest) assistant(t *turn) {
	var said, calls []JSON
	firm := 0 // length of said without thinking at its end
	moved := false
	for b := range t.message.Blocks() {
		switch b.Type {
		case session.BlockText:
			if text := b.Str("text"); !a.api.empty(text) {
				said = append(said, textBlock(text))
				firm, moved = len(said), moved || len(calls) > 0
			}
		case session.BlockToolCall:
			calls = append(calls, a.toolUse(t.number, t.calls[len(calls)]))
		case session.BlockThinking, session.BlockEncrypted:
			block := thinking(t.message, b)
			switch {
			case block == nil:
			case t.message.Str("model") != "" && modelOf(t.message) != a.thinker:
				a.report(t.number, "thinking of another model left out")
			default:
				said, moved = append(said, block), moved || len(calls) > 0
			}
		default:
			a.leftOut(t.number, b)
		}
	}
	if len(calls) == 0 {
		said = said[:firm]
	}
	if moved {
		a.report(t.number, "text behind calls moved in front of them")
	}
	if len(said)+len(calls) == 0 {
		a.report(t.number, "assistant message without content left out")
	}
	a.add(session.RoleAssistant, append(said, calls...)...)
	a.add(session.RoleUser, a.toolResults(t)...)
}

func (a *anthropicRequest) toolUse(number int, c *call) JSON {
	a.name(number, c)
	return JSON(nil).raw(`{"type":"tool_use","id":`).quote(c.apiID).raw(`,"name":`).quote(c.apiName).
		raw(`,"input":`).raw(a.arguments(number, c)).raw("}")
}

// toolResults returns the results of a turn, and behind them the images that
// may not stand in the result of a failed call.
func (a *anthropicRequest) toolResults(t *turn) []JSON {
	var out, behind []JSON
	for _, res := range t.results {
		failed := res.number == 0 || res.message.Get("isError") == "true"
		texts, images := a.resultParts(res)
		var content []JSON
		for _, text := range texts {
			content = append(content, anthropicBlocks([]part{{text: text}})...)
		}
		if failed {
			behind = append(behind, anthropicBlocks(images)...)
		} else {
			content = append(content, anthropicBlocks(images)...)
		}
		block := JSON(nil).raw(`{"type":"tool_result","tool_use_id":`).quote(res.call.apiID)
		if failed && len(content) == 0 { // an error may not be empty
			content = anthropicBlocks([]part{{text: "(no output)"}})
		}
		if len(content) > 0 {
			block = block.raw(`,"content":`).array(content)
		}
		if failed {
			block = block.raw(`,"is_error":true`)
		}
		out = append(out, block.raw("}"))
	}
	return append(out, behind...)
}

func anthropicBlocks(parts []part) []JSON {
	blocks := make([]JSON, len(parts))
	for i, p := range parts {
		if p.image() {
			blocks[i] = JSON(nil).raw(`{"type":"image","source":{"type":"base64","media_type":`).quote(p.media).
				raw(`,"data":`).quote(p.data).raw(`}}`)
		} else {
			blocks[i] = textBlock(p.text)
		}
	}
	return blocks
}

package render

import (
	"fmt"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A turn is a user or an assistant message; an assistant's with its calls and
// their results.
type turn struct {
	number  int // of the message, from 1
	message session.Message
	calls   []*call
	results []result // in the order in which they came
}

// A call is a tool call of a turn.
type call struct {
	session.ToolCall
	apiID   string // in the request
	apiName string
}

// A result is the answer to a call. The number of one that had to be made up
// is 0.
type result struct {
	call    *call
	number  int
	message session.Message
}

// turns returns the turns of a request with one result for each of their calls,
// as [convo.Pair] finds them. System messages are passed over, and replies that
// failed are left out.
func (r *request) turns(messages []session.Message) []*turn {
	paired := convo.Pair(messages)
	var all []*turn
	open := -1 // the index of the last turn's message that will not be left out
	for i, m := range messages {
		switch m.Role() {
		case session.RoleSystem:
		case session.RoleToolResult:
			r.placed(i, open, paired[i].Reply, messages)
		case session.RoleAssistant:
			if m.Failed() {
				r.report(i+1, "assistant message with stopReason %s left out%s", m.Str("stopReason"), alsoResults(len(paired[i].Results)))
				continue
			}
			open = i
			all = append(all, r.replied(i, messages, paired[i]))
		default:
			open = i
			all = append(all, &turn{number: i + 1, message: m})
		}
	}
	return all
}

// placed reports a result that goes elsewhere than where it stands. Nothing is to
// be said of one whose reply is left out.
func (r *request) placed(i, open, reply int, messages []session.Message) {
	id := messages[i].Str("toolCallId")
	switch {
	case reply == convo.Doubled:
		r.report(i+1, "tool result dropped: call %q already has one", id)
	case reply == convo.Orphan:
		r.report(i+1, "tool result dropped: no call %q before it", id)
	case reply != open && !messages[reply].Failed():
		r.report(i+1, "tool result moved behind its call %q in message %d", id, reply+1)
	}
}

// replied returns the turn of a reply. Calls without a result are given one.
func (r *request) replied(i int, messages []session.Message, p convo.Paired) *turn {
	t := &turn{number: i + 1, message: messages[i]}
	for _, c := range p.Calls {
		t.calls = append(t.calls, &call{ToolCall: c})
	}
	for _, res := range p.Results {
		t.results = append(t.results, result{t.calls[res.Call], res.Message + 1, messages[res.Message]})
	}
	for _, n := range p.Unanswered() {
		r.report(t.number, "call %q has no result: %q put in", p.Calls[n].ID, convo.NoResult)
		t.results = append(t.results, result{call: t.calls[n]})
	}
	return t
}

func alsoResults(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return ", and the result of its call"
	}
	return fmt.Sprintf(", and %d results of its calls", n)
}

// name gives a call the id and the name it has in the request.
func (r *request) name(number int, c *call) {
	c.apiID, c.apiName = r.ids.name(c.ID), c.Name
	if !valid(c.Name, r.api.maxName, isNameByte) {
		c.apiName = fit(c.Name, r.api.maxName)
		r.report(number, "tool name %q replaced by %q", js.ValidText(c.Name), c.apiName)
	}
}

// resultParts returns the texts and the images of a result.
func (r *request) resultParts(res result) (texts []string, images []part) {
	if res.number == 0 {
		return []string{convo.NoResult}, nil
	}
	for _, p := range r.parts(res.number, res.message) {
		if p.image() {
			images = append(images, p)
		} else {
			texts = append(texts, p.text)
		}
	}
	return texts, images
}

// foreign are the beginnings of the names of APIs whose thinking Anthropic did
// not sign.
var foreign = []string{"openai", "azure-openai", "google", "mistral"}

// thinking returns a block of thinking in Anthropic's form: redacted thinking
// with its data, other thinking with its signature. It is nil
// for thinking that cannot be told without.
func thinking(m session.Message, b session.Block) JSON {
	for _, name := range foreign {
		if strings.HasPrefix(m.Str("api"), name) {
			return nil
		}
	}
	if data, ok := b.Encrypted(); ok {
		if data == "" {
			return nil
		}
		return JSON(nil).raw(`{"type":"redacted_thinking","data":`).quote(data).raw("}")
	}
	signature := b.Str("thinkingSignature")
	if signature == "" {
		return nil
	}
	return JSON(nil).raw(`{"type":"thinking","thinking":`).quote(b.Str("thinking")).
		raw(`,"signature":`).quote(signature).raw("}")
}

// A part is a text, or the image that media and data tell.
type part struct {
	text        string // valid UTF-8
	media, data string // of an image; the data is base64
}

func (p part) image() bool { return p.media != "" }

// parts returns the texts and images of a user message or a tool result.
func (r *request) parts(number int, m session.Message) []part {
	var parts []part
	for b := range m.Blocks() {
		switch b.Type {
		case session.BlockText:
			if text := js.ValidText(b.Str("text")); !r.api.empty(text) {
				parts = append(parts, part{text: text})
			}
		case session.BlockImage:
			parts = append(parts, r.image(number, b))
		default:
			r.leftOut(number, b)
		}
	}
	return parts
}

// leftOut reports a block that neither API has a form for.
func (r *request) leftOut(number int, b session.Block) {
	r.report(number, "block of type %q left out", b.Type)
}

// image returns an image block, or a text in its place if the API would refuse
// the whole request for its sake.
func (r *request) image(number int, b session.Block) part {
	media, data := b.Str("mimeType"), b.Str("data")
	why := ""
	switch {
	case strings.HasPrefix(data, "blob:"):
		why = convo.ImageOutside
	case !isBase64(data):
		why = "its data is no base64"
	case !r.api.media(media):
		why = fmt.Sprintf("the API does not take the media type %q", media)
	default:
		return part{media: media, data: data}
	}
	r.report(number, "a note put in the place of an image: %s", why)
	return part{text: convo.ImageLeftOut(why)}
}

// isBase64 reports whether s is standard base64 with padding, and not empty.
func isBase64(s string) bool {
	body := strings.TrimRight(s, "=")
	if s == "" || len(s)%4 != 0 || len(s)-len(body) > 2 {
		return false
	}
	for i := range len(body) {
		c := body[i]
		if !isNameByte(c) && c != '+' && c != '/' || c == '_' || c == '-' {
			return false
		}
	}
	return true
}

package compact

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Types of blocks in a message.
const (
	blockText  = "text"
	blockImage = "image"
)

// keepUser has the whole context summarized and keeps copies of the newest user
// messages. Where that would change nothing, because all there is are such
// messages, there is nothing to do; codex would ask for a summary.
func (p *Plan) keepUser(span []candidate, keep int64) error {
	if NothingNew(p.path) {
		return ErrNothing
	}
	p.Summarize = parts(span, Pi15)
	p.Copies = copies(p.Summarize, keep)
	same := func(a, b Part) bool { return a.Message.Raw() == b.Message.Raw() }
	if slices.EqualFunc(p.Summarize, p.Copies, same) {
		return ErrNothing
	}
	return nil
}

// copies returns the newest user messages that fit into keep tokens, oldest
// first, as codex 0.169 keeps them: neither what codex itself says in the user's
// name nor images. A token is four bytes of text in UTF-8, rounded up for each
// message. Of the first message that does not fit the middle is cut out; nothing
// older is kept.
func copies(all []Part, keep int64) (out []Part) {
	for _, p := range slices.Backward(all) {
		if keep <= 0 {
			break
		}
		if p.Message.Role() != session.RoleUser || isContextual(p.Message) {
			continue
		}
		m := textAlone(p.Message)
		text := m.Text("")
		tokens := (int64(len(text)) + 3) / 4
		if tokens > keep {
			m = withTexts(m, middleOut(text, int(keep)*4)...)
		}
		keep -= tokens
		out = append(out, Part{EntryID: p.EntryID, Message: m})
	}
	slices.Reverse(out)
	return out
}

// textAlone returns the message without images, and without the texts in which
// codex wraps an image. One that was an image alone has an empty text then.
func textAlone(m session.Message) session.Message {
	blocks := slices.Collect(m.Blocks())
	isImage := func(i int) bool { return i >= 0 && i < len(blocks) && blocks[i].Type == blockImage }
	var texts []string
	images := false
	for i, b := range blocks {
		switch text := b.Str("text"); {
		case isImage(i):
			images = true
		case isImage(i+1) && (text == "<image>" || strings.HasPrefix(text, "<image name=") && strings.HasSuffix(text, ">")),
			isImage(i-1) && text == "</image>":
		default:
			texts = append(texts, b.Raw())
		}
	}
	switch {
	case !images:
		return m
	case len(texts) == 0:
		return withTexts(m, "")
	}
	return withContent(m, "["+strings.Join(texts, ",")+"]")
}

// middleOut cuts the middle out of a text that is longer than so many bytes. Of
// the three parts, the beginning, a mark and the end, those that are empty are
// left out. A character that does not fit whole is cut out.
func middleOut(text string, bytes int) []string {
	head, tail := bytes/2, len(text)-bytes/2
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	mark := fmt.Sprintf("…%d tokens truncated…", (len(text)-bytes+3)/4)
	all := []string{text[:head], mark, text[tail:]}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// withTexts returns the message with these texts as its content.
func withTexts(m session.Message, texts ...string) session.Message {
	blocks := make([]string, len(texts))
	for i, text := range texts {
		blocks[i] = `{"type":"text","text":` + js.Quote(text) + `}`
	}
	return withContent(m, "["+strings.Join(blocks, ",")+"]")
}

// withContent returns the message with another content, its other members as
// they are.
func withContent(m session.Message, content string) session.Message {
	out := []byte{'{'}
	for key, value := range js.Members(m.Raw()) {
		if js.Unquote(key) == "content" {
			value = content
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return session.NewMessage(string(append(out, '}')))
}

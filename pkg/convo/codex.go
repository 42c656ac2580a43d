package convo

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// A CodexCopy is a message that codex keeps when it compacts.
type CodexCopy struct {
	Of      int // its number among all
	Message session.Message
}

// CodexKept returns the newest user messages that fit into keep tokens, oldest
// first, as codex 0.169 keeps them: neither what codex itself says in the user's
// name nor images. A token is four bytes of text in UTF-8, rounded up for each
// message. Of the first message that does not fit the middle is cut out; nothing
// older is kept.
func CodexKept(all []session.Message, keep int64) (out []CodexCopy) {
	for i, m := range slices.Backward(all) {
		if keep <= 0 {
			break
		}
		if m.Role() != session.RoleUser || typed.IsCodexContext(m) {
			continue
		}
		m = textAlone(m)
		text := m.Text("")
		tokens := (int64(len(text)) + 3) / 4
		if tokens > keep {
			m = withTexts(m, middleOut(text, int(keep)*4)...)
		}
		keep -= tokens
		out = append(out, CodexCopy{i, m})
	}
	slices.Reverse(out)
	return out
}

// textAlone returns the message without images, and without the texts in which
// codex wraps an image. One that was an image alone has an empty text then.
func textAlone(m session.Message) session.Message {
	blocks := slices.Collect(m.Blocks())
	isImage := func(i int) bool { return i >= 0 && i < len(blocks) && blocks[i].Type == session.BlockImage }
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
	return m.WithContent("[" + strings.Join(texts, ",") + "]")
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
		blocks[i] = session.TextBlock(js.Quote(text))
	}
	return m.WithContent("[" + strings.Join(blocks, ",") + "]")
}

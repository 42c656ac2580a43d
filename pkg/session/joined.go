package session

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// JoinTexts returns an assistant message in which texts that follow each other are one block, any other message as it is. APIs split a
// text where a part of it is cited, or give it in several parts of an output; their makers' libraries join them with nothing. A text
// with further members, such as a signature, stays a block.
func (m Message) JoinTexts() Message {
	content := m.Get("content")
	if m.Role() != RoleAssistant || strings.Count(content, `"text"`) < 4 { // two types and two members
		return m
	}
	var blocks []string
	var run []string // literals of texts that follow each other, without their quotes
	joined := false
	flush := func() {
		if len(run) > 0 {
			blocks = append(blocks, TextBlock(`"`+strings.Join(run, "")+`"`))
		}
		joined, run = joined || len(run) > 1, nil
	}
	for b := range m.Blocks() {
		if isPlain(b) {
			text := b.Get("text")
			run = append(run, text[1:len(text)-1])
			continue
		}
		flush()
		blocks = append(blocks, b.Raw())
	}
	if flush(); !joined {
		return m
	}
	return m.WithContent("[" + strings.Join(blocks, ",") + "]")
}

// isPlain reports whether a block is a text and nothing else.
func isPlain(b Block) bool {
	if b.Type != BlockText || !strings.HasPrefix(b.text, `"`) {
		return false
	}
	n := 0
	for range js.Value(b.Raw()).Members() {
		n++
	}
	return n == 2
}

package session

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// ImageChars is what an image costs in an estimate, in UTF-16 units.
const ImageChars = 4800

// An Estimator returns the tokens a message is estimated to cost.
type Estimator func(Message) int64

// Estimate returns the tokens a message is estimated to cost: its text in
// UTF-16 units divided by four, rounded up once (docs/formats/pi.md, tokens;
// the rules of pi 1.5).
func Estimate(m Message) int64 { return chars.tokens(m, ImageChars) }

// EstimateWithoutImages is Estimate by the rules of pi 0.73, where images in
// user messages cost nothing and system messages do not exist.
func EstimateWithoutImages(m Message) int64 {
	switch m.role {
	case RoleSystem:
		return 0
	case RoleUser:
		return chars.tokens(m, 0)
	}
	return Estimate(m)
}

// EstimateBytes returns the tokens a message is estimated to cost as codex
// estimates text: its bytes in UTF-8 divided by four, rounded up once. It counts
// the parts of a message that Estimate counts, images as much as there.
func EstimateBytes(m Message) int64 { return textBytes.tokens(m, ImageChars) }

// EstimateCJK is Estimate, but a character of Chinese, Japanese or Korean, or of
// full width, costs a whole token: a quarter is two to four times too little for
// the tokenizers in use.
func EstimateCJK(m Message) int64 { return wideChars.tokens(m, ImageChars) }

// A scale tells what the texts of a message cost, in quarters of a token.
type scale struct {
	literal func(lit string) int64   // the value of a JSON string literal
	value   func(value string) int64 // a JSON value, as JSON.stringify writes it
}

var (
	chars = &scale{
		literal: func(lit string) int64 { return int64(js.LenLiteral(lit)) },
		value:   func(value string) int64 { return int64(js.StringifyLen(value)) },
	}
	textBytes = &scale{
		literal: func(lit string) int64 { return int64(len(js.Unquote(lit))) },
		value:   func(value string) int64 { return int64(len(js.Stringify(value))) },
	}
	wideChars = &scale{
		literal: func(lit string) int64 { return wideQuarters(js.Unquote(lit)) },
		value:   func(value string) int64 { return wideQuarters(js.Stringify(value)) },
	}
)

// tokens is the one walk over the parts of a message. An image costs as many
// quarters as given.
func (s *scale) tokens(m Message, image int64) int64 { return (s.message(m, image) + 3) / 4 }

func (s *scale) message(m Message, image int64) int64 {
	switch m.role {
	case RoleUser, RoleToolResult, RoleCustom, RoleHookMessage, RoleDeveloper:
		return s.content(m, image)
	case RoleAssistant:
		return s.assistant(m)
	case RoleBashExecution:
		return s.str(m.Get("command")) + s.str(m.Get("output"))
	case RolePythonExecution:
		return s.str(m.Get("code")) + s.str(m.Get("output"))
	case RoleFileMention:
		var n int64
		for file := range blocks(m.Get("files")) {
			n += s.str(file.Get("content"))
			if _, ok := mentionedImage(file); ok {
				n += image
			}
		}
		return n
	case RoleBranchSummary, RoleCompactionSummary:
		return s.str(m.Get("summary"))
	case RoleSystem:
		return s.system(m)
	}
	return 0
}

func (s *scale) content(m Message, image int64) int64 {
	content := m.Get("content")
	if strings.HasPrefix(content, `"`) {
		return s.literal(content)
	}
	var n int64
	for b := range blocks(content) {
		switch b.Type {
		case "text":
			n += s.str(b.Get("text"))
		case "image":
			n += image
		}
	}
	return n
}

// assistant counts text, thinking and tool calls. Signatures, redacted data and
// images cost nothing.
func (s *scale) assistant(m Message) int64 {
	var n int64
	for b := range m.Blocks() {
		switch b.Type {
		case "text":
			n += s.str(b.Get("text"))
		case "thinking":
			n += s.str(b.Get("thinking"))
		case "toolCall":
			n += s.str(b.Get("name"))
			if args := b.Get("arguments"); args != "" {
				n += s.value(args)
			}
		}
	}
	return n
}

func (s *scale) system(m Message) int64 {
	n := s.content(m, ImageChars)
	if sections := m.Get("sections"); strings.HasPrefix(sections, "{") {
		for _, value := range js.Members(sections) {
			n += s.str(value)
		}
	}
	if added := m.Get("toolsAdded"); truthy(added) {
		n += s.value(added)
	}
	return n
}

// str is what a JSON text costs that is to be a string: nothing if it is none.
func (s *scale) str(raw string) int64 {
	if !strings.HasPrefix(raw, `"`) {
		return 0
	}
	return s.literal(raw)
}

// wideQuarters is the length of a text in UTF-16 units with each wide character
// as four.
func wideQuarters(text string) int64 {
	n := int64(js.Len(text))
	for _, r := range text {
		switch {
		case r < wide[0].first: // most text
		case !isWide(r):
		case r >= 0x10000:
			n += 4 - 2
		default:
			n += 4 - 1
		}
	}
	return n
}

// wide are the blocks of Unicode for the scripts of Chinese, Japanese and
// Korean, their punctuation, and the forms of other characters that are drawn
// as wide as theirs.
var wide = []struct{ first, last rune }{
	{0x1100, 0x11FF},   // Hangul Jamo
	{0x2E80, 0x303F},   // radicals, ideographic description, punctuation
	{0x3040, 0x33FF},   // Kana, Bopomofo, Hangul Compatibility Jamo, enclosed, squared
	{0x3400, 0x4DBF},   // Han, extension A
	{0x4E00, 0x9FFF},   // Han
	{0xA960, 0xA97F},   // Hangul Jamo, extended A
	{0xAC00, 0xD7FF},   // Hangul, Jamo extended B
	{0xF900, 0xFAFF},   // Han, compatibility
	{0xFE30, 0xFE4F},   // compatibility forms of punctuation
	{0xFF00, 0xFFEF},   // fullwidth and halfwidth forms
	{0x1AFF0, 0x1B16F}, // Kana, extended and supplement
	{0x1F200, 0x1F2FF}, // enclosed ideographs
	{0x20000, 0x3FFFF}, // Han, all further extensions
}

func isWide(r rune) bool {
	for _, b := range wide {
		if r <= b.last {
			return r >= b.first
		}
	}
	return false
}

package convo

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// ImageChars is what an image costs in an estimate, in UTF-16 units.
const ImageChars = 4800

// An Estimator returns the tokens a message is estimated to cost.
type Estimator func(session.Message) int64

// Estimate returns the tokens a message is estimated to cost: its text in
// UTF-16 units divided by four, rounded up once (docs/formats/pi.md, tokens;
// the rules of pi 1.5).
func Estimate(m session.Message) int64 { return chars.tokens(m) }

// EstimateBlock is Estimate of the message with this block as all of its content.
func EstimateBlock(m session.Message, b session.Block) int64 {
	if !slices.Contains(contentRoles, m.Role()) {
		return Estimate(m.WithContent("[" + b.Raw() + "]"))
	}
	return tokens(chars.block(m.Role(), b))
}

// EstimateBytes returns the tokens a message is estimated to cost as codex
// estimates text: its bytes in UTF-8 divided by four, rounded up once. It counts
// the parts of a message that Estimate counts, images as much as there.
func EstimateBytes(m session.Message) int64 { return textBytes.tokens(m) }

// EstimateCJK is Estimate, but a character of Chinese, Japanese or Korean, or of
// full width, costs a whole token: a quarter is two to four times too little for
// the tokenizers in use.
func EstimateCJK(m session.Message) int64 { return wideChars.tokens(m) }

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

// tokens is the one walk over the parts of a message.
func (s *scale) tokens(m session.Message) int64 { return tokens(s.message(m)) }

// tokens are so many quarters of a token.
func tokens(quarters int64) int64 { return (quarters + 3) / 4 }

// contentRoles are the roles of messages that cost what their content does.
var contentRoles = []string{session.RoleAssistant, session.RoleToolResult, session.RoleUser, session.RoleCustom, session.RoleHookMessage, session.RoleDeveloper}

func (s *scale) message(m session.Message) int64 {
	if slices.Contains(contentRoles, m.Role()) {
		return s.content(m)
	}
	switch m.Role() {
	case session.RoleBashExecution:
		return s.str(m.Get("command")) + s.str(m.Get("output"))
	case session.RolePythonExecution:
		return s.str(m.Get("code")) + s.str(m.Get("output"))
	case session.RoleFileMention:
		var n int64
		for file := range session.Blocks(m.Get("files")) {
			n += s.str(file.Get("content"))
			if _, ok := mentionedImage(file); ok {
				n += ImageChars
			}
		}
		return n
	case session.RoleBranchSummary, session.RoleCompactionSummary:
		return s.str(m.Get("summary"))
	case session.RoleSystem:
		return s.system(m)
	}
	return 0
}

func (s *scale) content(m session.Message) (n int64) {
	for b := range m.Blocks() {
		n += s.block(m.Role(), b)
	}
	return n
}

// block is what a block of a message costs. Of an assistant's text, thinking and tool calls do; signatures, redacted data and
// images cost nothing.
func (s *scale) block(role string, b session.Block) int64 {
	assistant := role == session.RoleAssistant
	switch {
	case b.Type == session.BlockText:
		return s.str(b.Get("text"))
	case b.Type == session.BlockImage && !assistant:
		return ImageChars
	case b.Type == session.BlockThinking && assistant:
		return s.str(b.Get("thinking"))
	case b.Type == session.BlockToolCall && assistant:
		n := s.str(b.Get("name"))
		if args := b.Get("arguments"); args != "" {
			n += s.value(args)
		}
		return n
	}
	return 0
}

func (s *scale) system(m session.Message) int64 {
	n := s.content(m)
	if sections := m.Get("sections"); strings.HasPrefix(sections, "{") {
		for _, value := range js.Members(sections) {
			n += s.str(value)
		}
	}
	if added := m.Get("toolsAdded"); js.Value(added).Truthy() {
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

// A ContextSize is the number of tokens of a context, and where the figure is from.
type ContextSize struct {
	Tokens    int64
	Usage     int64 // reported by the model at message LastUsage
	Trailing  int64 // estimated for the messages after it, or for all
	LastUsage int   // index of that message, -1 if none reported
}

// reported returns the size of a context as far as the last assistant message
// with a usage above 0 reports it.
func reported(messages []session.Message) ContextSize {
	for i := len(messages) - 1; i >= 0; i-- {
		if tokens, ok := ReportedContext(messages[i]); ok {
			return ContextSize{Usage: tokens, LastUsage: i}
		}
	}
	return ContextSize{LastUsage: -1}
}

// measured returns the size of a context whose usage still holds, if it has one.
func measured(messages []session.Message, estimate Estimator) ContextSize {
	size := reported(messages)
	for _, m := range messages[size.LastUsage+1:] {
		size.Trailing += estimate(m)
	}
	size.Tokens = size.Usage + size.Trailing
	return size
}

// finishedUsage is the usage of an assistant message that was not cut short.
func finishedUsage(m session.Message) (session.Usage, bool) {
	if m.Role() != session.RoleAssistant || m.Failed() {
		return session.Usage{}, false
	}
	return m.Usage()
}

// ReportedContext returns the size in tokens of the context that an assistant
// message ended, by the usage it reports. ok is false for other messages, for
// one that was cut short by an error or the user, and without a usage above 0.
func ReportedContext(m session.Message) (tokens int64, ok bool) {
	u, ok := finishedUsage(m)
	if !ok || u.ContextTokens() < 1 {
		return 0, false
	}
	return u.ContextTokens(), true
}

// MeasureProjection returns the size of a projected context by the rules of pi
// 1.5: the usage that the last assistant message reports plus estimates of what
// follows, or estimates alone. A usage from before the newest compaction or
// context_edit of the path is of another context; then all is estimated.
func MeasureProjection(projection []Projected, path []session.Entry, estimate Estimator) ContextSize {
	messages := MessagesOf(projection)
	if last := reported(messages).LastUsage; last >= 0 {
		id := owner(projection, last)
		if slices.IndexFunc(path, func(e session.Entry) bool { return e.ID() == id }) > lastInvalidating(path) {
			return measured(messages, estimate)
		}
	}
	size := ContextSize{LastUsage: -1, Trailing: EstimateContext(messages, estimate)}
	size.Tokens = size.Trailing
	return size
}

// owner returns the id of the entry that message n of a projection is from.
func owner(projection []Projected, n int) string {
	for _, p := range projection {
		if n -= len(p.Messages); n < 0 {
			return p.Entry.ID()
		}
	}
	return ""
}

// EstimateContext returns the estimated size of a whole context, in tokens. Its
// system messages count as the one message that [FoldSystem] makes of them (pi 1.5).
func EstimateContext(messages []session.Message, estimate Estimator) (tokens int64) {
	if system, ok := FoldSystem(messages); ok {
		tokens = estimate(system)
	}
	for _, m := range messages {
		if m.Role() != session.RoleSystem {
			tokens += estimate(m)
		}
	}
	return tokens
}

func lastInvalidating(path []session.Entry) int {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Type() == session.TypeContextEdit || path[i].Type() == session.TypeCompaction {
			return i
		}
	}
	return -1
}

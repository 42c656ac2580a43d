package session

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// ImageChars is what an image costs in an estimate, in UTF-16 units.
const ImageChars = 4800

// Estimate returns the tokens a message is estimated to cost: its text in
// UTF-16 units divided by four, rounded up once (docs/formats/pi.md, tokens;
// the rules of pi 1.5).
func Estimate(m Message) int64 { return (chars(m, ImageChars) + 3) / 4 }

// EstimateWithoutImages is Estimate by the rules of pi 0.73, where images in
// user messages cost nothing and system messages do not exist.
func EstimateWithoutImages(m Message) int64 {
	switch m.role {
	case RoleSystem:
		return 0
	case RoleUser:
		return (chars(m, 0) + 3) / 4
	}
	return Estimate(m)
}

// chars returns a message's length in UTF-16 units.
func chars(m Message, image int64) int64 {
	switch m.role {
	case RoleUser, RoleToolResult, RoleCustom, RoleHookMessage, RoleDeveloper:
		return contentChars(m, image)
	case RoleAssistant:
		return assistantChars(m)
	case RoleBashExecution:
		return literalLen(m.Get("command")) + literalLen(m.Get("output"))
	case RolePythonExecution:
		return literalLen(m.Get("code")) + literalLen(m.Get("output"))
	case RoleFileMention:
		var n int64
		for file := range blocks(m.Get("files")) {
			n += literalLen(file.Get("content"))
		}
		return n
	case RoleBranchSummary, RoleCompactionSummary:
		return literalLen(m.Get("summary"))
	case RoleSystem:
		return systemChars(m)
	}
	return 0
}

func contentChars(m Message, image int64) int64 {
	content := m.Get("content")
	if strings.HasPrefix(content, `"`) {
		return literalLen(content)
	}
	var n int64
	for b := range blocks(content) {
		switch b.Type {
		case "text":
			n += literalLen(b.Get("text"))
		case "image":
			n += image
		}
	}
	return n
}

// assistantChars counts text, thinking and tool calls. Signatures, redacted
// data and images cost nothing.
func assistantChars(m Message) int64 {
	var n int64
	for b := range m.Blocks() {
		switch b.Type {
		case "text":
			n += literalLen(b.Get("text"))
		case "thinking":
			n += literalLen(b.Get("thinking"))
		case "toolCall":
			n += literalLen(b.Get("name"))
			if args := b.Get("arguments"); args != "" {
				n += int64(js.StringifyLen(args))
			}
		}
	}
	return n
}

func systemChars(m Message) int64 {
	n := contentChars(m, ImageChars)
	if sections := m.Get("sections"); strings.HasPrefix(sections, "{") {
		for _, value := range js.Members(sections) {
			n += literalLen(value)
		}
	}
	if added := m.Get("toolsAdded"); truthy(added) {
		n += int64(js.StringifyLen(added))
	}
	return n
}

// literalLen is the length of a JSON string literal's value, 0 for any other
// JSON text.
func literalLen(raw string) int64 {
	if !strings.HasPrefix(raw, `"`) {
		return 0
	}
	return int64(js.LenLiteral(raw))
}

// A ContextSize is how many tokens a context has, and where the figure is from.
type ContextSize struct {
	Tokens    int64
	Usage     int64 // reported by the model at message LastUsage
	Trailing  int64 // estimated for the messages after it, or for all
	LastUsage int   // index of that message, -1 if none reported
}

// Measure returns the size of a context: the usage the last assistant message
// reports plus estimates of what follows, or estimates alone.
func Measure(messages []Message) ContextSize { return measure(messages, Estimate, 1) }

// MeasureWithoutImages is Measure by the rules of pi 0.73, which also believes
// a usage of zero.
func MeasureWithoutImages(messages []Message) ContextSize {
	return measure(messages, EstimateWithoutImages, 0)
}

func measure(messages []Message, estimate func(Message) int64, least int64) ContextSize {
	size := ContextSize{LastUsage: -1}
	for i := len(messages) - 1; i >= 0; i-- {
		if u, ok := messages[i].finishedUsage(); ok && u.ContextTokens() >= least {
			size.Usage, size.LastUsage = u.ContextTokens(), i
			break
		}
	}
	for _, m := range messages[size.LastUsage+1:] {
		size.Trailing += estimate(m)
	}
	size.Tokens = size.Usage + size.Trailing
	return size
}

// MeasureProjection returns the size of a projected context. A usage that was
// reported before the newest compaction or context_edit of the path speaks of
// another context; then all is estimated (pi 1.5).
func MeasureProjection(projection []Projected, path []Entry) ContextSize {
	var messages []Message
	var owner []string // entry id of each message
	for _, p := range projection {
		for _, m := range p.Messages {
			messages = append(messages, m)
			owner = append(owner, p.Entry.id)
		}
	}
	size := Measure(messages)
	if size.LastUsage >= 0 && position(path, owner[size.LastUsage]) > lastInvalidating(path) {
		return size
	}
	size = ContextSize{LastUsage: -1}
	if system, ok := FoldSystem(messages); ok {
		size.Trailing = Estimate(system)
	}
	for _, m := range messages {
		if m.role != RoleSystem {
			size.Trailing += Estimate(m)
		}
	}
	size.Tokens = size.Trailing
	return size
}

func position(path []Entry, id string) int {
	for i, e := range path {
		if e.id == id {
			return i
		}
	}
	return -1
}

func lastInvalidating(path []Entry) int {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].typ == TypeContextEdit || path[i].typ == TypeCompaction {
			return i
		}
	}
	return -1
}

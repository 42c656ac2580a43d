package convo

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Kind returns the kind of an entry for people: the role of its message, else its type, else "(no type)".
// Control characters are left in it.
func Kind(e session.Entry) string {
	if m, ok := e.Message(); ok && m.Role() != "" {
		return m.Role()
	}
	if e.Type() == "" {
		return "(no type)"
	}
	return e.Type()
}

// EntryTokens returns the tokens an entry is estimated to cost while it is in the
// context; see [Estimate].
func EntryTokens(e session.Entry) int64 {
	var n int64
	for _, m := range EntryMessages(e) {
		n += Estimate(m)
	}
	return n
}

// told names, by entry type, the members that tell what an entry says, the most
// telling first.
var told = map[string][]string{
	session.TypeCompaction:    {"summary"},
	session.TypeBranchSummary: {"summary"},
	session.TypeModelChange:   {"modelId", "model"},
	session.TypeThinkingLevel: {"thinkingLevel"},
	session.TypeLabel:         {"label"},
	session.TypeSessionInfo:   {"name"},
	session.TypeCustom:        {"customType"},
	session.TypeContextEdit:   {"targetId"},
	session.TypeUsage:         {"kind"},
	session.TypeModelUsage:    {"purpose"},
	session.TypeSessionInit:   {"task", "systemPrompt"},
	session.TypeModeChange:    {"mode"},
	session.TypeServiceTier:   {"serviceTier"},
	session.TypeTitleChange:   {"title"},
	session.TypeCredentialPin: {"provider"},
}

// Say returns the words of an entry for people, whole and as they stand in the file: the text of
// its message, without words of an agent that stand beside others, and failing that the other parts
// of the message; or the member that tells most of an entry of another type. It may be "".
func Say(e session.Entry) string {
	switch e.Type() {
	case session.TypeMessage:
		m, _ := e.Message()
		if said, _, _ := m.Said(); m.Harness() == "" {
			m = said
		}
		return messageText(m)
	case session.TypeCustomMessage:
		for _, m := range EntryMessages(e) {
			return messageText(m)
		}
	}
	for _, name := range told[e.Type()] {
		if s := e.Str(name); s != "" {
			return s
		}
	}
	return ""
}

func messageText(m session.Message) string {
	switch m.Role() {
	case session.RoleBashExecution:
		return "$ " + m.Str("command")
	case session.RolePythonExecution:
		return m.Str("code")
	case session.RoleFileMention:
		return mentions(m)
	}
	if text := m.Text("\n"); strings.TrimSpace(text) != "" {
		return text
	}
	return otherBlocks(m)
}

// otherBlocks tells what a message without text consists of: its calls, each
// with arguments, or else its thinking, or that it is an image or was an error.
func otherBlocks(m session.Message) string {
	var calls, rest []string
	for b := range m.Blocks() {
		switch b.Type {
		case session.BlockToolCall:
			calls = append(calls, strings.TrimSpace(b.Str("name")+" "+b.Get("arguments")))
		case session.BlockThinking:
			rest = append(rest, b.Str("thinking"))
		case session.BlockImage:
			rest = append(rest, "[image]")
		default:
			if p, ok := b.Provided(); ok {
				calls = append(calls, strings.TrimSpace(p.Name+" "+p.Arguments))
			}
		}
	}
	if len(calls) > 0 {
		rest = calls
	}
	if len(rest) == 0 {
		return m.Str("errorMessage")
	}
	return strings.Join(rest, "\n")
}

func mentions(m session.Message) string {
	var paths []string
	raw := m.Get("files")
	if !strings.HasPrefix(raw, "[") {
		return ""
	}
	for file := range js.Elements(raw) {
		for key, value := range js.Members(file) {
			if key == `"path"` && strings.HasPrefix(value, `"`) {
				paths = append(paths, js.Unquote(value))
			}
		}
	}
	return strings.Join(paths, "\n")
}

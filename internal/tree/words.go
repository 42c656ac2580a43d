package tree

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Kind returns what an entry is for people: the role of its message, or else
// its type, or else that it has none. It is not clean.
func Kind(e session.Entry) string {
	if m, ok := e.Message(); ok && m.Role() != "" {
		return m.Role()
	}
	if e.Type() == "" {
		return "(no type)"
	}
	return e.Type()
}

// Tokens returns the tokens an entry is estimated to cost while it is in the
// context; see [convo.Estimate].
func Tokens(e session.Entry) int64 {
	var n int64
	for _, m := range convo.EntryMessages(e) {
		n += convo.Estimate(m)
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

// Text returns what an entry says, whole and as it stands in the file: the text
// of its message, and failing that what else the message is made of; or the
// member that tells most of an entry of another type. It may be "".
func Text(e session.Entry) string {
	switch e.Type() {
	case session.TypeMessage:
		m, _ := e.Message()
		return messageText(m)
	case session.TypeCustomMessage:
		for _, m := range convo.EntryMessages(e) {
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
		case "toolCall":
			calls = append(calls, strings.TrimSpace(b.Str("name")+" "+b.Get("arguments")))
		case "thinking":
			rest = append(rest, b.Str("thinking"))
		case "image":
			rest = append(rest, "[image]")
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

// maxWords is the length in characters of what is shown of a text.
const maxWords = 60

// words returns the beginning of a text on one line, fit for a terminal: at
// most maxWords characters, and then the mark more, which stands for the rest.
// White space is a single space; everything else that could act is made visible.
func words(text, more string) string {
	text = js.ValidText(text)
	var b strings.Builder
	shown, space := 0, false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			space = shown > 0
			i += size
			continue
		}
		piece := tty.Clean(text[i : i+size])
		if space {
			piece = " " + piece
		}
		if shown += utf8.RuneCountInString(piece); shown > maxWords {
			return b.String() + more
		}
		b.WriteString(piece)
		space = false
		i += size
	}
	return b.String()
}

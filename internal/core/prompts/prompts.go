package prompts

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A Message is what matters of a message of the user. It keeps nothing of the entry alive,
// whose images may be large.
type Message struct {
	ID    string
	texts []string
}

// Read returns what matters of an entry; ok is false if it says itself that it is no
// prompt.
func Read(e session.Entry) (said Message, ok bool) {
	m, isMessage := e.Message()
	if !isMessage || m.Role() != session.RoleUser || js.Value(m.Get("synthetic")).Truthy() || m.Str("attribution") == "agent" {
		return Message{}, false
	}
	for line := range e.KeptLines("claude") {
		if line.Get("isSidechain").Truthy() { // Claude Code speaks to a sub-agent
			return Message{}, false
		}
	}
	said.ID = strings.Clone(e.ID())
	m, _, _ = m.Said()
	for b := range m.Blocks() {
		if b.Type == session.BlockText {
			said.texts = append(said.texts, strings.Clone(b.Str("text")))
		}
	}
	return said, len(said.texts) > 0
}

// Text returns the text of a prompt: its texts without those that a program wrote, with
// line feeds between. ok is false if the message is no prompt, or one without text.
func (said Message) Text() (text string, ok bool) {
	var texts []string
	for _, one := range said.texts {
		if !fromProgram(one) {
			texts = append(texts, one)
		}
	}
	text = js.ValidText(strings.Join(texts, "\n"))
	return text, strings.TrimSpace(text) != ""
}

// fromProgram reports whether a program wrote a text of a user message. What an importer
// has not marked may still be told by its form: not every writer of sessions marks.
func fromProgram(text string) bool {
	if convo.IsAgentText(text) {
		return true
	}
	if _, ok := convo.CodexSummary(text); ok {
		return true
	}
	text = strings.TrimSpace(text)
	return slices.ContainsFunc(continuations, func(begin string) bool { return strings.HasPrefix(text, begin) })
}

// continuations begin the texts with which a conversation goes on after a compaction. A
// model needs them.
var continuations = []string{
	"This session is being continued from a previous conversation that ran out of context.",
	"Continue if you have next steps",
}

// Normal returns the form by which prompts are the same: line ends are line feeds, and
// white space at the ends of lines and of the text does not count. It is that in which
// oh-my-pi stores them.
func Normal(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		cut, ended := strings.CutSuffix(line, "\n")
		b.WriteString(js.TrimEnd(cut))
		if ended {
			b.WriteByte('\n')
		}
	}
	return js.Trim(b.String())
}

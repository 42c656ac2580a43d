package compact

import (
	"encoding/xml"
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

// codexSummary begins the user message in which codex hands on a summary.
const codexSummary = "Another language model started to solve this problem and produced a summary of its thinking process. " +
	"You also have access to the state of the tools that were used by that language model. " +
	"Use this to build on the work that has already been done and avoid duplicating work. " +
	"Here is the summary produced by the other language model, use the information in this summary to assist with your own analysis:\n"

// wrappers enclose what codex itself says in the user's name, in any case of
// letters.
var wrappers = []struct{ start, end string }{
	{"# AGENTS.md instructions", "</INSTRUCTIONS>"},
	{"<environment_context>", "</environment_context>"},
	{"<agent_message_board_notification>", "</agent_message_board_notification>"},
	{"<skill>", "</skill>"},
	{"<user_shell_command>", "</user_shell_command>"},
	{"<turn_aborted>", "</turn_aborted>"},
	{"<subagent_notification>", "</subagent_notification>"},
	{"<recommended_plugins>", "</recommended_plugins>"},
}

// exactWrappers are those where the case of letters counts. The warnings are no
// longer written, but still known.
var exactWrappers = []struct{ start, end string }{
	{"<goal_context>", "</goal_context>"},
	{"Warning: The maximum number of unified exec processes you can keep open is", ""},
	{"Warning: apply_patch was requested via ", "Use the apply_patch tool instead of exec_command."},
	{"Warning: Your account was flagged for potentially high-risk cyber activity", ""},
}

// internalContext begins a text that an extension of codex put in.
var internalContext = lazily(`^<codex_internal_context source="[a-z][a-z0-9_]*">`)

// isContextual reports whether codex takes a user message for something the user
// did not write: its own context or an earlier summary. One such text is enough.
func isContextual(m session.Message) bool {
	if strings.HasPrefix(m.Text(""), codexSummary) {
		return true
	}
	for b := range m.Blocks() {
		if b.Type == blockText && contextualText(strings.TrimSpace(b.Str("text"))) {
			return true
		}
	}
	return false
}

func contextualText(text string) bool {
	for _, w := range wrappers {
		if len(text) >= len(w.start)+len(w.end) && strings.EqualFold(text[:len(w.start)], w.start) &&
			strings.EqualFold(text[len(text)-len(w.end):], w.end) {
			return true
		}
	}
	for _, w := range exactWrappers {
		if strings.HasPrefix(text, w.start) && strings.HasSuffix(text, w.end) {
			return true
		}
	}
	if rest, ok := strings.CutPrefix(text, "<external_"); ok {
		if name, value, ok := strings.Cut(rest, ">"); ok && strings.HasSuffix(value, "</external_"+name+">") {
			return true
		}
	}
	return internalContext().MatchString(text) && strings.HasSuffix(text, "</codex_internal_context>") || isHookPrompt(text)
}

// isHookPrompt reports whether the text begins with an element of any name that
// has the attribute of a hook's prompt and some text.
func isHookPrompt(text string) bool {
	if !strings.HasPrefix(text, "<") || !strings.Contains(text, "hook_run_id") {
		return false
	}
	var prompt struct {
		ID   string `xml:"hook_run_id,attr"`
		Text string `xml:",chardata"`
	}
	err := xml.NewDecoder(strings.NewReader(text)).Decode(&prompt)
	return err == nil && strings.TrimSpace(prompt.ID) != "" && strings.TrimSpace(prompt.Text) != ""
}

// FromCodex reports whether codex takes a text that is part of a user message for
// one that it put there itself.
func FromCodex(text string) bool { return contextualText(strings.TrimSpace(text)) }

// CodexSummary takes apart the text in which codex hands on a summary; ok is false
// for any other text.
func CodexSummary(text string) (summary string, ok bool) {
	return strings.CutPrefix(text, codexSummary)
}

// CodexKept returns the user messages that codex keeps when it compacts, of all user
// messages of a context: see [KeepUser].
func CodexKept(messages []session.Message, tokens int64) []session.Message {
	all := make([]Part, len(messages))
	for i, m := range messages {
		all[i].Message = m
	}
	var out []session.Message
	for _, p := range copies(all, tokens) {
		out = append(out, p.Message)
	}
	return out
}

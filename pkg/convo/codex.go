package convo

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
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
		if m.Role() != session.RoleUser || IsCodexContext(m) {
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

// summaryLead begins the user message in which codex hands on a summary.
const summaryLead = "Another language model started to solve this problem and produced a summary of its thinking process. " +
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
var internalContext = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^<codex_internal_context source="[a-z][a-z0-9_]*">`)
})

// IsCodexContext reports whether codex takes a user message for something the user
// did not write: its own context or an earlier summary. One such text is enough.
func IsCodexContext(m session.Message) bool {
	if strings.HasPrefix(m.Text(""), summaryLead) {
		return true
	}
	for b := range m.Blocks() {
		if b.Type == session.BlockText && IsCodexText(b.Str("text")) {
			return true
		}
	}
	return false
}

// IsCodexText reports whether codex takes a text that is part of a user message for
// one that it put there itself.
func IsCodexText(text string) bool {
	text = strings.TrimSpace(text)
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

// CodexSummary takes apart the text in which codex hands on a summary; ok is false
// for any other text.
func CodexSummary(text string) (summary string, ok bool) { return strings.CutPrefix(text, summaryLead) }

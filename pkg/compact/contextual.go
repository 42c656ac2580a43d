package compact

import (
	"encoding/xml"
	"regexp"
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

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
var internalContext = regexp.MustCompile(`^<codex_internal_context source="[a-z][a-z0-9_]*">`)

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
	return internalContext.MatchString(text) && strings.HasSuffix(text, "</codex_internal_context>") || isHookPrompt(text)
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

package convo

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Notes are words that agents put into a conversation in the user's name, counted. The
// zero value is none.
type Notes struct {
	Count  int   // messages that are nothing else, and messages with such blocks
	Bytes  int64 // of their texts
	agents []string
}

// Add counts what an agent said, of so many bytes.
func (n *Notes) Add(agent string, size int64) {
	n.Plus(Notes{Count: 1, Bytes: size, agents: []string{agent}})
}

// Plus counts other notes as well.
func (n *Notes) Plus(others Notes) {
	n.Count += others.Count
	n.Bytes += others.Bytes
	for _, agent := range others.agents {
		if !slices.Contains(n.agents, agent) {
			n.agents = append(n.agents, agent)
		}
	}
}

// Agents returns whose words they are, each agent once.
func (n Notes) Agents() []string { return n.agents }

// String returns the notes for people, as "9 notes of Claude Code, 11.5 kB".
func (n Notes) String() string {
	names := make([]string, len(n.agents))
	for i, agent := range n.agents {
		names[i] = session.AgentName(agent)
	}
	noun := "notes"
	if n.Count == 1 {
		noun = "note"
	}
	return fmt.Sprintf("%d %s of %s, %s", n.Count, noun, strings.Join(names, " and "), SizeText(n.Bytes))
}

// SizeText returns a number of bytes for people, in powers of 1000: "11.5 kB".
func SizeText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// WithoutHarness returns what a projection shows to anybody but the agent that it is of:
// without the words that agents put in. Entries that said nothing else have no messages
// in it. The projection given stays as it is.
func WithoutHarness(projection []Projected) ([]Projected, Notes) {
	var notes Notes
	out := projection
	for i, p := range projection {
		messages, own := Spoken(p.Messages)
		if own.Count == 0 {
			continue
		}
		if notes.Count == 0 {
			out = slices.Clone(projection)
		}
		notes.Plus(own)
		out[i].Messages = messages
	}
	return out, notes
}

// Spoken returns messages without the words that agents put in, and what these were.
// The messages given stay as they are.
func Spoken(messages []session.Message) ([]session.Message, Notes) {
	var notes Notes
	out := messages
	for i, m := range messages {
		said, agent, left := m.Said()
		if agent == "" {
			if notes.Count > 0 {
				out = append(out, m)
			}
			continue
		}
		if notes.Count == 0 {
			out = slices.Clone(messages[:i])
		}
		if notes.Add(agent, left); m.Harness() == "" {
			out = append(out, said)
		}
	}
	return out, notes
}

// Prompt returns the text of an entry that the user typed, with line feeds between its blocks; ok
// is false if there is none. A message of role user is no prompt if
//
//   - it says so itself: oh-my-pi writes "synthetic", or "agent" as its attribution;
//   - an importer has marked it as words of an agent ([session.Message.Said]) or as a copy
//     ([session.Entry.IsCopy]), or kept a line of Claude Code of a sidechain, unless that is a side question;
//   - all of its text has a form that programs write. Not every writer of sessions marks.
//
// A frame that a program put around the words of the user is no part of the prompt, see [Framed].
//
// Commands of the user (bashExecution), custom messages and summaries have roles or types
// of their own, and are no prompts either. The text keeps nothing of the entry alive, whose
// images may be large.
func Prompt(e session.Entry) (text string, ok bool) {
	m, isMessage := e.Message()
	if !isMessage || m.Role() != session.RoleUser || e.IsCopy() || js.Value(m.Get("synthetic")).Truthy() || m.Str("attribution") == "agent" {
		return "", false
	}
	for line := range e.KeptLines("claude") {
		if line.Get("isSidechain").Truthy() && !strings.HasPrefix(line.Get("agentId").Str(), "aside_question-") { // Claude Code speaks to a sub-agent
			return "", false
		}
	}
	var texts []string
	m, _, _ = m.Said()
	for b := range m.Blocks() {
		if text := b.Str("text"); b.Type == session.BlockText && !isProgramText(text) {
			_, words := Framed(text)
			texts = append(texts, words)
		}
	}
	text = strings.Clone(js.ValidText(strings.Join(texts, "\n")))
	return text, strings.TrimSpace(text) != ""
}

// isProgramText reports whether a program wrote a text of a user message: an agent, the program that
// compacted the conversation, or the one that handed it over.
func isProgramText(text string) bool {
	_, isSummary := CodexSummary(text)
	return isSummary || IsAgentText(text) || hasForm(strings.TrimSpace(text), continuations) || isNote(text)
}

// A form is how a text begins and ends that an agent writes in the user's name.
type form struct {
	begin, end string
	fold       bool // whatever the case of the letters
}

var forms = []form{
	{"<command-name>", ">", false},
	{"<command-message>", ">", false},
	{"<command-args>", ">", false},
	{"<local-command-caveat>", ">", false},
	{"<local-command-stdout>", ">", false},
	{"<local-command-stderr>", ">", false},
	{"<bash-input>", "</bash-input>", false},
	{"<bash-stdout>", ">", false},
	{"<bash-stderr>", ">", false},
	{"<user-prompt-submit-hook>", ">", false},
	{"<task-notification>", "", false}, // words behind its end tell where its output is
	{`{"task_id":"`, `"}`, false},      // the same, in 2.1.37 to 2.1.49
	{"<teammate-message ", "</teammate-message>", false},
	{"Stop hook feedback:\n", "", false},
	{"<image name=[Image", ">", false}, // codex, in front of an image and behind it
	{"</image>", "</image>", false},
	{"<system-reminder>", "</system-reminder>", false},
	{"<system-notification>", "</system-notification>", false},
	{"<ide_opened_file>", "</ide_opened_file>", false},
	{"<ide_selection>", "</ide_selection>", false},
	{"<user_instructions>", "</user_instructions>", false}, // codex, until 2025
	{"Caveat: The messages below were generated by the user while running local commands.", "", false},
	{"[Request interrupted by user", "]", false},
}

// codexForms are those of codex. The warnings are no longer written, but still known.
var codexForms = []form{
	{"# AGENTS.md instructions", "</INSTRUCTIONS>", true},
	{"<environment_context>", "</environment_context>", true},
	{"<agent_message_board_notification>", "</agent_message_board_notification>", true},
	{"<skill>", "</skill>", true},
	{"<user_shell_command>", "</user_shell_command>", true},
	{"<turn_aborted>", "</turn_aborted>", true},
	{"<subagent_notification>", "</subagent_notification>", true},
	{"<recommended_plugins>", "</recommended_plugins>", true},
	{"<goal_context>", "</goal_context>", false},
	{"Warning: The maximum number of unified exec processes you can keep open is", "", false},
	{"Warning: apply_patch was requested via ", "Use the apply_patch tool instead of exec_command.", false},
	{"Warning: Your account was flagged for potentially high-risk cyber activity", "", false},
}

// continuations begin the texts with which a conversation goes on after a compaction. A
// model needs them.
var continuations = []form{
	{"This session is being continued from a previous conversation that ran out of context.", "", false},
	{"Continue if you have next steps", "", false},
}

// requestHeading ends the frame that codex Desktop and the extensions of codex for editors put in front of a prompt: sections on
// files, a browser, open tabs and the selection.
const requestHeading = "\n## My request for Codex:\n"

// Framed divides a text of a user message into the frame that a program put in front of the words of the user, and these
// words. Together they are the text. All of a text that an agent wrote is frame.
func Framed(text string) (frame, words string) {
	if IsAgentText(text) {
		return text, ""
	}
	words = text
	for {
		element, rest, closed := strings.Cut(words, "</system-reminder>")
		if !closed || !strings.HasPrefix(strings.TrimSpace(element), "<system-reminder>") {
			break
		}
		words = rest
	}
	if at := strings.Index(words, requestHeading); at >= 0 && strings.HasPrefix(strings.TrimSpace(words), "# ") {
		words = words[at+len(requestHeading):]
	}
	if len(words) < len(text) {
		words = strings.TrimLeft(words, " \t\r\n")
	}
	return text[:len(text)-len(words)], words
}

// FramedBlocks returns a block of a user message, a JSON object, as the blocks that its text is divided into by [Framed]:
// what the agent wrote is marked, see [session.HarnessBlock].
func FramedBlocks(block, agent string) []string {
	b := session.NewBlock(block)
	frame, words := "", ""
	if b.Type == session.BlockText {
		frame, words = Framed(b.Str("text"))
	}
	switch {
	case frame == "":
		return []string{block}
	case words == "":
		return []string{session.HarnessBlock(block, agent)}
	}
	return []string{session.HarnessBlock(session.TextBlock(js.Quote(frame)), agent), session.TextBlock(js.Quote(words))}
}

func hasForm(text string, forms []form) bool {
	return slices.ContainsFunc(forms, func(f form) bool {
		if !f.fold {
			return strings.HasPrefix(text, f.begin) && strings.HasSuffix(text, f.end)
		}
		return len(text) >= len(f.begin)+len(f.end) && strings.EqualFold(text[:len(f.begin)], f.begin) &&
			strings.EqualFold(text[len(text)-len(f.end):], f.end)
	})
}

// IsHarnessText reports whether a text that stands in a message of the user's has a form in which
// agents write, Claude Code above all: reminders, notices, wrappers of commands and of their
// output. Importers mark such texts, see [session.HarnessBlock].
func IsHarnessText(text string) bool {
	return hasForm(strings.TrimSpace(text), forms)
}

// IsAgentText reports whether a text that stands in a message of the user's has a form in which
// any agent writes: those of [IsHarnessText] and [IsCodexText].
func IsAgentText(text string) bool { return IsHarnessText(text) || IsCodexText(text) }

// summaryLead begins the user message in which codex hands on a summary.
const summaryLead = "Another language model started to solve this problem and produced a summary of its thinking process. " +
	"You also have access to the state of the tools that were used by that language model. " +
	"Use this to build on the work that has already been done and avoid duplicating work. " +
	"Here is the summary produced by the other language model, use the information in this summary to assist with your own analysis:\n"

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
	if hasForm(text, codexForms) {
		return true
	}
	if rest, ok := strings.CutPrefix(text, "<external_"); ok {
		if name, value, ok := strings.Cut(rest, ">"); ok && strings.HasSuffix(value, "</external_"+name+">") {
			return true
		}
	}
	return strings.HasPrefix(text, "<codex_internal_context") && internalContext().MatchString(text) && strings.HasSuffix(text, "</codex_internal_context>") || isHookPrompt(text)
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

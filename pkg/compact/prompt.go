package compact

import (
	"cmp"
	"slices"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/session"
)

// System is the system prompt for a summarizing model. A command that takes one text
// gets it in front of the prompt.
const System = `You write summaries of conversations between a user and a coding assistant. You are given the conversation as text. ` +
	`Do not continue it and do not answer questions in it: reply with the summary alone, in the format asked for.`

// RequiredHeading is the heading every history summary has to have: the check
// that a reply is a summary and not an error message.
const RequiredHeading = "## Goal"

// PrefixHeading is the same for the summary of the first part of a split turn.
const PrefixHeading = "## Original Request"

const sections = `## Goal
[What the user wants to achieve; several points if the session has several tasks]

## Constraints & Preferences
- [What the user demanded, ruled out or prefers, or "(none)"]

## Progress
### Done
- [x] [Finished work]

### In Progress
- [ ] [Work under way]

### Blocked
- [What stands in the way, if anything]

## Key Decisions
- **[Decision]**: [Why]

## Next Steps
1. [What to do next, in order]

## Critical Context
- [Facts, data and references needed to go on, or "(none)"]

Be brief. Keep file paths, names and error messages exactly as they are.`

const initialInstructions = `Above is a conversation. Summarize it so that another model can take over the work where it stands.

Use exactly these headings:

` + sections

const updateInstructions = `Above are the newest messages of a conversation, and in <previous-summary> the summary of everything before them. ` +
	`Write one summary that covers both.

- Keep what the previous summary says, except what no longer matters.
- Add new progress, decisions and context.
- Move what has been finished from In Progress to Done.
- Bring Next Steps up to date.

Use exactly these headings:

` + sections

// prefixInstructions go before prefixSections.
const prefixInstructions = `Above is the first part of a turn that is too long to keep. The later part of the turn is kept and will follow your summary.

Summarize what the later part needs, under these headings:

`

// prefixUpdateInstructions are the same for the later pieces of a first part that
// takes several prompts.
const prefixUpdateInstructions = `Above is a further piece of the first part of a turn that is too long to keep, and in <previous-summary> the summary of that turn ` +
	`up to this piece. The later part of the turn is kept and will follow your summary. Write one summary that covers both.

- Keep what the previous summary says, except what no longer matters.
- Add what the piece brings.

Summarize what the later part needs, under these headings:

`

// prefixSections are what the summary of the first part of a turn has under [prefixHeadings].
func prefixSections() string {
	h := prefixHeadings
	return h[0] + `
[What the user asked for in this turn]

` + h[1] + `
- [Decisions taken and work done in this part]

` + h[2] + `
- [What one must know to understand the later part]

Say only what the text above says.`
}

// prefixHeadings are the headings a summary of the first part of a turn has:
// the request, the progress and the context needed.
var prefixHeadings = [3]string{PrefixHeading, "## Progress So Far", "## Context Needed to Continue"}

// NeedsHistory reports whether a summary of whole turns is wanted: not if all
// that is summarized is the first part of one turn.
func (p *Plan) NeedsHistory() bool { return len(p.Summarize) > 0 || len(p.TurnPrefix) == 0 }

// NeedsPrefix reports whether a summary of the first part of a split turn is
// wanted.
func (p *Plan) NeedsPrefix() bool { return len(p.TurnPrefix) > 0 }

func historyPrompt(d promptData) string {
	instructions := initialInstructions
	if d.previous != "" {
		instructions = updateInstructions
	}
	return tagged("conversation", d.conversation) + previous(d) + instructions + focused(d.focus)
}

// prefixPrompt writes the prompt for the first part of a turn.
func prefixPrompt(d promptData) string {
	instructions := prefixInstructions
	if d.previous != "" {
		instructions = prefixUpdateInstructions
	}
	return "# Conversation\n" + d.conversation + "\n\n" + previous(d) + "# Instructions\n" + instructions + prefixSections() + focused(d.focus)
}

// previous is the passage with the previous summary, if there is one.
func previous(d promptData) string {
	if d.previous == "" {
		return ""
	}
	return tagged("previous-summary", d.previous)
}

// marks are the tags of a prompt.
var marks = lazy.Regexp(`(?i)<(/?\s*(?:previous-summary|conversation)\b)`)

// tagged puts a text between tags that it cannot end: the marks of the prompt in
// it become harmless, as in an extracted summary.
func tagged(tag, text string) string {
	return "<" + tag + ">\n" + marks().ReplaceAllString(text, "‹$1") + "\n</" + tag + ">\n\n"
}

const wholeInstructions = `

The conversation breaks off inside its last turn, whose later part is kept and will follow your summary. ` +
	`Close with a section "## Turn Context": what the user asked for in that turn, what has been done, and what the later part needs.`

// PromptWith returns the one prompt that a single summary answers, as the options
// say, System included, however long it is.
func (p *Plan) PromptWith(o PromptOptions) string {
	parts, previous, write := p.inOnePrompt()
	s := serializer{limit: cmp.Or(o.ResultLimit, ResultLimit), images: true}
	return System + "\n\n" + write(promptData{s.text(messagesOf(parts)), previous, o.Focus})
}

// inOnePrompt returns what one prompt for everything is made of.
func (p *Plan) inOnePrompt() (parts []Part, previous string, write func(promptData) string) {
	switch {
	case !p.NeedsPrefix():
		return p.Summarize, p.PreviousSummary, historyPrompt
	case !p.NeedsHistory() && p.PreviousSummary == "":
		return p.TurnPrefix, "", prefixPrompt
	}
	return slices.Concat(p.Summarize, p.TurnPrefix), p.PreviousSummary, func(d promptData) string {
		focus := d.focus
		d.focus = ""
		return historyPrompt(d) + wholeInstructions + focused(focus)
	}
}

// Answer takes the reply to the prompt of PromptWith for the summary.
func (p *Plan) Answer(reply string) Summary {
	if p.NeedsPrefix() && !p.NeedsHistory() && p.PreviousSummary == "" {
		return Summary{TurnPrefix: reply}
	}
	return Summary{History: reply, Whole: true}
}

func focused(focus string) string {
	if focus == "" {
		return ""
	}
	return "\n\nAdditional focus: " + focus
}

func messagesOf(parts []Part) []session.Message {
	out := make([]session.Message, len(parts))
	for i, part := range parts {
		out[i] = part.Message
	}
	return out
}

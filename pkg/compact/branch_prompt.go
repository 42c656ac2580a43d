package compact

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// branchInstructions ask for the headings of a history summary without the
// last: what a branch found out that matters elsewhere is decisions.
const branchInstructions = `Above is a branch of a conversation that is left behind: the work goes on from an earlier point. ` +
	`Summarize the branch so that what was tried and learned on it is not lost.

Use exactly these headings:

## Goal
[What the user wanted to achieve on this branch]

## Constraints & Preferences
- [What the user demanded, ruled out or prefers, or "(none)"]

## Progress
### Done
- [x] [Finished work]

### In Progress
- [ ] [Work begun and not finished]

### Blocked
- [What stood in the way, if anything]

## Key Decisions
- **[Decision]**: [Why]

## Next Steps
1. [What would come next on this branch, in order]

Be brief. Keep file paths, names and error messages exactly as they are.`

// Prompt returns the prompt for the summary of the branch. Focus is added as
// further instructions, if any.
func (b *Branch) Prompt(focus string) string {
	return branchPrompt(PromptData{Conversation: serialize(messagesOf(b.Parts), b.rules), Instructions: focus})
}

// branchContinued is said of a chunk of a branch that is too long for one prompt.
const branchContinued = `The summary in <previous-summary> is of the messages of the same branch before these: write one summary that covers both.

`

func branchPrompt(d PromptData) string {
	continued := ""
	if d.PreviousSummary != "" {
		continued = branchContinued
	}
	return tagged("conversation", d.Conversation) + previous(d) + continued + branchInstructions + focused(d.Instructions)
}

// Request returns what has to be asked for the summary of the branch. If it fits
// into one prompt and has no image, that is Prompt.
func (b *Branch) Request(o PromptOptions) *Request {
	return NewRequest(Subject{
		Part: PartBranch, Heading: b.Heading(), Parts: b.Parts, Files: b.Files, Rules: b.rules, Prompt: branchPrompt,
	}, o)
}

// Heading returns the heading a summary of the branch has to have.
func (b *Branch) Heading() string { return RequiredHeading }

// ExtractBranch makes a summary of the branch without a model, as Extract does
// for a compaction, and within the same bounds. The headings are those of the
// branch's prompt. Unlike a model it also reads the tool results between the
// parts, which tell what worked.
func ExtractBranch(b *Branch) string {
	d := b.earlier()
	d.next = nil // of what was done since
	heard := b.heard()
	d.read(partsOf(heard))
	if request := lastRequest(heard); request != "" {
		d.next = slices.Insert(d.next, 0, request) // a plan has less than a full list
	}
	text := d.text()
	// Items are one line each, so this is where the last section begins.
	if at := strings.LastIndex(text, "\n\n"+outline[len(outline)-1].heading+"\n"); at >= 0 {
		text = text[:at]
	}
	return text
}

// earlier returns the items of the summaries among the parts: of the newest
// compaction, which speaks of all before it, and of the branches summarized
// since.
func (b *Branch) earlier() digest {
	var d digest
	for _, p := range b.Parts {
		switch p.Message.Role() {
		case session.RoleCompactionSummary:
			d = gist(p.Message.Str("summary"))
		case session.RoleBranchSummary:
			nested := gist(p.Message.Str("summary"))
			for _, s := range outline {
				if s.items == nil {
					continue
				}
				for _, item := range *s.items(&nested) {
					s.items(&d).add(item)
				}
			}
		}
	}
	return d
}

// gist returns the items of a summary. The first line of one without headings
// is the goal, since a branch's summary has no section for what is left.
func gist(summary string) digest {
	d := carried(strings.TrimPrefix(summary, branchPreface))
	if len(d.goal) == 0 && len(d.context) > 0 {
		d.goal = d.context[:1:1]
	}
	return d
}

// heard returns the entries of the parts and of the tool results among them.
func (b *Branch) heard() []convo.Projected {
	var out []convo.Projected
	if len(b.Parts) == 0 {
		return out
	}
	edits := b.edits()
	for _, e := range b.Entries {
		if len(out) == 0 && e.ID() != b.Parts[0].EntryID {
			continue
		}
		if p, ok := branchPart(e, edits); ok {
			out = append(out, convo.Projected{Entry: e, Messages: []session.Message{p.Message}})
		}
	}
	return out
}

func partsOf(projection []convo.Projected) []Part {
	var out []Part
	for _, p := range projection {
		for _, m := range p.Messages {
			out = append(out, Part{EntryID: p.Entry.ID(), Message: m})
		}
	}
	return out
}

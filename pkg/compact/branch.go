package compact

import (
	"slices"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// DefaultBranchWindow is the context window, in tokens, that pi assumes for a
// model whose window it does not know. The budget of a branch summary is the
// window less DefaultReserve.
const DefaultBranchWindow = 128000

// BranchOptions say how much of a branch to summarize.
type BranchOptions struct {
	Budget   int64                       // tokens of messages, the newest first; 0 or less means no limit
	Estimate func(session.Message) int64 // size of a message in tokens; nil means [convo.Estimate]
}

// A Branch is the end of a path that is left behind when the work goes on from
// another entry, and what a summary of it speaks of (docs/formats/pi.md).
type Branch struct {
	From string // id of the last entry of the path that is left

	// Target is the id of the entry the summary hangs from, "" for a new root.
	// NewBranch takes the last entry of the target's path. Where pi goes back to
	// what the user said, to have it said anew, it hangs the summary from the
	// parent of that entry: set Target to that.
	Target   string
	Ancestor string          // id of the last entry the two paths share, "" if they share none
	Entries  []session.Entry // behind the ancestor, oldest first
	Parts    []Part          // the messages among them within the budget, oldest first
	Files    FileOps         // of the parts, and of all earlier branch summaries
	Tokens   int64           // estimated size of the parts
	Dropped  int             // older messages that did not fit the budget
}

// NewBranch finds the entries that are left behind when the leaf moves from the end of one path to
// the end of another; both begin at the root. Either may be empty. The error is ErrNothing if the
// target's path goes through the old leaf.
//
// Tool results are not summarized, compactions and earlier branch summaries
// are, and they do not end the branch. The newest messages that fit the budget
// are taken; a compaction or branch summary that does not fit is taken
// as well as long as less than nine tenths of the budget are used.
func NewBranch(oldPath, targetPath []session.Entry, o BranchOptions) (*Branch, error) {
	b := &Branch{From: lastID(oldPath), Target: lastID(targetPath)}
	at := make(map[string]int, len(oldPath))
	for i, e := range oldPath {
		at[e.ID()] = i
	}
	b.Entries = oldPath
	for _, e := range slices.Backward(targetPath) {
		if i, ok := at[e.ID()]; ok {
			b.Ancestor, b.Entries = e.ID(), oldPath[i+1:]
			break
		}
	}
	if b.From == "" || len(b.Entries) == 0 {
		return nil, ErrNothing
	}
	b.gather(o)
	return b, nil
}

func lastID(path []session.Entry) string {
	if len(path) == 0 {
		return ""
	}
	return path[len(path)-1].ID()
}

// gather walks back from the newest entry until the budget is used. It counts
// the files a message names before it looks whether the message fits, as pi
// does.
func (b *Branch) gather(o BranchOptions) {
	estimate := estimateOf(o.Estimate)
	var files fileSet
	for _, e := range b.Entries {
		if e.Type() == session.TypeBranchSummary {
			files.carry(e)
		}
	}
	edits, full := b.edits(), false
	for _, e := range slices.Backward(b.Entries) {
		p, ok := branchPart(e, edits)
		if !ok || p.Message.Role() == session.RoleToolResult {
			continue
		}
		if full {
			b.Dropped++
			continue
		}
		files.collect([]Part{p})
		tokens := estimate(p.Message)
		full = o.Budget > 0 && b.Tokens+tokens > o.Budget
		if full && !(isSummary(e) && float64(b.Tokens) < float64(o.Budget)*0.9) {
			b.Dropped++
			continue
		}
		b.Parts = append(b.Parts, p)
		b.Tokens += tokens
	}
	slices.Reverse(b.Parts)
	b.Files = files.ops()
}

func isSummary(e session.Entry) bool {
	return e.Type() == session.TypeCompaction || e.Type() == session.TypeBranchSummary
}

// edits returns the newest context_edit of the branch for each entry that has
// one.
func (b *Branch) edits() map[string]session.Entry {
	edits := map[string]session.Entry{}
	for _, e := range b.Entries {
		if e.Type() == session.TypeContextEdit {
			edits[e.Str("targetId")] = e
		}
	}
	return edits
}

// branchPart returns the message of an entry, if it has one.
func branchPart(e session.Entry, edits map[string]session.Entry) (Part, bool) {
	messages := convo.EntryMessages(e)
	if edit, ok := edits[e.ID()]; ok {
		messages = convo.Project([]session.Entry{e, edit})[0].Messages
	}
	if messages, _ = convo.Spoken(messages); len(messages) == 0 {
		return Part{}, false
	}
	// A compaction may have the system message in front of its summary.
	return Part{EntryID: e.ID(), Message: messages[len(messages)-1]}, true
}

// Empty reports whether there is nothing to summarize: the branch has no
// messages, none that a model gets to read, or the newest is larger than the
// budget, in which case Dropped is not 0. No model need be asked then.
func (b *Branch) Empty() bool {
	for _, p := range b.Parts {
		if serialize([]session.Message{p.Message}) != "" {
			return false
		}
	}
	return true
}

// What pi writes in front of the summary of a branch, and in place of one. Both
// are data: other programs show them to people and models.
const (
	branchPreface = "The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n"
	branchEmpty   = "No content to summarize"
)

// Text returns the summary as the entry holds it, with pi's first sentence and
// the file lists at its end. For an empty branch it is pi's text that says so,
// whatever the summary.
func (b *Branch) Text(summary string) string {
	if b.Empty() {
		return branchEmpty
	}
	return branchPreface + summary + b.Files.Text()
}

// Fields returns the fields of the branch_summary entry, in pi's order, to be
// added behind Target. Details are further members of the entry's details.
func (b *Branch) Fields(summary string, details []js.Field) []js.Field {
	from := b.From
	if from == "" {
		from = "root"
	}
	var files FileOps
	if !b.Empty() {
		files = b.Files
	}
	return []js.Field{
		js.StringField("fromId", from),
		js.StringField("summary", b.Text(summary)),
		{Name: "details", Raw: detailsOf(files, details)},
		{Name: "fromHook", Raw: "false"},
	}
}

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
	return branchPrompt(promptData{conversation: serialize(messagesOf(b.Parts)), focus: focus})
}

// branchContinued is said of a chunk of a branch that is too long for one prompt.
const branchContinued = `The summary in <previous-summary> is of the messages of the same branch before these: write one summary that covers both.

`

func branchPrompt(d promptData) string {
	continued := ""
	if d.previous != "" {
		continued = branchContinued
	}
	return tagged("conversation", d.conversation) + previous(d) + continued + branchInstructions + focused(d.focus)
}

// Request returns what has to be asked for the summary of the branch. If it fits
// into one prompt and has no image, that is Prompt.
func (b *Branch) Request(o PromptOptions) *Request {
	return newRequest(subject{PartBranch, b.Heading(), b.Parts, "", branchPrompt}, o)
}

// Heading returns the heading a summary of the branch has to have.
func (b *Branch) Heading() string { return RequiredHeading }

// Heard returns the parts with the tool results between them, which no prompt has, but which tell what worked.
func (b *Branch) Heard() []Part {
	var out []Part
	if len(b.Parts) == 0 {
		return out
	}
	edits := b.edits()
	for _, e := range b.Entries {
		if len(out) == 0 && e.ID() != b.Parts[0].EntryID {
			continue
		}
		if p, ok := branchPart(e, edits); ok {
			out = append(out, p)
		}
	}
	return out
}

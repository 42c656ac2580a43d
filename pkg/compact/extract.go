package compact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Bounds of an extracted summary. They keep a summary of summaries from
// growing.
const (
	extractItems = 12  // list items a section
	extractUnits = 240 // UTF-16 units an item
	subjectUnits = 120 // UTF-16 units of a command or path within an item
)

// Extract makes a summary without a model. It quotes: what the user asked for
// and ruled out, which files were changed, which commands ran with what status,
// what failed, and where the work stands. The headings are those a model is
// asked for. The items of a previous summary are carried on, the first goal for
// good; nothing new to read leaves them as they are. Each section has at most
// 12 items of at most 240 UTF-16 units, and the same plan always gives the same
// text.
//
// The summary's Details mark it with "summarizer":"extractive".
func Extract(p *Plan) Summary {
	s := Summary{Details: []session.Field{session.StringField("summarizer", "extractive")}}
	switch {
	case p.NeedsHistory():
		s.History = p.extractHistory(p.Summarize)
	case p.PreviousSummary != "":
		// The previous summary would stand in front of that of the turn as it
		// is, so that every compaction within turns adds to it. One extract of
		// both is bounded.
		s.History, s.Whole = p.extractHistory(p.TurnPrefix), true
	}
	if p.NeedsPrefix() && !s.Whole {
		var d digest
		d.read(p.TurnPrefix)
		s.TurnPrefix = d.prefixText(prefixHeadings(p.rules))
	}
	return s
}

func (p *Plan) extractHistory(parts []Part) string {
	d := carried(p.PreviousSummary)
	d.read(parts)
	if request := p.lastRequest(); request != "" && len(parts) > 0 {
		d.next = items{"Go on with: " + request}
	}
	return d.text()
}

// lastRequest returns the beginning of what the user last said on the path,
// which as a rule is in the part that is kept.
func (p *Plan) lastRequest() string {
	projection := session.Project(p.path)
	for _, e := range slices.Backward(projection) {
		for _, m := range slices.Backward(e.Messages) {
			if m.Role() != session.RoleUser {
				continue
			}
			if line := firstLine(m.Text("\n")); line != "" {
				return shorten(line, extractUnits/2)
			}
		}
	}
	return ""
}

// A digest gathers the items of a summary by section.
type digest struct {
	goal, constraints, done, progress, blocked, decisions, next, context items
}

// A section is a heading of a summary with the bullet of its items and the
// place they are gathered in, nil for a heading over other headings.
type section struct {
	heading, bullet string
	items           func(d *digest) *items
}

// outline is the order of a summary's sections, as prompts ask for them.
var outline = []section{
	{RequiredHeading, "- ", func(d *digest) *items { return &d.goal }},
	{"## Constraints & Preferences", "- ", func(d *digest) *items { return &d.constraints }},
	{"## Progress", "", nil},
	{"### Done", "- [x] ", func(d *digest) *items { return &d.done }},
	{"### In Progress", "- [ ] ", func(d *digest) *items { return &d.progress }},
	{"### Blocked", "- ", func(d *digest) *items { return &d.blocked }},
	{"## Key Decisions", "- ", func(d *digest) *items { return &d.decisions }},
	{"## Next Steps", "1. ", func(d *digest) *items { return &d.next }},
	{"## Critical Context", "- ", func(d *digest) *items { return &d.context }},
}

func (d *digest) text() string {
	var b strings.Builder
	for i, s := range outline {
		if i > 0 && outline[i-1].items != nil {
			b.WriteByte('\n')
		}
		b.WriteString(s.heading + "\n")
		if s.items != nil {
			list := *s.items(d)
			list.write(&b, s.bullet)
			writeNone(&b, len(list))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// prefixText is the text for the first part of a turn: the request, the
// progress, and what else to know.
func (d *digest) prefixText(headings [3]string) string {
	var b strings.Builder
	b.WriteString(headings[0] + "\n")
	d.goal.write(&b, "- ")
	writeNone(&b, len(d.goal))
	b.WriteString("\n" + headings[1] + "\n")
	d.done.write(&b, "- [x] ")
	d.progress.write(&b, "- [ ] ")
	writeNone(&b, len(d.done)+len(d.progress))
	b.WriteString("\n" + headings[2] + "\n")
	d.constraints.write(&b, "- ")
	d.blocked.write(&b, "- ")
	d.context.write(&b, "- ")
	writeNone(&b, len(d.constraints)+len(d.blocked)+len(d.context))
	return strings.TrimSuffix(b.String(), "\n")
}

// none stands for the items of an empty section.
const none = "(none)"

func writeNone(b *strings.Builder, n int) {
	if n == 0 {
		b.WriteString("- " + none + "\n")
	}
}

// items is the bounded list of one section.
type items []string

func (l items) write(b *strings.Builder, bullet string) {
	for i, item := range l {
		if bullet == "1. " {
			b.WriteString(strconv.Itoa(i+1) + ". " + item + "\n")
		} else {
			b.WriteString(bullet + item + "\n")
		}
	}
}

// add adds an item once. Of too many the first stays, since it tells what the
// session is about, and the newest.
func (l *items) add(item string) {
	item = shorten(item, extractUnits)
	if item == "" || item == none || slices.Contains(*l, item) {
		return
	}
	*l = append(*l, item)
	if len(*l) > extractItems {
		*l = slices.Delete(*l, 1, 2)
	}
}

// set adds subject, which ends in a colon, and what is said about it, in place of
// what was said before.
func (l *items) set(subject, what string) {
	l.drop(subject)
	l.add(subject + " " + what)
}

// drop removes what is said about subject.
func (l *items) drop(subject string) {
	*l = slices.DeleteFunc(*l, func(item string) bool { return strings.HasPrefix(item, subject) })
}

// firstLine returns the first line of a text that is not blank.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// shorten makes a text one line of at most limit UTF-16 units.
func shorten(s string, limit int) string {
	s = strings.TrimSpace(strings.NewReplacer("\n", " ", "\r", " ").Replace(s))
	if js.Len(s) <= limit {
		return s
	}
	return strings.TrimSpace(js.Head(s, limit-1)) + "…"
}

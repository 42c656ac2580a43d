package compact

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Bounds of an extracted summary. They keep a summary of summaries from
// growing.
const (
	extractItems = 12  // list items a section
	extractUnits = 240 // UTF-16 units an item quotes
	subjectUnits = 120 // UTF-16 units of a command, path or request within an item
	refLength    = 36  // UTF-16 units of an entry id an item names: a UUID at most
)

// Extract makes a summary without a model. It quotes: what the user asked for
// and ruled out, what the assistant reported, decided, asked and planned, which
// files were changed, which commands ran with what status and what went wrong,
// and where the work stands. The headings are those a model is asked for. What
// is quoted ends in the id of its entry, as in "- Fix the parser [a1b2c3d4]".
//
// The items of a previous summary are carried on with their ids, the first goal
// for good; nothing new to read leaves them as they are. Each section has at
// most 12 items that quote at most 240 UTF-16 units, and the text as a whole is
// below 28,000 UTF-16 units, that of a split turn beside it again. Quotes are one
// line without control characters or the tags around summaries, so that nothing
// in them passes for the summary's own structure. The same plan always gives the
// same text.
//
// The summary's Details mark it with "summarizer":"extractive".
func Extract(p *Plan) Summary {
	s := Summary{Details: []js.Field{js.StringField("summarizer", "extractive")}}
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
	d := p.previousItems()
	d.read(p.unread(parts))
	if len(parts) == 0 {
		return d.text()
	}
	projection := convo.Project(p.path)
	if e, m := p.following(projection, parts); m.Role() == session.RoleUser && !isContextual(m) {
		d.entry = e
		d.reply(m.Text("\n"))
	}
	if request := lastRequest(projection); request != "" {
		d.next.drop(goOn)
		d.next = slices.Insert(d.next, 0, request)
		d.next = d.next[:min(len(d.next), extractItems)]
	}
	return d.text()
}

// following returns the message behind the parts, and the id of its entry.
func (p *Plan) following(projection []convo.Projected, parts []Part) (entry string, m session.Message) {
	if len(p.TurnPrefix) > 0 && len(parts) == len(p.Summarize) {
		return p.TurnPrefix[0].EntryID, p.TurnPrefix[0].Message
	}
	kept := false
	for _, e := range projection {
		kept = kept || p.FirstKept != "" && e.Entry.ID() == p.FirstKept
		if kept && len(e.Messages) > 0 {
			return e.Entry.ID(), e.Messages[0]
		}
	}
	return "", session.Message{}
}

const goOn = "Go on with: "

// lastRequest returns an item with the beginning of what the user last said on
// the path, which as a rule is in the part that is kept. "Yes" says nothing by
// itself: then it has the question too, or is the request before.
func lastRequest(projection []convo.Projected) (item string) {
	terseLine := "" // what the user says next
	for _, e := range slices.Backward(projection) {
		for _, m := range slices.Backward(e.Messages) {
			switch {
			case m.Role() == session.RoleAssistant:
				if q := lastQuestion(m.Text("\n")); q != "" && terseLine != "" {
					return cite(goOn+terseLine+" (asked: "+shorten(q, subjectUnits)+")", e.Entry.ID())
				}
				continue
			case m.Role() != session.RoleUser || isContextual(m):
				continue
			}
			line := shorten(requestLine(m.Text("\n")), subjectUnits)
			if line != "" && (item == "" || !terse(line)) {
				item = cite(goOn+line, e.Entry.ID())
			}
			if line != "" && !terse(line) {
				return item
			}
			terseLine = shorten(line, subjectUnits/2)
		}
	}
	return item
}

// A digest gathers the items of a summary by section.
type digest struct {
	goal, constraints, done, progress, blocked, decisions, next, context items

	entry    string          // id of the entry that is being read
	asking   []string        // questions of the user that no text has answered yet
	silent   bool            // the assistant ended its turn without an answer
	working  bool            // the assistant has not ended its turn
	looks    map[string]bool // whether an item of context tells of a command that only looks
	requests int             // how many the user made
	planned  int             // how many before the newest plan
	since    map[string]int  // how many before an item of blocked
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
	rules := slices.DeleteFunc(slices.Clone(d.constraints), func(item string) bool { return slices.Contains(d.goal, item) })
	rest := slices.Concat(rules, d.decisions, d.blocked, d.next, d.context)
	rest.write(&b, "- ")
	writeNone(&b, len(rest))
	return strings.TrimSuffix(b.String(), "\n")
}

// none stands for the items of an empty section.
const none = "(none)"

func writeNone(b *strings.Builder, n int) {
	if n == 0 {
		b.WriteString("- " + none + "\n")
	}
}

package compact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/ansi"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// Bounds of an extracted summary. They keep a summary of summaries from
// growing.
const (
	extractItems = 12  // list items a section
	extractUnits = 240 // UTF-16 units an item quotes
	subjectUnits = 120 // UTF-16 units of a command, path or request within an item
	refLength    = 36  // UTF-16 units of an entry id an item names: a UUID at most
)

// Extract makes a summary without a model. It quotes: the user's requests and prohibitions, the
// assistant's reports, decisions, questions and plans, the files that were changed, the commands
// with their statuses and failures, and the state of the work. The headings are those a model is
// asked for. A quotation ends in the id of its entry, as in "- Fix the parser [a1b2c3d4]".
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
	projection, _ := convo.WithoutHarness(convo.Project(p.path))
	if e, m := p.following(projection, parts); m.Role() == session.RoleUser && !typed.IsCodexContext(m) {
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
			case m.Role() != session.RoleUser || typed.IsCodexContext(m):
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

// previous returns the compaction the plan follows.
func (p *Plan) previous() (e session.Entry, ok bool) {
	if p.PreviousSummary == "" {
		return e, false
	}
	for _, e := range slices.Backward(p.path) {
		if e.Type() == session.TypeCompaction && e.Str("summary") == p.PreviousSummary {
			return e, true
		}
	}
	return e, false
}

// previousItems returns a digest with the items of the summary the plan follows.
// The file lists at its end are taken off by what the compaction says they are:
// the name of a file can look like anything, the end of a list included.
func (p *Plan) previousItems() digest {
	summary := p.PreviousSummary
	if e, ok := p.previous(); ok {
		var files fileSet
		files.carry(e)
		summary = strings.TrimSuffix(summary, files.ops().Text())
	}
	return carried(summary)
}

// unread returns the parts without the copies that the compaction before kept
// (KeepUser): their originals have been read.
func (p *Plan) unread(parts []Part) []Part {
	e, ok := p.previous()
	if !ok {
		return parts
	}
	details := e.Get("details")
	if !strings.HasPrefix(details, "{") {
		return parts
	}
	copies := map[string]bool{}
	for pair := range js.Elements(session.NewMessage(details).Get("kept")) {
		if ids := stringList(pair); len(ids) > 0 {
			copies[ids[0]] = true
		}
	}
	if len(copies) == 0 {
		return parts
	}
	return slices.DeleteFunc(slices.Clone(parts), func(part Part) bool { return copies[part.EntryID] })
}

// carried returns a digest with the items of a previous summary: of an extract, of a
// model that kept to the headings, or of one that did not, whose lines become context.
func carried(summary string) digest {
	var d digest
	into, checked := &d.context, false
	for line := range strings.Lines(withoutFileLists(summary)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line == turnRule || line == turnTitle || line == noHistory:
			continue
		case strings.HasPrefix(line, "#"):
			into, checked = d.under(line)
			continue
		}
		item, to := withoutBullet(line), into
		if checked {
			switch rest, done := strings.CutPrefix(item, "[x] "); {
			case done:
				item, to = rest, &d.done
			case strings.HasPrefix(item, "[ ] "):
				item, to = item[len("[ ] "):], &d.progress
			}
		}
		pinned := 0
		if to == &d.goal {
			pinned = 1 // the request of a split turn stands behind the goals
		}
		to.put(strings.TrimSpace(item), pinned, nil)
	}
	return d
}

// under returns where the items under a heading belong, and whether they are
// told apart by check boxes.
func (d *digest) under(heading string) (into *items, checked bool) {
	for _, s := range outline {
		if s.heading == heading && s.items != nil {
			into = s.items(d)
			return into, into == &d.done || into == &d.progress
		}
	}
	for _, rules := range []Rules{Pi15, Pi073} {
		switch h := prefixHeadings(rules); heading {
		case h[0]:
			return &d.goal, false
		case h[1]:
			return &d.done, true
		}
	}
	return &d.context, false
}

// withoutBullet returns a line of a list without its bullet or number.
func withoutBullet(line string) string {
	if rest, ok := strings.CutPrefix(line, "- "); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(line, "* "); ok {
		return rest
	}
	if number, rest, ok := strings.Cut(line, ". "); ok && number != "" && strings.Trim(number, "0123456789") == "" {
		return rest
	}
	return line
}

// items is the bounded list of one section. An item is a line of text, mostly
// with the id of the entry it quotes at its end: "text [a1b2c3d4]".
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

// add adds an item once, whatever entry it comes from. Of too many the oldest
// goes.
func (l *items) add(item string) { l.put(item, 0, nil) }

// put is add, but the first pinned items stay, and those that are light go
// before others.
func (l *items) put(item string, pinned int, light func(text string) bool) {
	text, ref := reference(item)
	text = shorten(text, extractUnits)
	if text == "" || text == none || l.index(text) >= 0 {
		return
	}
	*l = append(*l, text+ref)
	if len(*l) <= extractItems {
		return
	}
	at := pinned
	if light != nil {
		if i := l.light(pinned, light); i >= 0 {
			at = i
		}
	}
	*l = slices.Delete(*l, at, at+1)
}

// light returns where the oldest light item behind the pinned ones is, -1 if
// there is none.
func (l items) light(pinned int, light func(text string) bool) int {
	for i, item := range l[pinned:] {
		if text, _ := reference(item); light(text) {
			return pinned + i
		}
	}
	return -1
}

// atMost leaves of the items that are light the newest n.
func (l *items) atMost(n int, light func(text string) bool) {
	for i := len(*l) - 1; i >= 0; i-- {
		if text, _ := reference((*l)[i]); !light(text) {
			continue
		}
		if n--; n < 0 {
			*l = slices.Delete(*l, i, i+1)
		}
	}
}

// index returns where the item with a text is, -1 if there is none.
func (l items) index(text string) int {
	return slices.IndexFunc(l, func(item string) bool {
		have, _ := reference(item)
		return have == text
	})
}

// find returns the text of the newest item that begins with prefix, "" if there
// is none.
func (l items) find(prefix string) string {
	for _, item := range slices.Backward(l) {
		if strings.HasPrefix(item, prefix) {
			text, _ := reference(item)
			return text
		}
	}
	return ""
}

// drop removes what begins with a prefix.
func (l *items) drop(prefix string) {
	*l = slices.DeleteFunc(*l, func(item string) bool { return strings.HasPrefix(item, prefix) })
}

// dropCited removes the items that name an entry: those an extract made, not
// those of a model.
func (l *items) dropCited() {
	*l = slices.DeleteFunc(*l, func(item string) bool {
		_, ref := reference(item)
		return ref != ""
	})
}

// entryID are the ids an item can name.
var entryID = lazy.Regexp(`^[0-9A-Za-z_.:-]+$`)

// cite makes an item of a text and the id of the entry it comes from. An id that
// is too long or would not look like one is left out.
func cite(text, id string) string {
	text = shorten(text, extractUnits)
	if text == "" || text == none || len(id) > refLength || !entryID().MatchString(id) {
		return text
	}
	return text + " [" + id + "]"
}

// reference divides an item into its text and the id at its end, with the
// brackets and the blank before them, "" if there is none.
func reference(item string) (text, ref string) {
	at := strings.LastIndex(item, " [")
	if at <= 0 || !strings.HasSuffix(item, "]") {
		return item, ""
	}
	id := item[at+2 : len(item)-1]
	if len(id) > refLength || !entryID().MatchString(id) || strings.TrimSpace(item[:at]) == "" {
		return item, ""
	}
	return item[:at], item[at:]
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

// shorten makes a text one clean line of at most limit UTF-16 units.
func shorten(s string, limit int) string {
	const slack = 8 // what cleaning leaves out may stand at the beginning
	if len(s) > slack*4*limit {
		s = js.Head(s, slack*limit)
	}
	s = clean(s)
	if js.Len(s) <= limit {
		return s
	}
	return strings.TrimSpace(js.Head(s, limit-1)) + "…"
}

// tags are those around a summary and within it, in the entry and in what a
// model gets to see.
var tags = lazy.Regexp(`(?i)<(/?\s*(?:summary|previous-summary|conversation|read-files|modified-files)\b)`)

// clean makes a text harmless where it is quoted: one line of valid text without control
// characters, and without tags that end the text around it.
func clean(s string) string {
	s = js.ValidText(s)
	s = ansi.Strip(s)
	if strings.ContainsFunc(s, breaks) {
		s = strings.Map(func(r rune) rune {
			if breaks(r) {
				return ' '
			}
			return r
		}, s)
	}
	if strings.ContainsRune(s, '<') {
		s = tags().ReplaceAllString(s, "‹$1")
	}
	return strings.TrimSpace(s)
}

// breaks reports whether a character ends a line, steers a terminal or turns
// the direction of writing.
func breaks(r rune) bool {
	return ansi.Acts(r) || r == '\ufeff'
}

package brief

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// The bounds of a summary, in UTF-16 units but for the first: they keep a summary of summaries from growing.
const (
	mostItems  = 12
	itemUnits  = 240
	laterUnits = 2_000  // of the newest parts that were added to the summary before
	firstUnits = 20_000 // of what those were added to, of which the beginning and the end stay
	beginUnits = 4_000
)

// The texts in front of each part that is added to a summary, and in the place of older parts.
const (
	sinceThen = "\n\n---\n\n**Since then:**\n\n"
	leftOut   = "\n\n[Some parts that came next are left out.]"
)

// Headings are the sections of a summary.
type Headings []section

// A section is a heading with the bullet of its items, and the function that finds the items; nil for a heading over other
// headings.
type section struct {
	heading, bullet string
	items           func(d *Deeds) []string
}

// The headings that the prompts of package compact ask a model for.
var (
	History = Headings{
		{compact.RequiredHeading, "- ", (*Deeds).requests},
		{"## Constraints & Preferences", "- ", nothing},
		{"## Progress", "", nil},
		{"### Done", "- [x] ", (*Deeds).changes},
		{"### In Progress", "- [ ] ", (*Deeds).report},
		{"### Blocked", "- ", (*Deeds).failures},
		{"## Key Decisions", "- ", nothing},
		{"## Next Steps", "1. ", (*Deeds).unfinished},
		{"## Critical Context", "- ", (*Deeds).facts},
	}
	Turn = Headings{
		{compact.PrefixHeading, "- ", (*Deeds).requests},
		{"## Progress So Far", "- ", func(d *Deeds) []string { return slices.Concat(d.changes(), d.report()) }},
		{"## Context Needed to Continue", "- ", func(d *Deeds) []string { return slices.Concat(d.failures(), d.unfinished(), d.facts()) }},
	}
	Branch = History[:len(History)-1]
)

// nothing finds the items of which only a model could speak.
func nothing(*Deeds) []string { return nil }

// OfParts is Of for the messages that a compaction summarizes, or a branch that is left: what a context_edit took out of the
// context is not quoted. The path has their entries.
func OfParts(path []session.Entry, parts []compact.Part, cwd string) Deeds {
	byID := make(map[string]session.Entry, len(path))
	for _, e := range path {
		byID[e.ID()] = e
	}
	entries := make([]session.Entry, 0, len(parts))
	for _, p := range parts {
		e := byID[p.EntryID]
		if e.Type() == session.TypeMessage {
			e = e.WithRaw("message", p.Message.Raw())
		}
		entries = append(entries, e)
	}
	return Of(entries, cwd)
}

// Summary makes a summary without a model: the user's words, the files that were changed, the commands with their statuses,
// the failures, the assistant's last words and the calls that are open. An item ends in the id of its entry, as in
// "- Fix the parser [a1b2c3d4]". Each section has at most 12 items that quote at most 240 UTF-16 units. Quotes are one line
// without control characters or the tags around summaries, so that nothing in them passes for the summary's own structure.
//
// The summary before stands in front, as it is, without the lists of files at its end. The new one is a part that is added to
// it, without the sections of which there is nothing new; what the summary before says already is not said again. Of parts
// that were added so before the newest stay. The same deeds always give the same text.
func (d Deeds) Summary(h Headings, previous string) string {
	previous = strings.TrimSpace(compact.WithoutFileLists(previous))
	d.before = previous
	var b strings.Builder
	over := true // a heading over others was written last, or nothing
	for _, s := range h {
		var items []string
		if s.items != nil {
			items = s.items(&d)
		}
		if previous != "" && (len(items) == 0 || s.items == nil) {
			continue
		}
		if !over {
			b.WriteByte('\n')
		}
		over = s.items == nil
		b.WriteString(s.heading + "\n")
		for n, item := range items[max(0, len(items)-mostItems):] {
			bullet := s.bullet
			if bullet == "1. " {
				bullet = strconv.Itoa(n+1) + ". "
			}
			b.WriteString(bullet + item + "\n")
		}
		if len(items) == 0 && s.items != nil {
			b.WriteString("- (none)\n")
		}
	}
	text := strings.TrimSuffix(b.String(), "\n")
	switch {
	case previous == "":
		return text
	case text == "":
		return carried(previous)
	}
	return carried(previous) + sinceThen + text
}

// carried returns the summary before as far as it is carried on.
func carried(previous string) string {
	first, rest, ok := strings.Cut(previous, sinceThen)
	if first = middleCut(first); !ok {
		return first
	}
	parts, from, units := strings.Split(rest, sinceThen), 0, 0
	for i, part := range slices.Backward(parts) {
		if units += js.Len(part); units > laterUnits {
			from = i + 1
			break
		}
	}
	if from > 0 && !strings.HasSuffix(first, leftOut) {
		first += leftOut
	}
	return strings.Join(append([]string{first}, parts[from:]...), sinceThen)
}

// middleCut returns a text without its middle if it is too long.
func middleCut(text string) string {
	units := js.Len(text)
	if units <= firstUnits {
		return text
	}
	begin := js.Head(text, beginUnits)
	end := text[len(js.Head(text, units-(firstUnits-beginUnits))):]
	return begin + fmt.Sprintf("\n\n[%d characters left out]\n\n", units-js.Len(begin)-js.Len(end)) + end
}

// entryID are the ids that an item can name.
var entryID = lazy.Regexp(`^[0-9A-Za-z_.:-]{1,36}$`)

// cite makes an item of a text and the id of the entry it comes from. An id that would not look like one is left out.
func cite(text, id string) string {
	text = shorten(text, itemUnits)
	if text == "" || !entryID().MatchString(id) {
		return text
	}
	return text + " [" + id + "]"
}

// requests are the first request and the newest ones, but for those of which the summary before speaks.
func (d *Deeds) requests() (items []string) {
	for _, s := range d.Asked {
		if text := shorten(s.Text, itemUnits); text != "" && !strings.Contains(d.before, text) {
			items = append(items, cite(text, s.Entry))
		}
	}
	if n := len(items); n > mostItems {
		items = slices.Concat(items[:1], items[n-mostItems+1:])
	}
	return items
}

// changes are the files that were written, the newest last.
func (d *Deeds) changes() (items []string) {
	for _, f := range d.files() {
		items = append(items, cite("changed "+shorten(f.name, subjectUnits), f.at))
	}
	return items
}

// report has the assistant's last words.
func (d *Deeds) report() []string {
	first, _, _ := strings.Cut(strings.TrimSpace(d.Answer.Text), "\n\n")
	if shorten(first, itemUnits) == "" {
		return nil
	}
	return []string{cite(first, d.Answer.Entry)}
}

// failures are the commands whose newest run failed, other calls that did and were not made again with success, and how the
// run ended.
func (d *Deeds) failures() (items []string) {
	for _, c := range d.newest() {
		if c.Outcome != calls.Fail {
			continue
		}
		what := c.subject() + ": " + c.how()
		if line := shorten(c.Printed, itemUnits-js.Len(what)-len(": ")); line != "" {
			what += ": " + line
		}
		items = append(items, cite(what, c.At))
	}
	if d.Failure.Text != "" {
		items = append(items, cite(d.Failure.Text, d.Failure.Entry))
	}
	return items
}

// unfinished is the work that is open.
func (d *Deeds) unfinished() (items []string) {
	for _, o := range d.open() {
		items = append(items, cite(o.before+shorten(o.told(strings.Clone), itemUnits-js.Len(o.before+o.after))+o.after, o.at))
	}
	return items
}

// facts are the commands that did not fail, and the branches that were left.
func (d *Deeds) facts() (items []string) {
	for _, c := range d.newest() {
		if c.ran() && c.Outcome == calls.OK {
			items = append(items, cite(c.subject()+": "+c.how(), c.At))
		}
	}
	for _, b := range d.Branches {
		text := b.Text
		if _, after, ok := strings.Cut(text, "\n\n"); ok { // behind the words that say that it is of a branch
			text = after
		}
		items = append(items, cite("a branch was left: "+text, b.Entry))
	}
	return items
}

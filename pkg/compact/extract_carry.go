package compact

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

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

// carried returns a digest with the items of a previous summary, whoever made
// it: an extract, a model that kept to the headings, or one that did not, whose
// lines become context.
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

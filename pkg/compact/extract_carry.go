package compact

import "strings"

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
		to.add(strings.TrimSpace(item))
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

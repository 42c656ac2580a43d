package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Drift returns in which words the tools do not agree: a word with two meanings, a meaning with
// two words, a letter that stands for two words, a name that was given up. There are none if each
// flag that two tools have is in the table of words, and says there what it does.
func Drift(tools []Description) (complaints []string) {
	d := drift{owner: map[string]string{}, meaning: map[string]string{}}
	for _, tool := range tools {
		for _, t := range tool.All() {
			for _, f := range t.Flags {
				d.flag(t, f)
			}
		}
	}
	slices.Sort(d.complaints)
	return slices.Compact(d.complaints)
}

type drift struct {
	owner      map[string]string // the tool of each word that is not in the table
	meaning    map[string]string // the word of each text
	complaints []string
}

func (d *drift) complain(format string, args ...any) {
	d.complaints = append(d.complaints, fmt.Sprintf(format, args...))
}

func (d *drift) flag(t Description, f FlagData) {
	full := t.Tool
	if t.Command != "" {
		full += " " + t.Command
	}
	if now, ok := nowCalled(full, f.Name); ok && !slices.ContainsFunc(words, func(w word) bool { return w.bare() == f.Name && w.fits(f) }) {
		d.complain("%s: --%s was given up, for %s", full, f.Name, now)
	}
	d.letter(t, f)
	_, dialect := dialects[t.Tool]
	lines := slices.DeleteFunc(slices.Clone(words), func(w word) bool {
		return w.bare() != f.Name || strings.HasSuffix(w.name, "!") && !dialect
	})
	switch {
	case len(lines) == 0:
		if other, ok := d.owner[f.Name]; ok && other != t.Tool {
			d.complain("--%s is a flag of %s and of %s, and has no line in the table", f.Name, other, t.Tool)
		}
		d.owner[f.Name] = t.Tool
		if said := plain(f.Text); d.meaning[said] != "" && d.meaning[said] != f.Name {
			d.complain("--%s and --%s mean the same: %s", d.meaning[said], f.Name, f.Text)
		} else {
			d.meaning[said] = f.Name
		}
		for _, w := range words {
			if f.Text != "" && (word{text: w.text}).fits(f) && len(w.text) > len("%s as `FORM`") {
				d.complain("%s: --%s means what --%s does: %s", full, f.Name, w.bare(), f.Text)
			}
		}
	case !slices.ContainsFunc(lines, func(w word) bool { return w.fits(f) }):
		d.complain("%s: --%s has another meaning than in the table: %s", full, f.Name, f.Text)
	}
}

// letter looks at the letter of a flag.
func (d *drift) letter(t Description, f FlagData) {
	if utf8.RuneCountInString(f.Name) == 1 {
		d.complain("%s: -%s has no name", t.Tool, f.Name)
	}
	if f.Short == "" || strings.Contains(dialects[t.Tool], f.Short) {
		return
	}
	if letters[f.Short] != f.Name {
		d.complain("%s: -%s is --%s, and --%s in the table", t.Tool, f.Short, f.Name, letters[f.Short])
	}
}

// bare is the name of a word as a command line has it.
func (w word) bare() string { return strings.TrimRight(w.name, "=!") }

// fits reports whether a flag has the text of the word, with what a tool may add to it, and a value
// of the same name.
func (w word) fits(f FlagData) bool {
	value, text := unquote(w.text)
	if value != f.Value {
		return false
	}
	before, after, hole := strings.Cut(text, "%s")
	if !hole {
		return strings.HasPrefix(f.Text, text)
	}
	return strings.HasPrefix(f.Text, before) && strings.HasSuffix(f.Text, after)
}

var noWord = regexp.MustCompile(`[^a-z]+`)

// plain is a text without what two writers of it would do otherwise.
func plain(text string) string {
	return strings.TrimSpace(noWord.ReplaceAllString(strings.ToLower(text), " "))
}

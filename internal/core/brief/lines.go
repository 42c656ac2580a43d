package brief

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/session"
)

// The bounds of lines for people: with them there are at most 22.
const (
	mostAsked, mostFailed = 3, 5

	mostFiles = 10  // in one line
	mostRunes = 200 // of one text
)

// Lines tells people what was asked, answered and done, and what failed, as lines of Markdown: at most 22. markdown makes a
// line of any text one of Markdown that shows it.
func (d Deeds) Lines(markdown func(string) string) (lines []string) {
	var asked []string
	for _, s := range d.Asked {
		asked = append(asked, s.Text)
	}
	lines = append(lines, List("Asked", asked, mostAsked, markdown)...)
	if first, _, _ := strings.Cut(strings.TrimSpace(d.Answer.Text), "\n\n"); first != "" {
		lines = append(lines, "", "**Answered:** "+inline(first, markdown))
	}
	if end := d.end(); end != "" {
		lines = append(lines, "", "**Ended:** "+inline(end, markdown))
	}
	kinds, all := map[string]int{}, 0
	var failed []string
	for _, c := range d.Done {
		if c.User {
			continue
		}
		all++
		kinds[c.Kind]++
		if c.Kind == calls.Run && c.Outcome == calls.Fail {
			how := "failed: "
			if c.Known {
				how = fmt.Sprintf("ended with %d: ", c.Status)
			}
			failed = append(failed, how+c.Target)
		}
	}
	if all > 0 {
		var did []string
		for _, kind := range calls.Kinds() {
			if n := kinds[kind]; n > 0 {
				did = append(did, fmt.Sprintf("%d %s", n, kind))
			}
		}
		lines = append(lines, "", fmt.Sprintf("**Did:** %s: %s", tty.Count(all, "call", "calls"), strings.Join(did, ", ")))
	}
	if files := d.files(); len(files) > 0 {
		lines = append(lines, "", "**Wrote:** "+filesText(files, markdown))
	}
	return append(lines, List("Commands that failed", failed, mostFailed, markdown)...)
}

// List returns texts below a name with their number, of many the last ones.
func List(name string, texts []string, most int, markdown func(string) string) []string {
	if len(texts) == 0 {
		return nil
	}
	lines := []string{"", fmt.Sprintf("**%s** (%d)", name, len(texts))}
	if more := len(texts) - most; more > 0 {
		lines, texts = append(lines, fmt.Sprintf("- %d before", more)), texts[more:]
	}
	for _, text := range texts {
		lines = append(lines, "- "+inline(text, markdown))
	}
	return lines
}

// inline is a text in a line.
func inline(text string, markdown func(string) string) string {
	text = session.OneLine(text)
	if utf8.RuneCountInString(text) > mostRunes {
		text = string([]rune(text)[:mostRunes]) + "…"
	}
	return markdown(text)
}

// filesText names files, those that were written most often first.
func filesText(files []file, markdown func(string) string) string {
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(b.times-a.times, strings.Compare(a.name, b.name)) })
	var texts []string
	for _, f := range files[:min(mostFiles, len(files))] {
		text := inline(f.name, markdown)
		if f.times > 1 {
			text += fmt.Sprintf(" ×%d", f.times)
		}
		texts = append(texts, text)
	}
	if more := len(files) - mostFiles; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, ", ")
}

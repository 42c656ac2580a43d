package brief

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Limits say how much a prompt has, and what else goes into it.
type Limits struct {
	Length int // characters in all, unless the first request and one line of each list need more

	// State says what became of a file that is named as calls have it, and the text that the newest of them left in it, "" if
	// that is not known.
	State func(name, left string) string
}

// The bounds of parts of a prompt, in characters but for the numbers of requests and of lines of a list.
const (
	firstWords, laterWords = 1500, 500
	laterRequests          = 11
	earlierLength          = 3000
	lineLength             = 160
	listLength             = 12
)

// Prompt tells the agent that goes on what was said and done, as sections of Markdown. Nothing in a quotation can end it, begin
// a section or act on a terminal. clean takes secrets out of a text; it gets texts as they are, since half of a secret is not
// found.
func (d Deeds) Prompt(l Limits, clean func(string) string) string {
	words, rest := d.words(clean), d.rest(l, clean)
	for {
		text := promptSection("The user's words", slices.Concat(words...)) + rest
		if len(words) <= 1 || utf8.RuneCountInString(text) <= l.Length {
			return text
		}
		words = slices.Delete(words, 1, 2)
	}
}

// promptSection returns lines below a name, "" if there are none.
func promptSection(name string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "\n## " + name + "\n" + strings.Join(lines, "\n") + "\n"
}

// rest returns the sections behind the user's words. It is made once: secrets are looked for in it, and State may read files.
func (d Deeds) rest(l Limits, clean func(string) string) string {
	line := func(text string) string { return Line(clean(text)) }
	var files []string
	for _, f := range slices.Backward(d.files()) {
		times := "once"
		if f.times > 1 {
			times = fmt.Sprintf("%d times", f.times)
		}
		if files = append(files, fmt.Sprintf("- %s: written %s, last [%s]; %s", line(f.name), times, f.at, l.State(f.name, f.left))); len(files) == listLength {
			break
		}
	}
	var open []string
	if d.Failure.Text != "" {
		open = append(open, "- "+line(d.Failure.Text)+" ["+d.Failure.Entry+"]")
	}
	for _, o := range d.open() {
		open = append(open, "- "+o.before+Line(o.told(clean))+o.after+" ["+o.at+"]")
	}
	return promptSection("Summary so far", quoted(clean(d.Earlier.Text), earlierLength)) +
		promptSection("Files changed", files) +
		promptSection("Last commands", d.commands(line)) +
		promptSection("Open", open[:min(len(open), listLength)])
}

// Line returns a text as a line of a prompt, not longer than one may be.
func Line(text string) string {
	text = strings.NewReplacer("`", "'", "[", "(", "]", ")").Replace(tty.Clean(session.OneLine(js.ValidText(text))))
	if r := []rune(text); len(r) > lineLength {
		text = string(r[:lineLength-1]) + "…"
	}
	return text
}

// quoted returns the lines of a text of at most so many characters, each with a mark that nothing
// in it can end.
func quoted(text string, most int) (lines []string) {
	text = strings.TrimSpace(tty.CleanLines(js.ValidText(text)))
	if text == "" {
		return nil
	}
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, "> "+line)
	}
	return lines
}

// words are the first request and the newest ones, each with its lines.
func (d Deeds) words(clean func(string) string) (requests [][]string) {
	for i, s := range d.Asked {
		most := laterWords
		switch {
		case i == 0:
			most = firstWords
		case i < len(d.Asked)-laterRequests:
			continue
		}
		requests = append(requests, append([]string{"[" + s.Entry + "]"}, quoted(clean(s.Text), most)...))
	}
	return requests
}

// commands are the newest runs of each command, failed ones first.
func (d Deeds) commands(line func(string) string) (lines []string) {
	var failed, others []Deed
	for _, c := range slices.Backward(d.newest()) {
		switch {
		case c.Kind != calls.Run:
		case c.Outcome == calls.Fail:
			failed = append(failed, c)
		default:
			others = append(others, c)
		}
	}
	all := slices.Concat(failed, others)
	for _, c := range all[:min(len(all), listLength)] {
		lines = append(lines, fmt.Sprintf("- `%s`: %s [%s]", line(c.Command), c.how(), c.At))
	}
	return lines
}

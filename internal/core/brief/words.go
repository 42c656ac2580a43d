package brief

import (
	"strings"

	"github.com/sess-tools/sess/internal/core/ansi"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
)

// subjectUnits is how many UTF-16 units of a command a line has.
const subjectUnits = 120

// firstLine returns the first line of a text that is not blank.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// lastLine returns the last line of a text that is not blank.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
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
	return strings.Join(strings.Fields(s), " ")
}

// breaks reports whether a character ends a line, steers a terminal or turns
// the direction of writing.
func breaks(r rune) bool {
	return ansi.Acts(r) || r == '\ufeff'
}

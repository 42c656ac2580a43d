package summarize

import (
	"regexp"
	"strings"
)

// Programs and providers have no common way to say that the prompt does not fit.
var (
	// overflowWords say it in any case.
	overflowWords = regexp.MustCompile(`(?i)context[\s_-]*(length|window|size|limit)` +
		`|maximum[\s_-]+context` +
		`|(prompt|input|request|conversation|message)s? (is|are|was|were)? ?too (long|large)`)
	// limitWords say it unless the line is about a rate or an allowance.
	limitWords = regexp.MustCompile(`(?i)too many ([a-z]+ )?tokens` +
		`|\bexceed(s|ed|ing)?\b.{0,80}\b(limit|max|maximum)\b` +
		`|\b(limit|max|maximum)\b.{0,40}[0-9][0-9,._]{3,} ?(tokens|chars|characters|bytes)`)
	// allowanceWords tell such a line: waiting helps there, cutting does not.
	allowanceWords = regexp.MustCompile(`(?i)rate[\s_-]?limit|usage[\s_-]?limit|quota|throttl|per[\s_-]?(second|minute|min|hour|day)\b` +
		`|please wait|try again|retr(y|ies)|billing|budget|credit|spend|concurren|time[\s_-]?(limit|out)|\b429\b`)
)

// overflows reports whether a line of text says that the prompt was too long for
// the model or for the program.
func overflows(text string) bool {
	for line := range strings.Lines(text) {
		if overflowWords.MatchString(line) ||
			limitWords.MatchString(line) && !allowanceWords.MatchString(line) {
			return true
		}
	}
	return false
}

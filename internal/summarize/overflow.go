package summarize

import (
	"regexp"
	"strings"
)

// Programs and providers have no common way to say that the prompt does not fit.
var (
	// overflowWords say it in any case.
	overflowWords = regexp.MustCompile(`(?i)context[\s_-]*(length|window|size|limit)` +
		`|max(imum)?[\s_-]+context|max(imum)?[\s_-]+(allowed[\s_-]+)?(prompt|input)[\s_-]+(length|size)` +
		`|(prompt|input|request|conversation|payload|entity)s?[\s_-]((is|are|was|were)[\s_-])?too[\s_-](long|large)` +
		`|messages? (is|are|was|were) too (long|large)` +
		`|string too long|string_above_max_length` +
		`|reduce the (length|size) of (the|your) (messages?|prompt|input|request)` +
		`|range of input length|longer than the (maximum|max|model)` +
		`|\binputs?\W{0,2} (tokens \+|must have less than)` +
		`|\b413\b.{0,20}no body`)
	// limitWords say it unless the line is about a rate, an allowance or the reply.
	limitWords = regexp.MustCompile(`(?i)too many ([a-z]+ )?tokens` +
		`|\bexceed(s|ed|ing)?\b.{0,80}\b(limit|max|maximum)\b` +
		`|\btoken limit (was |is )?(exceeded|reached)` +
		`|\b(limit|max|maximum)\b.{0,40}[0-9][0-9,._]{3,} ?(tokens|chars|characters|bytes)`)
	// allowanceWords tell such a line: waiting or paying helps there, cutting
	// does not.
	allowanceWords = regexp.MustCompile(`(?i)rate[\s_-]?limit|usage[\s_-]?limit|quota|throttl|per[\s_-]?(second|minute|min|hour|day)\b` +
		`|hourly|daily|weekly|monthly|please wait|try again|retr(y|ies)|billing|budget|credit|spend|concurren` +
		`|time[\s_-]?(limit|out)|\b429\b|output[\s_-]tokens?\b`)
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

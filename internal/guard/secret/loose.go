package secret

import (
	"strings"
)

// What the rules want around a secret is what source code has there. In a transcript a
// letter, an underscore or an asterisk may stand beside it. So a rule is also tried in a
// looser form: it begins anywhere, and ends before whatever cannot be a part of it.
const (
	strictEnd = `(?:[\x60'"\s;]|\\[nr]|$)`
	looseEnd  = `(?:[^A-Za-z0-9]|$)`
	namedEnd  = `(?:[\x60'"\s;&*<|~]|\\[nr]|$)` // code goes on behind a name and its value
	named     = `[\w.-]{0,50}?`
)

// maxGlued is up to how many bytes may stand in front of a secret that begins in the middle of
// a word: more of them are random themselves.
const maxGlued = 24

// alone are how keys of some rules begin that look like words or like base64: no key begins so in
// the middle of a word.
var alone = map[string]string{"vault-service-token": "s.", "square-access-token": "EAAA"}

// loosened returns the looser form of an expression, "" if there is none. With glued it begins
// in the middle of words where the expression does not.
func loosened(expr string) (loose string, glued bool) {
	flags, body := "", expr
	if rest, ok := strings.CutPrefix(body, "(?i)"); ok {
		flags, body = "(?i)", rest
	}
	if strings.Contains(body, named) {
		if rest, ok := strings.CutSuffix(body, strictEnd); ok {
			return flags + rest + namedEnd, false
		}
		return "", false
	}
	before := body
	body, glued = strings.CutPrefix(body, `\b`)
	for _, end := range []string{strictEnd, `\b)`, `\b`} {
		rest, ok := strings.CutSuffix(body, end)
		if !ok {
			continue
		}
		if end == `\b)` {
			rest += ")"
		}
		body = rest + looseEnd
		if !strings.Contains(strings.ReplaceAll(rest, "(?", ""), "(") {
			body = "(" + rest + ")" + looseEnd
		}
		break
	}
	if body == before {
		return "", false
	}
	return flags + body, glued
}

// inWord reports whether a place of a text is in the middle of a word, with little of it in front.
func inWord(text string, at int) bool {
	n := 0
	for n <= maxGlued && n < at && class[text[at-1-n]]&isWord != 0 {
		n++
	}
	return n > 0 && n <= maxGlued
}

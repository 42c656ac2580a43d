package compact

import (
	"iter"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// What follows reads prose without understanding it: which lines somebody
// said, which sentences lay down a rule, give a reason, ask, or say what comes
// next. It knows marks of some languages; for the goal, the files, the commands
// and the errors none is needed.

// said yields the lines of a text that somebody said, not showed: no code, no
// tables, no diffs. Bullets and marks of headings are left out.
func said(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		code := false
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
				code = !code
				continue
			}
			if code || shown(line) {
				continue
			}
			if line = withoutBullet(strings.TrimSpace(strings.TrimLeft(line, "#"))); line != "" && !yield(line) {
				return
			}
		}
	}
}

// numbered is a line of a diff or of a listing.
var numbered = regexp.MustCompile(`^[+-]?\s*\d+\s|^[+-]\d|^at \S+ ?\(`)

// shown reports whether a line is something shown: it begins as no sentence
// does, or is hardly made of letters.
func shown(line string) bool {
	const sample = 400 // bytes
	if line == "" || strings.ContainsRune("+|>{}<$=*\\", rune(line[0])) && !strings.HasPrefix(line, "* ") && !strings.HasPrefix(line, "**") || numbered.MatchString(line) {
		return true
	}
	letters, others := 0, 0
	for _, r := range line[:min(len(line), sample)] {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
		case !unicode.IsSpace(r):
			others++
		}
	}
	return letters < others
}

// requestLine returns the line that says best what a user wants. It is the first
// if that was said; of a text that begins with something shown it is the last
// that was said.
func requestLine(text string) string {
	first, last := firstLine(text), ""
	for line := range said(first) {
		if !listItem.MatchString(first) {
			return line
		}
	}
	for line := range said(text) {
		if !terse(line) {
			last = line
		}
	}
	if last != "" {
		return last
	}
	return first
}

// assents are the words of a line that only agrees with what was said before.
var assents = wordSet(`ok okay k yes yeah yep y no nope n sure fine right good great nice cool perfect thanks thank you please go ahead do it all
	that this continue proceed lgtm and then alright now sounds done yo hi hello
	ja nein gut genau weiter mach danke bitte oui non merci continue vas si sí no dale sigue gracias sim não obrigado да нет давай спасибо
	好 好的 是 是的 继续 可以 谢谢 はい いいえ お願いします 続けて 네 아니요 계속`)

// terse reports whether a line says nothing by itself: it has no letters, only
// agrees, or is one word of a command line.
func terse(line string) bool {
	words := 0
	other, foreign := false, false
	for word := range wordsOf(line) {
		words++
		other = other || !assents[word]
		foreign = foreign || word[0] >= utf8.RuneSelf
	}
	return !other || words == 1 && !foreign || isSlash(line)
}

// isSlash reports whether a line is a command to the agent, such as /theme.
func isSlash(line string) bool { return strings.HasPrefix(line, "/") && !strings.Contains(line, " ") }

// wordsOf yields the words of a text in lower case. An apostrophe belongs to
// its word.
func wordsOf(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
			return r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		}) {
			if word = strings.Trim(word, "'"); word != "" && !yield(word) {
				return
			}
		}
	}
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// ends are the marks that end a sentence; those in front need a blank behind
// them.
var ends = regexp.MustCompile(`[.!?…]["')\]*]*\s+|[。！？]`)

// sentences yields the sentences of a line.
func sentences(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line != "" {
			end := len(line)
			if at := ends.FindStringIndex(line); at != nil {
				end = at[1]
			}
			if s := strings.TrimSpace(line[:end]); s != "" && !yield(s) {
				return
			}
			line = line[end:]
		}
	}
}

// isQuestion reports whether a text ends in a question mark.
func isQuestion(text string) bool {
	text = strings.TrimRight(text, " \"')]*_`")
	for _, mark := range []string{"?", "？", "؟", ";"} {
		if strings.HasSuffix(text, mark) {
			return true
		}
	}
	return false
}

// lastQuestion returns the question a text ends in, "" if it ends in none.
func lastQuestion(text string) string {
	question := ""
	for s := range sentences(lastLine(text)) {
		question = s
	}
	if !isQuestion(question) || shown(question) {
		return ""
	}
	return withoutBullet(question)
}

// statementOf returns the sentence that says best what an assistant's text is
// about: the first that is neither an interjection nor an announcement of what
// follows.
func statementOf(text string) string {
	const short, announcement, look = 24, 36, 6 // UTF-16 units, UTF-16 units, sentences
	first, n := "", 0
	for line := range said(text) {
		for s := range sentences(line) {
			if first == "" || js.Len(first) < short && js.Len(s) >= short {
				first = s
			}
			if n := js.Len(s); n >= short && !isQuestion(s) && (n >= announcement || !strings.HasSuffix(s, ":")) {
				return s
			}
			if n++; n == look {
				return first
			}
		}
	}
	if first == "" && !terse(firstLine(text)) {
		return firstLine(text)
	}
	return first
}

package compact

import (
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
)

// The functions below read prose by its marks: which lines are prose, which sentences lay down a
// rule, give a reason, ask, or announce a step. They know marks of some languages. Goals, files,
// commands and errors need none of them.

// prose yields the lines of a text that are prose: no code, no tables, no diffs.
// Bullets and marks of headings are left out.
func prose(text string) iter.Seq[string] {
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
var numbered = lazy.Regexp(`^[+-]?\s*\d+\s|^[+-]\d|^at \S+ ?\(`)

// shown reports whether a line is something shown: it begins as no sentence
// does, or is hardly made of letters.
func shown(line string) bool {
	const sample = 400 // bytes
	if line == "" || strings.ContainsRune("+|>{}<$=*\\", rune(line[0])) && !strings.HasPrefix(line, "* ") && !strings.HasPrefix(line, "**") || numbered().MatchString(line) {
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
	for line := range prose(first) {
		if !listItem().MatchString(first) {
			return line
		}
	}
	for line := range prose(text) {
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
var assents = sync.OnceValue(func() map[string]bool {
	return wordSet(`ok okay k yes yeah yep y no nope n sure fine right good great nice cool perfect thanks thank you please go ahead do it all
	that this continue proceed keep going on lgtm and then alright now sounds done yo hi hello
	ja nein gut genau weiter mach danke bitte oui non merci continue vas si sí no dale sigue gracias sim não obrigado да нет давай спасибо
	好 好的 是 是的 继续 可以 谢谢 はい いいえ お願いします 続けて 네 아니요 계속`)
})

// terse reports whether a line says nothing by itself: it has no letters, only
// agrees, or is one word of a command line.
func terse(line string) bool {
	words := 0
	other, foreign := false, false
	for word := range wordsOf(line) {
		words++
		other = other || !assents()[word]
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
var ends = lazy.Regexp(`[.!?…]["')\]*]*\s+|[。！？]`)

// sentences yields the sentences of a line.
func sentences(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line != "" {
			end := len(line)
			if at := ends().FindStringIndex(line); at != nil {
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
	for line := range prose(text) {
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

// A lexicon has the words, and pairs of words, that give a sentence away, and
// such parts of words in scripts that do not part words.
type lexicon struct {
	words map[string]bool
	parts []string
}

// newLexicon takes words separated by blanks, a pair joined by "_".
func newLexicon(words, parts string) func() lexicon {
	return sync.OnceValue(func() lexicon {
		l := lexicon{words: map[string]bool{}, parts: strings.Fields(parts)}
		for w := range wordSet(words) {
			l.words[strings.ReplaceAll(w, "_", " ")] = true
		}
		return l
	})
}

func (l lexicon) in(sentence string) bool {
	before := ""
	for word := range wordsOf(sentence) {
		if l.words[word] || l.words[before+" "+word] {
			return true
		}
		before = word
	}
	for _, p := range l.parts {
		if strings.Contains(sentence, p) {
			return true
		}
	}
	return false
}

var (
	// ruleWords lay down what has to be, weakRuleWords what may.
	ruleWords = newLexicon(`must mustn't never always don't do_not cannot_be forbidden prefer avoid make_sure ensure not_allowed
		muss müssen nie niemals immer vermeide vermeiden darf_nicht dürfen_nicht bitte_nicht
		jamais toujours doit doivent évite éviter nunca siempre debe deben evita evitar deve devem sempre evite mai
		нельзя никогда всегда обязательно должен должна должно должны не_надо`,
		`必须 不要 禁止 务必 始终 总是 不得 切勿 必ず 絶対 常に しないで 使わないで 반드시 절대 항상 하지 금지`)
	weakRuleWords = newLexicon(`should shouldn't only without just_the no_more nur kein keine ohne seulement uniquement sans solo sólo solamente sin apenas somente sem только без`,
		`只能 只用 不能 べき だけ 만`)
	// hedgeWords make a rule weak, and a weak rule none.
	hedgeWords = newLexicon(`i_don't i_do i_think i_guess i_believe i_suppose let_me maybe perhaps only_one not_only`, ``)
	// decisionWords tell of a decision, reasonWords may.
	decisionWords = newLexicon(`decided decide chose opted settled_on decision entschieden entscheidung choisi décidé decidido elegido решил решили решено`,
		`决定 改用 決め 결정`)
	reasonWords = newLexicon(`because instead_of rather_than weil anstatt statt parce_que au_lieu porque en_lugar потому вместо`,
		`因为 而不是 代わりに 때문 대신`)
	// planWords announce a next step.
	planWords = newLexicon(`next todo todos to_do remaining plan steps then_run still_open follow_up left_to
		nächste nächster noch_offen schritte étapes prochaine prochaines ensuite pasos siguiente próximo próximos passos далее шаги осталось план`,
		`下一步 接下来 计划 待办 步骤 次の 今後 手順 다음 단계 계획`)
)

// ruleWeight says how much a sentence lays down a rule: 2 if it does, 1 if it
// may, else 0.
func ruleWeight(s string) int {
	if js.Len(s) > extractUnits || isQuestion(s) {
		return 0
	}
	weight := 0
	switch {
	case ruleWords().in(s):
		weight = 2
	case weakRuleWords().in(s):
		weight = 1
	default:
		return 0
	}
	if hedgeWords().in(s) {
		weight--
	}
	return weight
}

func isWeakRule(s string) bool { return ruleWeight(s) < 2 }

// isReason reports whether a decision is no more than a reason.
func isReason(text string) bool { return !strings.Contains(text, says) && !decisionWords().in(text) }

var (
	unchecked = lazy.Regexp(`^(?:[-*+] |\d+[.)] )?\[ \] +`)
	listItem  = lazy.Regexp(`^(?:[-*+]|\d+[.)]) +`)
	finished  = lazy.Regexp(`(?i)[✅✓✔☑]|\[x\]|~~|\balready done\b`)
)

// planned returns the steps a text says are still to be done: the items of a
// list under a line that announces them, boxes that are not ticked, and
// sentences that begin so.
func planned(text string) (steps []string) {
	inPlan, code := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if code || line == "" || len(line) > 4*extractUnits {
			continue
		}
		box, bullet := unchecked().FindString(line), listItem().FindString(line)
		switch {
		case (box != "" || bullet != "") && finished().MatchString(line):
		case box != "":
			steps = append(steps, line[len(box):])
		case bullet != "" && inPlan:
			steps = append(steps, line[len(bullet):])
		case bullet == "":
			inPlan = announces(line)
			if !inPlan {
				steps = append(steps, nextSentences(line)...)
			}
		}
	}
	return steps
}

// announces reports whether a line is the heading of a plan.
func announces(line string) bool {
	heading := strings.HasPrefix(line, "#") || strings.HasSuffix(strings.TrimRight(line, "*_ "), ":") ||
		strings.HasSuffix(line, "：") || strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**")
	return heading && planWords().in(line)
}

// nextSentences returns the sentences of a line whose first two words announce a next step.
func nextSentences(line string) (out []string) {
	const short = 12 // UTF-16 units
	for s := range sentences(line) {
		if js.Len(s) >= short && !isQuestion(s) && !strings.HasSuffix(s, ":") && planWords().in(beginning(s)) {
			out = append(out, s)
		}
	}
	return out
}

// beginning returns the first two words of a sentence.
func beginning(s string) string {
	first := ""
	for word := range wordsOf(s) {
		if first != "" {
			return first + " " + word
		}
		first = word
	}
	return first
}

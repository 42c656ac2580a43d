package compact

import (
	"regexp"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// A lexicon has the words, and pairs of words, that give a sentence away, and
// such parts of words in scripts that do not part words.
type lexicon struct {
	words map[string]bool
	parts []string
}

// newLexicon takes words separated by blanks, a pair joined by "_".
func newLexicon(words, parts string) lexicon {
	l := lexicon{words: map[string]bool{}, parts: strings.Fields(parts)}
	for w := range wordSet(words) {
		l.words[strings.ReplaceAll(w, "_", " ")] = true
	}
	return l
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
	// planWords tell of what comes next.
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
	case ruleWords.in(s):
		weight = 2
	case weakRuleWords.in(s):
		weight = 1
	default:
		return 0
	}
	if hedgeWords.in(s) {
		weight--
	}
	return weight
}

func isWeakRule(s string) bool { return ruleWeight(s) < 2 }

// isDecision reports whether a sentence tells of a decision or of a reason.
func isDecision(s string) bool {
	return js.Len(s) <= extractUnits && !isQuestion(s) && (decisionWords.in(s) || reasonWords.in(s))
}

// isReason reports whether a decision is no more than a reason.
func isReason(text string) bool { return !strings.Contains(text, says) && !decisionWords.in(text) }

var (
	unchecked = regexp.MustCompile(`^(?:[-*+] |\d+[.)] )?\[ \] +`)
	listItem  = regexp.MustCompile(`^(?:[-*+]|\d+[.)]) +`)
	finished  = regexp.MustCompile(`(?i)[✅✓✔☑]|\[x\]|~~|\balready done\b`)
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
		box, bullet := unchecked.FindString(line), listItem.FindString(line)
		switch {
		case (box != "" || bullet != "") && finished.MatchString(line):
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
	return heading && planWords.in(line)
}

// nextSentences returns the sentences of a line whose first two words tell of
// what comes next.
func nextSentences(line string) (out []string) {
	const short = 12 // UTF-16 units
	for s := range sentences(line) {
		if js.Len(s) >= short && !isQuestion(s) && !strings.HasSuffix(s, ":") && planWords.in(beginning(s)) {
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

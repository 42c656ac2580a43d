package grep

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/internal/core/needles"
)

// Options say how patterns are read. Where they contradict each other, Line wins over
// Word, and IgnoreCase over SmartCase.
type Options struct {
	Fixed      bool // a pattern is a text and no regular expression
	IgnoreCase bool // by Unicode's simple folding
	SmartCase  bool // ignore case unless a pattern has an upper-case letter
	Word       bool // no letter, digit or underscore next to a match
	Line       bool // a match is a whole line
}

// A Pattern finds text in entries. It may be used concurrently.
type Pattern struct {
	re     *regexp.Regexp
	next   *regexp.Regexp // of Word: a match that is not at the beginning of the text
	word   bool           // group 1 is the match
	lines  bool           // a match may hold line feeds
	begins bool           // it matters where the text begins
	ends   bool           // and where it ends
	filter *needles.Set   // nil if no line may be dropped
	words  []string       // see Words
}

// wordClass are the characters a word is made of, as the inside of a class.
const wordClass = `\pL\pM\pN_`

// Compile makes a pattern that matches where one of the patterns does; without any it
// matches nothing. Of the matches that begin at one place the longest counts, unless a
// pattern asks for short ones by an operator such as *?.
func Compile(patterns []string, o Options) (*Pattern, error) {
	alternatives := make([]*syntax.Regexp, len(patterns))
	upper := false
	for i, text := range patterns {
		re, err := parse(text, o)
		if err != nil {
			return nil, err
		}
		alternatives[i] = re
		upper = upper || hasUpper(text, o.Fixed)
	}
	if o.SmartCase && !o.IgnoreCase && !upper {
		o.IgnoreCase = true
		return Compile(patterns, o)
	}
	tree := &syntax.Regexp{Op: syntax.OpNoMatch}
	switch len(alternatives) {
	case 0:
	case 1:
		tree = alternatives[0]
	default:
		tree = &syntax.Regexp{Op: syntax.OpAlternate, Sub: alternatives}
	}
	p := &Pattern{
		lines:  anywhere(tree, namesLineFeed),
		begins: anywhere(tree, func(re *syntax.Regexp) bool { return re.Op == syntax.OpBeginText }),
		ends:   anywhere(tree, func(re *syntax.Regexp) bool { return re.Op == syntax.OpEndText }),
		word:   o.Word && !o.Line,
	}
	of := required(tree)
	if list, ok := needlesOf(of); ok {
		p.filter = needles.New(list)
	}
	p.words = wordsOf(of)
	if !p.lines {
		withoutLineFeed(tree)
	}
	return p, p.compile(tree, o)
}

// MustCompile is Compile for patterns that are known to be right.
func MustCompile(patterns []string, o Options) *Pattern {
	p, err := Compile(patterns, o)
	if err != nil {
		panic(err)
	}
	return p
}

// escaped are the parts of an expression whose letters are no text, as \S and \pL.
var escaped = lazy.Regexp(`\\(?:[pPx]\{[^}]*\}|[pP].|.)|\(\?P?<[^>]*>`)

// hasUpper reports whether a pattern has an upper-case letter that stands for itself.
func hasUpper(text string, fixed bool) bool {
	if !fixed {
		text = escaped().ReplaceAllString(text, "")
	}
	return strings.ContainsFunc(text, unicode.IsUpper)
}

// maxPattern is how long a pattern may be, in bytes: compiling takes memory in
// proportion.
const maxPattern = 1 << 20

// parse reads a pattern: ^ and $ are the edges of a line, a dot is no line feed.
func parse(text string, o Options) (*syntax.Regexp, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("pattern of %d bytes: at most %d are allowed", len(text), maxPattern)
	}
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("pattern %q: not UTF-8", text)
	}
	if o.Fixed {
		text = regexp.QuoteMeta(text)
	}
	flags := syntax.Perl &^ syntax.OneLine
	if o.IgnoreCase {
		flags |= syntax.FoldCase
	}
	re, err := syntax.Parse(text, flags)
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, fmt.Errorf("pattern %q: %s", text, bad.Code)
	}
	return re, err
}

// compile makes the expressions that are run.
func (p *Pattern) compile(tree *syntax.Regexp, o Options) (err error) {
	text := tree.String()
	next := ""
	switch {
	case o.Line:
		text = `(?m:^)(?:` + text + `)(?m:$)`
	case o.Word:
		after := `)(?:(?m:$)|[^` + wordClass + `\n])`
		next = `[^` + wordClass + `](` + text + after
		text = `(?:(?m:^)|[^` + wordClass + `\n])(` + text + after
	}
	if p.re, err = regexp.Compile(text); err != nil {
		return fmt.Errorf("pattern: %w", err)
	}
	if next != "" {
		if p.next, err = regexp.Compile(next); err != nil {
			return fmt.Errorf("pattern: %w", err)
		}
	}
	if !anywhere(tree, func(re *syntax.Regexp) bool {
		return re.Flags&syntax.NonGreedy != 0 && (re.Op == syntax.OpStar || re.Op == syntax.OpPlus || re.Op == syntax.OpQuest || re.Op == syntax.OpRepeat)
	}) {
		p.re.Longest()
		if p.next != nil {
			p.next.Longest()
		}
	}
	return nil
}

// anywhere reports whether a part of a tree is as is says.
func anywhere(re *syntax.Regexp, is func(*syntax.Regexp) bool) bool {
	if is(re) {
		return true
	}
	for _, sub := range re.Sub {
		if anywhere(sub, is) {
			return true
		}
	}
	return false
}

// namesLineFeed reports whether a part of a pattern asks for a line feed: one that is
// spelled out, or the dot of (?s). That \s and [^a] take one in is no wish for it.
func namesLineFeed(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar:
		return true
	case syntax.OpLiteral:
		return strings.ContainsRune(string(re.Rune), '\n')
	}
	return false
}

// withoutLineFeed takes the line feed out of the classes of a tree.
func withoutLineFeed(re *syntax.Regexp) {
	if re.Op == syntax.OpCharClass {
		var class []rune
		for i := 0; i < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if lo > '\n' || hi < '\n' {
				class = append(class, lo, hi)
				continue
			}
			if lo < '\n' {
				class = append(class, lo, '\n'-1)
			}
			if hi > '\n' {
				class = append(class, '\n'+1, hi)
			}
		}
		re.Rune = class
	}
	for _, sub := range re.Sub {
		withoutLineFeed(sub)
	}
}

// A Span is a part of a text, in bytes.
type Span struct{ From, To int }

// Match reports whether a text, which is valid UTF-8, has a match.
func (p *Pattern) Match(text string) bool { return p.re.MatchString(text) }

// first returns the first match in a text that begins where a line does.
func (p *Pattern) first(text string) (m Span, ok bool) {
	at := p.re.FindStringSubmatchIndex(text)
	if at == nil {
		return m, false
	}
	if p.word {
		at = at[2:]
	}
	return Span{at[0], at[1]}, true
}

// matches returns the matches in a text, empty ones included, in their order.
func (p *Pattern) matches(text string) []Span {
	var out []Span
	if !p.word {
		for _, m := range p.re.FindAllStringIndex(text, -1) {
			out = append(out, Span{m[0], m[1]})
		}
		return out
	}
	for re, from := p.re, 0; ; re = p.next {
		m := re.FindStringSubmatchIndex(text[from:])
		if m == nil {
			return out
		}
		span := Span{from + m[2], from + m[3]}
		out = append(out, span)
		// The next expression takes a character in front of its match. That is the last
		// one of this match, or behind an empty one, which would be found again, the
		// character that follows.
		_, size := utf8.DecodeLastRuneInString(text[span.From:span.To])
		from = span.To - size
	}
}

// A Line is a line of a text that has matches, or several lines if a match goes over
// them.
type Line struct {
	Text    string
	Matches []Span // within Text; none that is empty
}

// Lines iterates over the lines of a text, which is valid UTF-8, that have matches, with
// all their matches or, which takes less, with the first of each. A line is looked for
// when it is asked for; but all of them at once if matches may go over lines or ask where
// the text begins or ends.
func (p *Pattern) Lines(text string, all bool) iter.Seq[Line] {
	if p.begins || all && (p.lines || p.ends) {
		return slices.Values(group(text, p.matches(text)))
	}
	return func(yield func(Line) bool) {
		for from := 0; from <= len(text); {
			m, ok := p.first(text[from:])
			if !ok {
				return
			}
			at := lineOf(text, from+m.From, from+m.To)
			l := Line{Text: text[at.From:at.To]}
			if all {
				for _, m := range p.matches(l.Text) {
					l.add(m)
				}
			} else {
				l.add(Span{from + m.From - at.From, from + m.To - at.From})
			}
			if !yield(l) {
				return
			}
			from = at.To + 1
		}
	}
}

// group returns the lines that have matches, which are in their order.
func group(text string, matches []Span) (out []Line) {
	at, n := Span{}, 0
	for i, m := range matches {
		of := lineOf(text, m.From, m.To)
		if i == 0 || of.From > at.To {
			at, n = of, i
		}
		at.To = max(at.To, of.To)
		if i+1 < len(matches) && matches[i+1].From <= at.To {
			continue
		}
		l := Line{Text: text[at.From:at.To]}
		for _, m := range matches[n : i+1] {
			l.add(Span{m.From - at.From, m.To - at.From})
		}
		out = append(out, l)
	}
	return out
}

// lineOf returns the line that a match is in, or the lines that it goes over. One that
// ends in its line feed ends in that line.
func lineOf(text string, from, to int) Span {
	l := Span{strings.LastIndexByte(text[:from], '\n') + 1, len(text)}
	last := max(from, to-1)
	if n := strings.IndexByte(text[last:], '\n'); n >= 0 {
		l.To = last + n
	}
	return l
}

// add adds a match, unless it is empty.
func (l *Line) add(m Span) {
	if m.To > m.From {
		l.Matches = append(l.Matches, Span{m.From, min(m.To, len(l.Text))})
	}
}

// mostNeedles is how many needles are looked for at most. With more, decoding costs
// less than looking for them one by one.
const mostNeedles = 16

// A literal is a text that a match may contain.
type literal struct {
	text string
	fold bool // in any case
}

// required returns literals of which every match of re contains one at least; nil if
// there are no such.
func required(re *syntax.Regexp) []literal {
	switch re.Op {
	case syntax.OpNoMatch:
		return []literal{}
	case syntax.OpLiteral:
		return []literal{{string(re.Rune), re.Flags&syntax.FoldCase != 0}}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []needles.Needle
		var of []literal
		for _, sub := range re.Sub {
			literals := required(sub)
			if n, ok := needlesOf(literals); ok && (of == nil || better(n, best)) {
				best, of = n, literals
			}
		}
		return of
	case syntax.OpAlternate:
		all := []literal{}
		for _, sub := range re.Sub {
			literals := required(sub)
			if literals == nil || len(all)+len(literals) > mostNeedles {
				return nil
			}
			all = append(all, literals...)
		}
		return all
	}
	return nil
}

// better reports whether the needles of a drop more lines than those of b, as far as
// one can tell: the shortest of them is longer.
func better(a, b []needles.Needle) bool {
	shortest := func(all []needles.Needle) int {
		n := 1 << 30
		for _, one := range all {
			n = min(n, len(one.Text))
		}
		return n
	}
	return shortest(a) > shortest(b)
}

// needlesOf returns the longest needle in each literal; ok is false if one has none.
func needlesOf(literals []literal) (out []needles.Needle, ok bool) {
	if literals == nil {
		return nil, false
	}
	for _, l := range literals {
		longest := l.longest(l.cutAt)
		if longest == "" || l.fold && len(longest) < 2 {
			return nil, false // one letter in two cases hardly drops a line
		}
		out = append(out, needles.Needle{Text: longest, Fold: l.fold})
	}
	return out, true
}

// longest returns the longest part of a literal between characters at which it is cut.
func (l literal) longest(cut func(rune) bool) (longest string) {
	for part := range strings.FieldsFuncSeq(l.text, cut) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// shortestWord is how many bytes a word of [Pattern.Words] has at least.
const shortestWord = 4

// Words returns runs of letters of which every match contains one at least, as parts of words in whatever case; nil if there are no
// such. A converter that joins texts, and writes numbers, names and marks anew, leaves them as they are.
func (p *Pattern) Words() []string { return p.words }

func wordsOf(literals []literal) (out []string) {
	for _, l := range literals {
		word := l.longest(func(r rune) bool { return !unicode.IsLetter(r) || l.cutAt(r) })
		if len(word) < shortestWord {
			return nil
		}
		out = append(out, strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}, word))
	}
	return out
}

// cutAt reports whether a line may spell a character in another way than as itself or as \uXXXX, or in
// another case than the two of ASCII. A needle ends in front of such a character.
func (l literal) cutAt(r rune) bool {
	switch {
	case r < ' ', r == '"', r == '\\', r == '/', r == utf8.RuneError:
		return true
	case !l.fold:
		return false
	}
	return r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r)
}

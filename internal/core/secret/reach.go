package secret

import (
	"regexp/syntax"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A reach says how far from a keyword in it a match may begin and end, so that the
// expression is tried there only: bytes, and runs times up to the next white space and as
// many bytes again. It is the same for both sides.
type reach struct{ bytes, runs int }

// maxReach is up to which length a repetition is counted in bytes.
const maxReach = 1 << 10

// A shape says where an expression need not be tried.
type shape struct {
	near  bool // it has a reach, and matches nothing without a keyword
	reach reach
	needs []need
}

func shapeOf(expr string, keywords []string) (s shape) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return s
	}
	s.needs = needsOf(re)
	if requires(re, keywords) {
		s.reach, s.near = measure(re)
	}
	return s
}

// measure returns the longest text that an expression matches, without regard to the text around
// it.
func measure(re *syntax.Regexp) (r reach, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			r.bytes += max(utf8.RuneLen(c), 3) // with its other cases: K is three bytes
		}
		return r, true
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return reach{bytes: width(re)}, true
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			s, ok := measure(sub)
			if !ok {
				return r, false
			}
			r.bytes, r.runs = r.bytes+s.bytes, r.runs+s.runs
		}
		return r, true
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			s, ok := measure(sub)
			if !ok {
				return r, false
			}
			r.bytes, r.runs = max(r.bytes, s.bytes), max(r.runs, s.runs)
		}
		return r, true
	case syntax.OpCapture, syntax.OpQuest:
		return measure(re.Sub[0])
	case syntax.OpStar:
		return repeated(re.Sub[0], 0, -1)
	case syntax.OpPlus:
		return repeated(re.Sub[0], 1, -1)
	case syntax.OpRepeat:
		return repeated(re.Sub[0], re.Min, re.Max)
	}
	return r, re.Op != syntax.OpNoMatch // what has no length
}

// repeated returns the reach of a repetition. What has no end must not go beyond white space.
func repeated(sub *syntax.Regexp, least, most int) (r reach, ok bool) {
	s, ok := measure(sub)
	switch {
	case !ok:
		return r, false
	case most >= 0 && s.runs == 0 && most*s.bytes <= maxReach:
		return reach{bytes: most * s.bytes}, true
	case sub.Op == syntax.OpCharClass && !hasSpace(sub):
		return reach{bytes: least * s.bytes, runs: 1}, least*s.bytes <= maxReach
	}
	return r, false
}

// width returns the length in bytes of the longest character of a class.
func width(re *syntax.Regexp) int {
	if n := len(re.Rune); re.Op == syntax.OpCharClass && n > 0 {
		return utf8.RuneLen(min(re.Rune[n-1], unicode.MaxRune))
	}
	return utf8.UTFMax
}

// hasSpace reports whether a class has a character at which a run ends.
func hasSpace(re *syntax.Regexp) bool {
	for i := 0; i < len(re.Rune); i += 2 {
		for _, c := range spaces {
			if re.Rune[i] <= c && c <= re.Rune[i+1] {
				return true
			}
		}
	}
	return false
}

// spaces are where a run ends.
const spaces = " \t\n\r"

// requires reports whether each match has a keyword in it.
func requires(re *syntax.Regexp, keywords []string) bool {
	if list, ok := texts(re); ok {
		return all(list, keywords)
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return requires(re.Sub[0], keywords)
	case syntax.OpRepeat:
		return re.Min > 0 && requires(re.Sub[0], keywords)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !requires(sub, keywords) })
	case syntax.OpConcat:
		for i := 0; i < len(re.Sub); i++ {
			if requires(re.Sub[i], keywords) {
				return true
			}
			list := []string{""} // of those beside each other
			for j := i; j < len(re.Sub); j++ {
				more, ok := texts(re.Sub[j])
				if list = product(list, more); !ok || list == nil {
					break
				}
				if all(list, keywords) {
					return true
				}
			}
		}
	}
	return false
}

// all reports whether each of some texts has a keyword in it.
func all(list, keywords []string) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(text string) bool {
		return !slices.ContainsFunc(keywords, func(k string) bool { return strings.Contains(text, strings.ToLower(k)) })
	})
}

// maxTexts is how many texts are looked at for one expression.
const maxTexts = 64

// texts returns, in lower case, all that an expression matches, if these are few.
func texts(re *syntax.Regexp) (list []string, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}, true
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for c := re.Rune[i]; c <= re.Rune[i+1]; c++ {
				if len(list) == maxTexts {
					return nil, false
				}
				list = append(list, strings.ToLower(string(c)))
			}
		}
		return list, len(list) > 0
	case syntax.OpCapture:
		return texts(re.Sub[0])
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpBeginLine, syntax.OpBeginText:
		return []string{""}, true
	case syntax.OpQuest:
		list, ok = texts(re.Sub[0])
		return append(slices.Clone(list), ""), ok
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			more, ok := texts(sub)
			if !ok || len(list)+len(more) > maxTexts {
				return nil, false
			}
			list = append(list, more...)
		}
		return list, true
	case syntax.OpConcat:
		list = []string{""}
		for _, sub := range re.Sub {
			more, ok := texts(sub)
			if list = product(list, more); !ok || list == nil {
				return nil, false
			}
		}
		return list, true
	}
	return nil, false
}

// product returns each text of one list before each of the other, nil if these are many.
func product(a, b []string) (list []string) {
	if len(a)*len(b) > maxTexts {
		return nil
	}
	for _, x := range a {
		for _, y := range b {
			list = append(list, x+y)
		}
	}
	return list
}

// gaps are the white space of a text, found when it is asked for and once: to look for it at
// each keyword takes quadratic time where there is none.
type gaps struct {
	text  string
	known bool
	at    []int32
}

// of says which text it is about.
func (g *gaps) of(text string) { g.text, g.known = text, false }

func (g *gaps) find() {
	if g.known {
		return
	}
	g.known, g.at = true, g.at[:0]
	for i := range len(g.text) {
		if c := g.text[i]; c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			g.at = append(g.at, int32(i)) //nolint:gosec // lines are not that long
		}
	}
}

// before returns the last white space in front of a place, -1 if there is none.
func (g *gaps) before(at int) int {
	g.find()
	if i := sort.Search(len(g.at), func(i int) bool { return int(g.at[i]) >= at }); i > 0 {
		return int(g.at[i-1])
	}
	return -1
}

// nextSpace returns the index of the first white space from an index on, or the length of the text if there is none.
func (g *gaps) nextSpace(at int) int {
	g.find()
	if i := sort.Search(len(g.at), func(i int) bool { return int(g.at[i]) >= at }); i < len(g.at) {
		return int(g.at[i])
	}
	return len(g.text)
}

// window returns the part of a text in which a match with the keyword at s lies, and at least
// a character on either side if there is one.
func (r reach) window(text string, s Span, g *gaps) Span {
	const edge = utf8.UTFMax
	s.From = max(s.From-r.bytes-edge, 0)
	s.To = min(s.To+r.bytes+edge, len(text))
	for range r.runs {
		s.From = max(g.before(s.From)-r.bytes-edge, 0)
		s.To = min(g.nextSpace(s.To)+r.bytes+edge, len(text))
	}
	for s.From > 0 && s.From < len(text) && !utf8.RuneStart(text[s.From]) {
		s.From--
	}
	for s.To < len(text) && !utf8.RuneStart(text[s.To]) {
		s.To++
	}
	return s
}

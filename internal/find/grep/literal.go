package grep

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

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
		var best []needle
		var of []literal
		for _, sub := range re.Sub {
			literals := required(sub)
			if n, ok := needles(literals); ok && (of == nil || better(n, best)) {
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
func better(a, b []needle) bool {
	shortest := func(all []needle) int {
		n := 1 << 30
		for _, one := range all {
			n = min(n, len(one.text))
		}
		return n
	}
	return shortest(a) > shortest(b)
}

// needles returns the longest needle in each literal; ok is false if one has none.
func needles(literals []literal) (out []needle, ok bool) {
	if literals == nil {
		return nil, false
	}
	for _, l := range literals {
		longest := ""
		for part := range strings.FieldsFuncSeq(l.text, l.cutAt) {
			if len(part) > len(longest) {
				longest = part
			}
		}
		if longest == "" || l.fold && len(longest) < 2 {
			return nil, false // one letter in two cases hardly drops a line
		}
		out = append(out, newNeedle(longest, l.fold))
	}
	return out, true
}

// cutAt reports whether a character may stand in a line in another way than as itself
// or as \uXXXX, or in another case than the two of ASCII.
func (l literal) cutAt(r rune) bool {
	switch {
	case r < ' ', r == '"', r == '\\', r == '/', r == utf8.RuneError:
		return true
	case !l.fold:
		return false
	}
	return r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r)
}

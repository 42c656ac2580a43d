package secret

import (
	"bytes"
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// A need is what a text has that an expression matches: one of some atoms. An expression of Go takes a microsecond for some
// twenty bytes, whatever stands there, and a text without an atom is known in a fraction of that.
type need []atom

// An atom is a literal in lower case, or a run of bytes of a class.
type atom struct {
	text  string
	class bitset // of a run
	least int    // bytes of the run; 0: it is text
}

// A bitset is a set of bytes.
type bitset [4]uint64

func (s *bitset) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *bitset) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

const (
	maxNeeds = 6 // of an expression: those that are met least
	maxAtoms = 8 // of a need
	minRun   = 6 // bytes: a shorter one is everywhere
)

// needsOf returns needs, all of which a text meets that re matches; nil when the syntax tells none. It holds for texts
// without the letters of other scripts that match an ASCII letter in any case, K and ſ: see [scratch.toLower].
func needsOf(re *syntax.Regexp) []need {
	if list, ok := texts(re); ok {
		return oneOf(list)
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return needsOf(re.Sub[0])
	case syntax.OpRepeat:
		switch sub := re.Sub[0]; {
		case re.Min >= minRun && sub.Op == syntax.OpCharClass:
			return []need{{{class: bytesOf(sub), least: re.Min}}}
		case re.Min > 0:
			return needsOf(sub)
		}
	case syntax.OpAlternate:
		return alternatives(re.Sub)
	case syntax.OpConcat:
		return sequence(re.Sub)
	}
	return nil
}

// sequence returns the needs of expressions that follow each other. Literals beside each other are one.
func sequence(subs []*syntax.Regexp) (all []need) {
	list := []string{""}
	for _, sub := range subs {
		more, ok := texts(sub)
		if !ok {
			all = append(append(all, oneOf(list)...), needsOf(sub)...)
			list = []string{""}
			continue
		}
		if longer := product(list, more); longer != nil && len(longer) <= 2*maxAtoms {
			list = longer
			continue
		}
		all = append(all, oneOf(list)...)
		list = more
	}
	return rarest(append(all, oneOf(list)...))
}

// alternatives returns the needs that hold whichever of some expressions matches: a need of the one or a need of the other.
func alternatives(subs []*syntax.Regexp) []need {
	all := []need{nil}
	for _, sub := range subs {
		var wider []need
		for _, n := range needsOf(sub) {
			for _, other := range all {
				both := slices.Clone(other)
				for _, a := range n {
					if !slices.Contains(both, a) {
						both = append(both, a)
					}
				}
				if len(both) <= maxAtoms {
					wider = append(wider, both)
				}
			}
		}
		if all = rarest(wider); len(all) == 0 {
			return nil
		}
	}
	return all
}

// oneOf returns the need of one of some texts, without those that have another one in them.
func oneOf(list []string) []need {
	list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return strings.Contains(s, "ſ") })
	slices.SortFunc(list, func(a, b string) int { return len(a) - len(b) })
	var n need
	for _, s := range list {
		switch {
		case s == "" || len(s) == 1 && strings.IndexByte("@<>$%{}[]|", s[0]) < 0 || strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }):
			return nil // it is everywhere, or the case of other scripts, which is not that of toLower
		case !slices.ContainsFunc(n, func(a atom) bool { return strings.Contains(s, a.text) }):
			n = append(n, atom{text: s})
		}
	}
	if len(n) == 0 || len(n) > maxAtoms {
		return nil
	}
	return []need{n}
}

// rarest returns the few needs that are met least: those whose shortest atom is longest, and of fewest atoms. One that is met
// where another one is says nothing.
func rarest(all []need) (few []need) {
	slices.SortStableFunc(all, func(a, b need) int { return cmp.Or(b.rarity()-a.rarity(), len(a)-len(b)) })
	for _, n := range all {
		wider := slices.ContainsFunc(few, func(other need) bool {
			return !slices.ContainsFunc(other, func(a atom) bool { return !slices.Contains(n, a) })
		})
		if !wider && len(few) < maxNeeds {
			few = append(few, n)
		}
	}
	return few
}

// rarity is that of the most frequent atom. Four letters in their order are as rare as a run of sixteen.
func (n need) rarity() int {
	least := 1 << 30
	for _, a := range n {
		least = min(least, 4*len(a.text)+a.least)
	}
	return least
}

// bytesOf returns the bytes that characters of a class have.
func bytesOf(class *syntax.Regexp) (set bitset) {
	for i := 0; i < len(class.Rune); i += 2 {
		for c := class.Rune[i]; c <= min(class.Rune[i+1], utf8.RuneSelf-1); c++ {
			set.add(byte(c))
		}
		for c := utf8.RuneSelf; c < 256 && class.Rune[i+1] >= utf8.RuneSelf; c++ {
			set.add(byte(c))
		}
	}
	return set
}

// met reports whether a text, which lower is in lower case, has an atom of each need.
func met(needs []need, text string, lower []byte) bool {
	for _, n := range needs {
		if !slices.ContainsFunc(n, func(a atom) bool { return a.in(text, lower) }) {
			return false
		}
	}
	return true
}

func (a atom) in(text string, lower []byte) bool {
	if a.least == 0 {
		return bytes.Contains(lower, []byte(a.text))
	}
	// From the last byte of a run back: where one is of another class no run begins before it.
	for end := a.least; end <= len(text); {
		at := end
		for at > end-a.least && a.class.has(text[at-1]) {
			at--
		}
		if at == end-a.least {
			return true
		}
		end = at + a.least
	}
	return false
}

package secret

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	ahocorasick "github.com/BobuSumisu/aho-corasick"

	"github.com/sess-tools/sess/internal/core/lazy"
)

// A Value is a text that is known to be secret, and its name.
type Value struct{ Name, Text string }

// DefaultDepth is how many layers of encodings gitleaks looks into, and who does not say.
const DefaultDepth = 5

// Options choose the rules and the values to look for.
type Options struct {
	Rules   []Rule   // after those that are built in
	Bare    bool     // without those
	Generic bool     // with GenericRule
	Entropy bool     // with EntropyRule
	Emails  bool     // with EmailRule
	Only    []string // ids; none: all
	Skip    []string // ids
	Allow   []Allow  // for every rule
	Values  []Value
	Depth   int // how many layers of encodings are looked into
}

// A Set finds secrets. It may be used by several goroutines.
type Set struct {
	rules  []*rule
	keyed  func() *ahocorasick.Trie // made for the first text, as that takes longer than to look through a short one
	of     [][]int32                // rules of each keyword
	always []int32                  // rules without keywords
	allow  []*allow
	exact  *exact
	depth  int
}

// A Finding is a secret in a text. It does not print the secret.
type Finding struct {
	Rule      string   // the id of the rule, or the name of the value
	Span               // in the text; of the whole run where it was encoded
	Encodings []string // it was in
	As        string   // its replacement; "": a marker
	value     string
	rank      int
}

// Sum returns a keyed digest of the secret, by which it is known again and cannot be
// looked up.
func (f Finding) Sum(key []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(f.value))
	return h.Sum(nil)
}

// Known reports whether the secret is one of Options.Values.
func (f Finding) Known() bool { return f.rank < 0 }

// Loose reports whether the rule finds what only looks like a secret.
func (f Finding) Loose() bool {
	return f.Rule == GenericRule || f.Rule == EntropyRule || f.Rule == EmailRule
}

// Len returns the length of the secret in bytes, decoded.
func (f Finding) Len() int { return len(f.value) }

// Head returns the first characters of the secret.
func (f Finding) Head(n int) string {
	at := 0
	for ; n > 0 && at < len(f.value); n-- {
		_, size := utf8.DecodeRuneInString(f.value[at:])
		at += size
	}
	return f.value[:at]
}

func (f Finding) String() string { return fmt.Sprintf("%s at %d-%d", f.Rule, f.From, f.To) }

// New makes a set. It fails for a rule that is wrong, for ids that are unknown, and for
// values that are too short.
func New(o Options) (*Set, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Set{depth: o.Depth}
	var words []string
	index := map[string]int{}
	known := map[string]bool{}
	for _, r := range o.list() {
		known[r.ID] = true
		if slices.Contains(o.Skip, r.ID) || len(o.Only) > 0 && !slices.Contains(o.Only, r.ID) {
			continue
		}
		n := int32(len(s.rules))
		s.rules = append(s.rules, r.compile(len(s.rules)))
		if len(r.Keywords) == 0 {
			s.always = append(s.always, n)
		}
		for _, word := range r.Keywords {
			word = strings.ToLower(word)
			at, ok := index[word]
			if !ok {
				at = len(words)
				index[word] = at
				words = append(words, word)
				s.of = append(s.of, nil)
			}
			s.of[at] = append(s.of[at], n)
		}
	}
	for _, id := range slices.Concat(o.Only, o.Skip) {
		if !known[id] {
			return nil, unknown(id)
		}
	}
	if len(words) > 0 {
		s.keyed = sync.OnceValue(ahocorasick.NewTrieBuilder().AddStrings(words).Build)
	}
	allow := o.Allow
	if !o.Bare {
		allow = slices.Concat(append(gitleaksAllow(), replaced), allow)
	}
	s.allow = compileAllows(allow)
	var err error
	s.exact, err = compileExact(o.Values)
	return s, err
}

var ruleName = lazy.Regexp(`^[a-z0-9]{1,24}(?:-[a-z0-9]{1,24}){0,8}$`)

// unknown is the error of an id that no rule has. A word that is no such name may be a secret,
// which is not repeated.
func unknown(id string) error {
	if ruleName().MatchString(id) {
		return fmt.Errorf("unknown rule %q", id)
	}
	return errors.New("unknown rule: one of the words is no name of a rule")
}

// check returns the error of rules and allowlists that cannot be used.
func (o Options) check() error {
	for _, r := range o.Rules {
		if err := r.Check(); err != nil {
			return err
		}
	}
	for _, a := range o.Allow {
		if err := a.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Digest returns 16 hex digits, which are others if other rules are chosen. Of values it has the names alone: a reader of the
// digest could try short ones.
func (o Options) Digest() string {
	var named []string
	for _, v := range o.Values {
		named = append(named, v.Name)
	}
	all := o.Allow
	if !o.Bare {
		all = slices.Concat(gitleaksAllow(), all)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %d", fmt.Sprint(o.list()), fmt.Sprint(all), o.Only, o.Skip, named, o.Depth))
	return hex.EncodeToString(sum[:8])
}

// list returns the rules in their order, the more specific first.
func (o Options) list() (list []Rule) {
	var generic []Rule
	if !o.Bare {
		for _, r := range gitleaksRules() {
			if name, ok := names[r.ID]; ok {
				r.Allow = append(slices.Clone(r.Allow), name)
			}
			if r.ID != GenericRule {
				list = append(list, r)
			} else if o.Generic || slices.Contains(o.Only, r.ID) {
				generic = append(generic, r)
			}
		}
		list = append(append(list, ownRules()...), formRules()...)
	}
	if o.Entropy || slices.Contains(o.Only, EntropyRule) {
		generic = append(generic, entropyRule)
	}
	if o.Emails || slices.Contains(o.Only, EmailRule) {
		generic = append(generic, emailRule)
	}
	for i := range list {
		list[i].builtIn = true
	}
	return slices.Concat(list, o.Rules, generic)
}

// Rules returns the ids of the rules that are used, in their order.
func (s *Set) Rules() (ids []string) {
	for _, r := range s.rules {
		ids = append(ids, r.id)
	}
	return ids
}

// Find returns the secrets in a text, in their order. No two overlap: of those that do,
// one is left with the place of all, that of the longest, or of the more specific rule.
func (s *Set) Find(text string) []Finding { return Merge(s.FindAll(text)) }

// FindAll returns what each rule finds by itself.
func (s *Set) FindAll(text string) []Finding { return s.findAll(text, nil) }

// FindJoined returns what Find does in texts that were joined at some places, in their order. A secret that ends at one of them does
// not go on behind it.
func (s *Set) FindJoined(text string, at []int) []Finding { return Merge(s.findAll(text, at)) }

func (s *Set) findAll(text string, seams []int) (all []Finding) {
	l := &layer{text: text, seams: seams}
	s.findBelow(l, false, &all)
	if plain, ok := l.without(unseen, ""); ok {
		s.findBelow(plain, true, &all)
	}
	if plain, ok := l.without(gutters, ""); ok {
		s.findBelow(plain, true, &all)
	}
	return all
}

// findBelow adds the findings in a layer and in those below it. Characters that are not seen are
// taken out, for they may stand in the middle of a secret; and they are taken for a blank, for they
// may stand between a letter and a secret.
func (s *Set) findBelow(l *layer, below bool, all *[]Finding) {
	for depth := 0; ; depth++ {
		s.find(l, below || depth > 0, all)
		if spaced, ok := l.without(unseen, " "); ok {
			s.find(spaced, true, all)
		}
		if plain, ok := l.without(emphasis, ""); ok {
			s.find(plain, true, all)
		}
		if plain, ok := l.without(wraps, ""); ok {
			plain.wrapped = true
			s.find(plain, true, all)
		}
		if depth > 0 {
			if plain, ok := l.without(unseen, ""); ok {
				s.find(plain, true, all)
			}
		}
		next, ok := (*layer)(nil), false
		if depth < s.depth {
			next, ok = l.rewrite(runs)
		}
		if !ok {
			return
		}
		l = next
	}
}

// find adds the findings in a layer. Below the first layer, a part without text that was decoded
// last has been looked at before.
func (s *Set) find(l *layer, below bool, all *[]Finding) {
	add := func(id string, rank int, at, match Span, in encodings, as string) {
		if !l.wanted(match, below) {
			return
		}
		*all = append(*all, Finding{Rule: id, Span: l.origin(at), Encodings: (l.decoded(at) | in).names(), As: as, value: l.text[at.From:at.To], rank: rank})
	}
	if s.exact != nil {
		s.exact.find(l.text, func(at Span, name string, e encodings) { add(name, -1, at, at, e, "") })
	}
	try := func(n int32, in Span) {
		if r := s.rules[n]; l.wanted(in, below) && !(l.wrapped && r.shapeless) {
			r.find(l.text, in, s.allow, func(secret, match Span) {
				tail := r.tail()
				secret.To = l.extended(secret.To, &tail)
				match.To = max(match.To, secret.To)
				add(r.id, r.rank, secret, match, 0, r.as)
			})
		}
	}
	for _, n := range s.always {
		try(n, Span{0, len(l.text)})
	}
	s.candidates(l.text, try)
}

// A hit is a keyword of a rule in a text.
type hit struct {
	rule int32
	Span
}

// scratch is memory that a search uses.
type scratch struct {
	lower []byte
	hits  []hit
	gaps  gaps
}

var scratches = sync.Pool{New: func() any { return &scratch{} }}

// candidates calls try for the rules that have a keyword in a text, in their order, with the
// parts of the text that they may match in.
func (s *Set) candidates(text string, try func(rule int32, in Span)) {
	if s.keyed == nil || text == "" {
		return
	}
	m := scratches.Get().(*scratch)
	defer scratches.Put(m)
	m.hits = m.hits[:0]
	lower, placed := m.toLower(text)
	s.keyed().Walk(lower, func(end, n, pattern int64) bool {
		for _, rule := range s.of[pattern] {
			m.hits = append(m.hits, hit{rule, Span{int(end-n) + 1, int(end) + 1}})
		}
		return true
	})
	m.gaps.of(text)
	slices.SortStableFunc(m.hits, func(a, b hit) int { return int(a.rule - b.rule) })
	for hits := m.hits; len(hits) > 0; {
		rule := hits[0].rule
		n := 1
		for n < len(hits) && hits[n].rule == rule {
			n++
		}
		r := s.rules[rule].shape()
		tryIn := func(in Span) {
			if !placed || met(r.needs, text[in.From:in.To], lower[in.From:in.To]) {
				try(rule, in)
			}
		}
		if !r.near || !placed {
			tryIn(Span{0, len(text)})
			hits = hits[n:]
			continue
		}
		in := r.reach.window(text, hits[0].Span, &m.gaps)
		for _, h := range hits[1:n] {
			next := r.reach.window(text, h.Span, &m.gaps)
			if next.From > in.To {
				tryIn(in)
				in = next
			}
			in.From, in.To = min(in.From, next.From), max(in.To, next.To)
		}
		tryIn(in)
		hits = hits[n:]
	}
}

// toLower returns a text in lower case, as keywords are. placed says that each character stands where it does in the text, and
// that none but ASCII letters matches an ASCII letter in any case.
func (m *scratch) toLower(text string) (lower []byte, placed bool) {
	if strings.Contains(text, "\u212a") || strings.Contains(text, "\u0130") || strings.Contains(text, "\u017f") { // K, I and s of other scripts
		return bytes.ToLower([]byte(text)), false
	}
	m.lower = append(m.lower[:0], text...)
	for i, c := range m.lower {
		if 'A' <= c && c <= 'Z' {
			m.lower[i] = c + 'a' - 'A'
		}
	}
	return m.lower, true
}

// Merge joins findings that overlap: see [Set.Find].
func Merge(all []Finding) []Finding {
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Or(a.From-b.From, b.To-a.To, a.rank-b.rank) })
	var out []Finding
	for _, f := range all {
		if n := len(out); n > 0 && out[n-1].overlaps(f.Span) {
			last := &out[n-1]
			span := Span{last.From, max(last.To, f.To)}
			if a, b := last.To-last.From, f.To-f.From; b > a || b == a && f.rank < last.rank {
				*last = f
			}
			last.Span = span
			continue
		}
		out = append(out, f)
	}
	return out
}

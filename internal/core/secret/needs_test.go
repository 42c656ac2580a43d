package secret

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the expression of a rule matches has what the rule needs; so has what its looser form matches.
func TestNeeds(t *testing.T) {
	t.Parallel()
	set := newSet(t, Options{Generic: true})
	with, matched := 0, 0
	for _, r := range set.rules {
		needs := r.shape().needs
		if len(needs) > 0 {
			with++
		}
		forms := []*regexp.Regexp{r.regex()}
		if re, _ := r.loose(); re != nil {
			forms = append(forms, re)
		}
		for _, re := range forms {
			for n, text := range matching(re.String()) {
				for _, text := range []string{text, strings.ToUpper(text)} {
					var m scratch
					lower, placed := m.toLower(text)
					if !placed || !re.MatchString(text) {
						continue
					}
					matched++
					if !met(needs, text, lower) {
						t.Errorf("%s, %d: %s matches %q, which lacks one of %v", r.id, n, re, text, needs)
					}
				}
			}
		}
	}
	if with < 200 || matched < 19*len(set.rules) {
		t.Errorf("%d of %d rules need something, and were tried on %d texts", with, len(set.rules), matched)
	}
}

// matching returns a few texts that an expression matches, none if it is hard to find one: between a letter and a letter
// there is no \b.
func matching(expr string) (all []string) {
	defer func() { _ = recover() }()
	texts := rapid.StringMatching(expr)
	for seed := range 12 {
		all = append(all, texts.Example(seed))
	}
	return all
}

// What an expression needs, by hand.
func TestNeedsOf(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		`abc`:                       "abc",
		`(?i)ABC`:                   "abc",
		`ab|cd`:                     "ab|cd",
		`(?:token|my-token)=`:       "token=",
		`x?abc`:                     "abc",
		`(?:abc)?`:                  "",
		`(?:abc)*def`:               "def",
		`(?:abc)+`:                  "abc",
		`(?:abc[^x]){0,3}`:          "",
		`(?:abc[^x]){1,3}`:          "abc",
		`abc.*def`:                  "abc def",
		`[a-z]{24}`:                 "24",
		`[a-z]{2,24}`:               "",
		`abc[0-9]{20}`:              "20 abc",
		`(?:abc.*def|abc.*ghi)`:     "abc def|ghi",
		`(?:k:.*d:|d:.*k:)`:         "d: k:",
		`(?:abc|.)`:                 "",
		`é[a-z]`:                    "",
		`(?i)s[s]cret`:              "sscret",
		`a.b`:                       "",
		`://[^:]{1,9}:[^@]{1,9}@\w`: ":// @",
	} {
		var got []string
		for _, n := range shapeOf(expr, nil).needs {
			var atoms []string
			for _, a := range n {
				if a.least == 0 {
					atoms = append(atoms, a.text)
				} else {
					atoms = append(atoms, strconv.Itoa(a.least))
				}
			}
			got = append(got, strings.Join(atoms, "|"))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q, want %q", expr, s, want)
		}
	}
	digits := atom{least: 3}
	for c := byte('0'); c <= '9'; c++ {
		digits.class.add(c)
	}
	for text, want := range map[string]bool{"": false, "12": false, "123": true, "12a34": false, "12a345": true, "a123": true, "123a": true, "1a2b3c45d678": true} {
		if digits.in(text, nil) != want {
			t.Errorf("three digits in %q: %v", text, !want)
		}
	}
}

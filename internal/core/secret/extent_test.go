package secret

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"
)

// Of a token with more of its characters behind it nothing is left, and one whose prefix only tokens have is found at any length.
func TestExtent(t *testing.T) {
	t.Parallel()
	set := newSet(t, Options{})
	rnd := rand.New(rand.NewPCG(7, 8))
	var tried, opened int
	for _, r := range (Options{}).list() {
		letters := lettersOf(r.Regex)
		if fixed[r.ID] || letters == "" {
			continue
		}
		tail := r.tail()
		for _, text := range matching(r.Regex) {
			if !tail.has(text[len(text)-1]) {
				continue // it ends with a sign behind the secret
			}
			first := set.Find(text)
			if len(first) == 0 || first[len(first)-1].To != len(text) || strings.ContainsAny(text, " =\t\r\n\"'`;") {
				continue // an allowlist, the entropy or the words around it decide
			}
			for _, n := range []int{1, 2, 3, 7, 16, 33, 64} {
				more := random(rnd, n, letters)
				tried++
				longer := text + more
				list := set.Find(longer + " and more")
				if r.isOpen() {
					opened++
				}
				if len(list) == 0 && !r.isOpen() {
					continue
				}
				if len(list) == 0 || list[len(list)-1].To < len(longer) || list[0].From > first[0].From {
					t.Errorf("%s: of %.60q with %q: %v, which has %d bytes", r.ID, text, more, list, len(longer))
				}
				if n := len(list); n > 0 && list[n-1].To > len(longer) {
					t.Errorf("%s: of %q: %v, with words behind it", r.ID, longer, list)
				}
			}
		}
	}
	if tried < 2000 || opened < 700 {
		t.Errorf("%d tokens were made longer, %d of them of open rules", tried, opened)
	}
}

// lettersOf returns the letters and digits of the longest repeated class of an expression.
func lettersOf(expr string) (letters string) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return ""
	}
	most := 0
	var look func(re *syntax.Regexp)
	look = func(re *syntax.Regexp) {
		if re.Op == syntax.OpRepeat && re.Sub[0].Op == syntax.OpCharClass && re.Min > most && !hasSpace(re.Sub[0]) {
			most, letters = re.Min, ""
			has := bytesOf(re.Sub[0])
			for c := byte('0'); c <= 'z'; c++ {
				if has.has(c) && wordByte(c) {
					letters += string(c)
				}
			}
		}
		for _, sub := range re.Sub {
			look(sub)
		}
	}
	look(re)
	return letters
}

// The secret and what is appended to it, by hand.
func TestExtentOf(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(9, 10))
	an := func(n int) string { return random(rnd, n, alphanumeric) }
	low := func(n int) string { return random(rnd, n, "abcdefghijklmnopqrstuvwxyz0123456789") }
	set := newSet(t, Options{})
	for _, token := range []string{
		"glpat-" + an(27) + ".01." + low(9), "glpat-" + an(20), "glpat-" + an(50) + ".0y." + low(9), "glptt-" + random(rnd, 40, "0123456789abcdef") + ".01." + low(9),
		"bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t" + an(80) + "+/" + an(9) + "==",
		"ghp_" + an(36), "ghp_" + an(90), "gho_" + an(70), "npm_" + an(36), "npm_" + an(60), "hf_" + random(rnd, 50, alphanumeric[:52]), "dop_v1_" + random(rnd, 80, "0123456789abcdef"),
		"r8_" + an(60), "lin_api_" + an(64), "rubygems_" + random(rnd, 60, "0123456789abcdef"), "pul-" + random(rnd, 50, "0123456789abcdef"),
		"cfut_" + an(48), "cfat_" + an(40) + "1a2b3c4d", "cfk_" + an(40) + "00ff00ff", "cfut_" + an(60),
	} {
		for _, end := range []string{"", " now", ". Then", ", and", "\nFAIL", "\"", ")", "&x=1"} {
			list := set.Find("it is " + token + end)
			if len(list) != 1 || list[0].From != 6 || list[0].To != 6+len(token) {
				t.Errorf("%q with %q: %v, want 6-%d", token, end, list, 6+len(token))
			}
		}
	}
	for _, text := range []string{"AKIA" + random(rnd, 24, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), "AIza" + an(50), "cfut_" + an(20), "cfk_" + strings.Repeat("x", 48)} {
		if list := set.Find(text); len(list) > 0 {
			t.Errorf("%q: %v", text, list)
		}
	}
	id := "AKIA" + random(rnd, 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
	for _, f := range set.Find("Credential=" + id + "/20260101/us-east-1/s3/aws4_request") {
		if f.To > len("Credential=")+len(id) {
			t.Errorf("of a key in a signed request: %v", f)
		}
	}
}

// A token that ends where two texts were joined does not go on in the second.
func TestFindJoined(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(11, 12))
	token := "ghp_" + random(rnd, 36, alphanumeric)
	set := newSet(t, Options{Depth: DefaultDepth})
	for _, c := range []struct{ a, b string }{{token, "FAIL x"}, {"\x1b[1mit is " + token, "ok"}} {
		list := set.FindJoined(c.a+c.b, []int{len(c.a)})
		if len(list) != 1 || list[0].To != len(c.a) {
			t.Errorf("%q and %q: %v, want the end at %d", c.a, c.b, list, len(c.a))
		}
	}
	if list := set.FindJoined(token[:20]+token[20:]+" x", []int{20}); len(list) != 1 || list[0].To != len(token) {
		t.Errorf("divided: %v", list)
	}
}

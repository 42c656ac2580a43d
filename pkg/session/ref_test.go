package session_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/session"
)

// refs is a session with branches, labels and ids that look like operators.
//
//	aaaa1111 ─ aaaa2222 ─ bbbb1111 ─ bbbb2222
//	                    └ cccc1111 (newest) ─ labels… ─ x^y ─ n~2 ─ null ─ .
//	other (a second root)
func refs(t *testing.T) *session.Session {
	return parse(
		t,
		user("aaaa1111", "", "one"),
		user("aaaa2222", "aaaa1111", "two"),
		user("bbbb1111", "aaaa2222", "three"),
		user("bbbb2222", "bbbb1111", "four"),
		strings.Replace(user("cccc1111", "aaaa2222", "five"), `"timestamp":1}`, `"timestamp":2}`, 1),
		user("other", "", "six"),
		label("lab1", "cccc1111", "bbbb2222", "tip"),
		label("lab2", "lab1", "aaaa2222", "two words ~^ and more"),
		label("lab3", "lab2", "bbbb1111", "twice"),
		label("lab4", "lab3", "cccc1111", "twice"),
		label("lab5", "lab4", "gone", "lost"),
		user("x^y", "lab5", ""), user("n~2", "x^y", ""), user("null", "n~2", ""), user(".", "null", ""),
		label("lab6", ".", "x^y", "tip^"),
		label("lab7", "lab6", "n~2", "both~"), label("lab8", "lab7", "null", "both~"),
		label("lab9", "lab8", "aaaa1111", "both"),
	)
}

func TestResolve(t *testing.T) {
	t.Parallel()
	const none = "none" // the place before the first entry
	for _, c := range []struct{ ref, want string }{
		{".", "."}, // an entry has that id
		{"aaaa1111", "aaaa1111"},
		{"other", "other"},
		{"aaaa1", "aaaa1111"},
		{"cccc", "cccc1111"},
		{"root", "aaaa1111"},
		{"aaaa2222^", "aaaa1111"},
		{"bbbb2222^^", "aaaa2222"},
		{"bbbb2222~0", "bbbb2222"},
		{"bbbb2222~3", "aaaa1111"},
		{"bbbb2222~1^~1", "aaaa1111"},
		{"bbbb2~2", "aaaa2222"},
		{"@tip", "bbbb2222"},
		{"@tip~2", "aaaa2222"},
		{"@tip~2^", "aaaa1111"},
		{"@two words ~^ and more", "aaaa2222"},
		{"@two words ~^ and more^", "aaaa1111"},
		{"x^y", "x^y"},
		{"x^y^", "lab5"},
		{"n~2", "n~2"},
		{"n~2~1", "x^y"},
		{"null", "null"},
		{"null~0", "null"},
		{"@tip^", "x^y"}, // the label tip^, not the parent of tip
		{"root~0", "aaaa1111"},
	} {
		s := refs(t)
		leaf, _ := s.Leaf()
		i, err := s.Resolve(c.ref, leaf)
		if err != nil || s.Entries[i].ID() != c.want {
			t.Errorf("Resolve(%q) = %d, %v; want %s", c.ref, i, err, c.want)
		}
	}
	s := parse(t, user("aaaa", "", ""), user("bbbb", "aaaa", ""))
	for ref, want := range map[string]string{".": "bbbb", ".^": "aaaa", ".~1": "aaaa", "root": "aaaa", "null": none} {
		i, err := s.Resolve(ref, 1)
		got := none
		if i >= 0 {
			got = s.Entries[i].ID()
		}
		if err != nil || got != want {
			t.Errorf("Resolve(%q) = %s, %v; want %s", ref, got, err, want)
		}
	}
	if i, err := s.Resolve(".", 0); i != 0 || err != nil {
		t.Errorf("the leaf is a parameter: %d, %v", i, err)
	}
}

func TestResolveErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ref        string
		candidates []string
		text       string
	}{
		{"", nil, `no such entry: ""`},
		{"zzzz", nil, "no such entry: zzzz"},
		{"bbb", nil, "no such entry: bbb (a prefix has at least 4 characters)"},
		{"^", nil, `no such entry: ""`},
		{"@nolabel", nil, "no such entry: @nolabel (no such label; there are tip, \"two words ~^ and more\", twice, \"tip^\", \"both~\", both)"},
		{"@", nil, "no such entry: @ (no such label; there are tip, \"two words ~^ and more\", twice, \"tip^\", \"both~\", both)"},
		{"@lost", nil, "no such entry: @lost (no such label; there are tip, \"two words ~^ and more\", twice, \"tip^\", \"both~\", both)"},
		{"@nolabel~1", nil, "no such entry: @nolabel (no such label; there are tip, \"two words ~^ and more\", twice, \"tip^\", \"both~\", both)"},
		{"aaaa1111^", nil, "no such entry: aaaa1111^ (aaaa1111 has 0 ancestors)"},
		{"bbbb2222~4", nil, "no such entry: bbbb2222~4 (bbbb2222 has 3 ancestors)"},
		{"bbbb2222~", nil, "no such entry: bbbb2222~ (~ wants a number)"},
		{"bbbb2222~x", nil, "no such entry: bbbb2222~x (~ wants a number)"},
		{"bbbb2222~-1", nil, "no such entry: bbbb2222~-1 (~ wants a number)"},
		{"bbbb2222~99999999999999999999", nil, "no such entry: bbbb2222~99999999999999999999 (~ wants a number)"},
		{"bbbb2222^1", nil, "no such entry: bbbb2222^1"},
		{"aaaa", []string{"aaaa1111", "aaaa2222"}, "ambiguous reference aaaa: aaaa1111, aaaa2222"},
		{"aaaa^", []string{"aaaa1111", "aaaa2222"}, "ambiguous reference aaaa: aaaa1111, aaaa2222"},
		{"@twice", []string{"bbbb1111", "cccc1111"}, "ambiguous reference @twice: bbbb1111, cccc1111"},
		{"@twice^", []string{"bbbb1111", "cccc1111"}, "ambiguous reference @twice: bbbb1111, cccc1111"},
		{"@both~", []string{"n~2", "null"}, "ambiguous reference @both~: n~2, null"},
	} {
		s := refs(t)
		leaf, _ := s.Leaf()
		_, err := s.Resolve(c.ref, leaf)
		wantIs, wantNot := session.ErrNotFound, session.ErrAmbiguous
		if c.candidates != nil {
			wantIs, wantNot = wantNot, wantIs
		}
		var re *session.RefError
		if !errors.As(err, &re) || !errors.Is(err, wantIs) || errors.Is(err, wantNot) {
			t.Errorf("Resolve(%q): %v", c.ref, err)
			continue
		}
		if err.Error() != c.text || !slices.Equal(re.Candidates, c.candidates) {
			t.Errorf("Resolve(%q): %v %q, want %s %q", c.ref, err, re.Candidates, c.text, c.candidates)
		}
	}
}

func TestResolveManyCandidates(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 11 {
		lines = append(lines, user(fmt.Sprintf("same%02d", i), "", ""))
	}
	lines = append(lines, lines[0]) // one id, one candidate
	_, err := parse(t, lines...).Resolve("same", 0)
	var re *session.RefError
	if !errors.As(err, &re) || len(re.Candidates) != 11 {
		t.Fatalf("%v: %d candidates", err, len(re.Candidates))
	}
	if !strings.HasSuffix(err.Error(), "same08 and 3 more") {
		t.Errorf("%v", err)
	}
}

// An id that is a whole reference is never a prefix of another.
func TestResolveWholeID(t *testing.T) {
	t.Parallel()
	s := parse(t, user("abcd", "", ""), user("abcdef", "abcd", ""), user("ab", "", ""))
	for ref, want := range map[string]int{"abcd": 0, "abcde": 1, "ab": 2, "abcd~0": 0} {
		if i, err := s.Resolve(ref, 0); i != want || err != nil {
			t.Errorf("Resolve(%q) = %d, %v", ref, i, err)
		}
	}
}

func TestResolveLeaf(t *testing.T) {
	t.Parallel()
	s := refs(t)
	for ref, want := range map[string]string{
		"": "lab9", "last": "lab9", "newest-message": "cccc1111", "longest": "lab9", "bbbb2222": "bbbb2222", "@tip^": "x^y",
	} {
		i, err := s.ResolveLeaf(ref)
		if err != nil || s.Entries[i].ID() != want {
			t.Errorf("ResolveLeaf(%q) = %d, %v; want %s", ref, i, err, want)
		}
	}
	branchy := parse(t, user("aaaa", "", ""), user("bbbb", "aaaa", ""), user("cccc", "bbbb", ""), line("custom", "dddd", "aaaa"))
	for ref, want := range map[string]string{"": "dddd", ".": "dddd", "longest": "cccc", "newest-message": "cccc", "last~1": ""} {
		i, err := branchy.ResolveLeaf(ref)
		if want == "" {
			if err == nil {
				t.Errorf("ResolveLeaf(%q) = %d", ref, i)
			}
			continue
		}
		if err != nil || branchy.Entries[i].ID() != want {
			t.Errorf("ResolveLeaf(%q) = %d, %v; want %s", ref, i, err, want)
		}
	}
	quiet := parse(t, line("custom", "aaaa", ""))
	if i, err := quiet.ResolveLeaf("newest-message"); i != 0 || err != nil {
		t.Errorf("newest-message without messages is the last entry: %d, %v", i, err)
	}
	if _, err := quiet.ResolveLeaf("null"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("null is no leaf: %v", err)
	}
}

func TestResolveEmptySession(t *testing.T) {
	t.Parallel()
	s := parse(t)
	for _, ref := range []string{"", "last", "longest", "newest-message"} {
		if i, err := s.ResolveLeaf(ref); i != -1 || err != nil {
			t.Errorf("ResolveLeaf(%q) = %d, %v", ref, i, err)
		}
	}
	for _, ref := range []string{".", "root", ".^", ".~0", "null^", "null~0", "abcd", "@x"} {
		if i, err := s.Resolve(ref, -1); !errors.Is(err, session.ErrNotFound) || i != -1 {
			t.Errorf("Resolve(%q) = %d, %v", ref, i, err)
		}
	}
	if i, err := s.Resolve("null", -1); i != -1 || err != nil {
		t.Errorf("null: %d, %v", i, err)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	ids := []string{"a1b2c3d4", "a1b2c3d5", "a1b2ffff", "00001111", "landing", "before-refactor"}
	for _, c := range []struct{ word, want string }{
		{"a1b2c3d6", "a1b2c3d4 a1b2c3d5"},
		{"a1b2c4d3", "a1b2c3d4 a1b2c3d5"},
		{"1ab2c3d4", "a1b2c3d4 a1b2c3d5"},
		{"a1b3", "a1b2c3d4 a1b2c3d5 a1b2ffff"},
		{"00001112", "00001111"},
		{"lnading", "landing"},
		{"lading", "landing"},
		{"befor-refactor", "before-refactor"},
		{"x", ""},
		{"zzzzzzzz", ""},
		{strings.Repeat("a", 100), ""},
		{"", ""},
	} {
		if got := strings.Join(session.Nearest(c.word, ids), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.word, got, c.want)
		}
	}
}

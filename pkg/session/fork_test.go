package session_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

func compaction(id, parent, first string) string {
	return line("compaction", id, parent, `"summary":"s"`, `"firstKeptEntryId":`+quote(first), `"tokensBefore":1`)
}

func TestBranch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, lines, leaf, want string }{
		{"empty", "", "", ""},
		{"unchanged without labels", "a b<a", "b", "a b<a"},
		{"an inner entry", "a b<a c<b d<a", "b", "a b<a"},
		{"re-chained round labels", "a l1<a:a=x l2<l1:a=y b<l2", "b", "a b<a n1<b:a=y"},
		{"a label first", "l1:b=x b<l1", "b", "b n1<b:b=x"},
		{"a label as leaf", "a l1<a:a=x", "l1", "a n1<a:a=x"},
		{
			"labels of other branches, of later entries, of entries off the path",
			"a b<a other<a l1<other:b=afar l2<l1:other=off l3<l2:gone=nowhere", "b", "a b<a n1<b:b=afar",
		},
		{"order of the labels", "a b<a l1<b:b=1 l2<l1:a=2 l3<l2:b=3", "l3", "a b<a n1<b:b=3 n2<n1:a=2"},
		{"cleared labels", "a l1<a:a=x l2<l1:a=", "l2", "a"},
		{"a compaction that keeps from a label on", "a l1<a:a=x l2<l1:a=y b<l2 c<b:l1", "c", "a b<a c<b:b n1<c:a=y"},
		{"a compaction right behind the label it keeps from", "a l1<a:a=x c<l1:l1", "c", "a c<a:c n1<c:a=x"},
		{"a compaction that keeps from an entry on", "a l1<a:a=x c<l1:a", "c", "a c<a:a n1<c:a=x"},
		{"an orphan becomes a root", "b<gone c<b", "c", "b c<b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkBranch(t, drawn(c.lines), c.leaf, drawn(c.want))
		})
	}
	const empty, absent = `{"type":"custom","id":"a","parentId":""}`, `{"type":"custom","id":"r" , "n":1.0`
	checkBranch(t, []string{empty, user("b", "a", "2"), absent + "}"}, "b", []string{empty, user("b", "a", "2")})
	checkBranch(t, []string{absent + "}"}, "r", []string{absent + `,"parentId":null}`})
}

func checkBranch(t *testing.T, lines []string, at string, want []string) {
	t.Helper()
	s := parse(t, lines...)
	leaf, ok := s.Index(at)
	if !ok {
		leaf = -1
	}
	got, err := s.Branch(leaf, counter())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, raws(got)); diff != "" {
		t.Error(diff)
	}
	// The branch is a session without findings.
	path, problems := parse(t, raws(got)...).Path(len(got) - 1)
	if len(problems) != 0 || len(path) != len(got) {
		t.Errorf("path %v, problems %v", ids(path), problems)
	}
}

func TestBranchLabelTimes(t *testing.T) {
	t.Parallel()
	l := func(id, at string) string {
		return `{"type":"label","id":"` + id + `","parentId":"a","timestamp":"` + at + `","targetId":"a","label":"` + id + `"}`
	}
	for at, want := range map[string]string{"2026-05-06T07:08:09.010Z": "2026-05-06T07:08:09.010Z", "2026-05-06": "2026-05-06T00:00:00.000Z", "?": "1970-01-01T00:00:00.000Z"} {
		got, err := parse(t, user("a", "", ""), l("x", at)).Branch(0, nil)
		if err != nil || len(got) != 2 || got[1].Str("timestamp") != want {
			t.Errorf("%s: %v, %v", at, raws(got), err)
		}
	}
	s := parse(t, user("a", "", ""), l("x", "2026-05-06"))
	if _, err := s.Branch(0, func(func(string) bool) (string, error) { return "", io.ErrUnexpectedEOF }); err == nil {
		t.Error("no error without ids")
	}
	// New ids avoid those of the kept entries.
	if _, err := s.Branch(0, func(known func(string) bool) (string, error) {
		if !known("a") || known("x") {
			t.Error("a is kept, x is not")
		}
		return "n", nil
	}); err != nil {
		t.Error(err)
	}
}

// A fork has the context of the path it was made of.
func TestBranchKeepsContext(t *testing.T) {
	t.Parallel()
	for _, path := range corpus.PiSessions(t) {
		s, err := read(t, path)
		if err != nil || len(s.Entries) == 0 {
			continue
		}
		leaf, _ := s.Leaf()
		entries, _ := s.Path(leaf)
		got, err := s.Branch(leaf, counter())
		if err != nil {
			t.Fatal(err)
		}
		again := parse(t, raws(got)...)
		branched, _ := again.Path(len(got) - 1)
		if diff := cmp.Diff(strings.Join(convo.ContextOf(convo.Project(entries), entries).Pieces(), ""), strings.Join(convo.ContextOf(convo.Project(branched), branched).Pieces(), "")); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

func TestForkTitle(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "x": "x (fork #1)", "x (fork #1)": "x (fork #2)", "x (fork #9)": "x (fork #10)",
		"x (fork #1) (fork #4)": "x (fork #1) (fork #5)", "(fork #1)": "(fork #1) (fork #1)", " (fork #1)": " (fork #1) (fork #1)",
		"x (fork #)": "x (fork #) (fork #1)", "x (fork #1) ": "x (fork #1)  (fork #1)", "x (fork #-1)": "x (fork #-1) (fork #1)",
		"x (fork #007)": "x (fork #8)",
	} {
		if got := session.ForkTitle(in); got != want {
			t.Errorf("ForkTitle(%q) = %q, want %q", in, got, want)
		}
	}
	for _, huge := range []string{"x (fork #9223372036854775807)", "x (fork #99999999999999999999)"} {
		if got := session.ForkTitle(huge); got != huge+" (fork #1)" || strings.Contains(got, "#-") {
			t.Errorf("ForkTitle(%q) = %q", huge, got)
		}
	}
}

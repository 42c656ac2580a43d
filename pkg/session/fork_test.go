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

// The labels of the new session carry the time of the entries that set them.
func forked(id, parent, target, name string) string {
	return line("label", id, parent, `"targetId":`+quote(target), `"label":`+quote(name))
}

func TestBranch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		lines []string
		leaf  string
		want  []string
	}{
		{"empty", nil, "", []string{}},
		{
			"unchanged without labels",
			[]string{user("a", "", "1"), user("b", "a", "2")},
			"b",
			[]string{user("a", "", "1"), user("b", "a", "2")},
		},
		{
			"an inner entry",
			[]string{user("a", "", "1"), user("b", "a", "2"), user("c", "b", "3"), user("d", "a", "4")},
			"b",
			[]string{user("a", "", "1"), user("b", "a", "2")},
		},
		{
			"re-chained round labels",
			[]string{user("a", "", "1"), label("l1", "a", "a", "x"), label("l2", "l1", "a", "y"), user("b", "l2", "2")},
			"b",
			[]string{user("a", "", "1"), user("b", "a", "2"), forked("n1", "b", "a", "y")},
		},
		{
			"a label first",
			[]string{label("l1", "", "b", "x"), user("b", "l1", "2")},
			"b",
			[]string{user("b", "", "2"), forked("n1", "b", "b", "x")},
		},
		{
			"a label as leaf",
			[]string{user("a", "", "1"), label("l1", "a", "a", "x")},
			"l1",
			[]string{user("a", "", "1"), forked("n1", "a", "a", "x")},
		},
		{
			"labels of other branches, of later entries, of entries off the path",
			[]string{
				user("a", "", "1"), user("b", "a", "2"), user("other", "a", "3"), label("l1", "other", "b", "from afar"),
				label("l2", "l1", "other", "off the path"), label("l3", "l2", "gone", "nowhere"),
			},
			"b",
			[]string{user("a", "", "1"), user("b", "a", "2"), forked("n1", "b", "b", "from afar")},
		},
		{
			"order of the labels",
			[]string{
				user("a", "", "1"), user("b", "a", "2"), label("l1", "b", "b", "1"), label("l2", "l1", "a", "2"),
				label("l3", "l2", "b", "3"),
			},
			"l3",
			[]string{user("a", "", "1"), user("b", "a", "2"), forked("n1", "b", "b", "3"), forked("n2", "n1", "a", "2")},
		},
		{
			"cleared labels",
			[]string{user("a", "", "1"), label("l1", "a", "a", "x"), label("l2", "l1", "a", "")},
			"l2",
			[]string{user("a", "", "1")},
		},
		{
			"a compaction that keeps from a label on",
			[]string{user("a", "", "1"), label("l1", "a", "a", "x"), label("l2", "l1", "a", "y"), user("b", "l2", "2"), compaction("c", "b", "l1")},
			"c",
			[]string{user("a", "", "1"), user("b", "a", "2"), compaction("c", "b", "b"), forked("n1", "c", "a", "y")},
		},
		{
			"a compaction right behind the label it keeps from",
			[]string{user("a", "", "1"), label("l1", "a", "a", "x"), compaction("c", "l1", "l1")},
			"c",
			[]string{user("a", "", "1"), compaction("c", "a", "c"), forked("n1", "c", "a", "x")},
		},
		{
			"a compaction that keeps from an entry on",
			[]string{user("a", "", "1"), label("l1", "a", "a", "x"), compaction("c", "l1", "a")},
			"c",
			[]string{user("a", "", "1"), compaction("c", "a", "a"), forked("n1", "c", "a", "x")},
		},
		{
			"an orphan becomes a root",
			[]string{user("b", "gone", "2"), user("c", "b", "3")},
			"c",
			[]string{user("b", "", "2"), user("c", "b", "3")},
		},
		{
			"an empty parent stays, an absent one is written",
			[]string{`{"type":"custom","id":"a","parentId":""}`, user("b", "a", "2"), `{"type":"custom","id":"r" , "n":1.0}`},
			"b",
			[]string{`{"type":"custom","id":"a","parentId":""}`, user("b", "a", "2")},
		},
		{
			"an absent parent is written",
			[]string{`{"type":"custom","id":"r" , "n":1.0}`},
			"r",
			[]string{`{"type":"custom","id":"r" , "n":1.0,"parentId":null}`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := parse(t, c.lines...)
			leaf, ok := s.Index(c.leaf)
			if !ok {
				leaf = -1
			}
			got, err := s.Branch(leaf, counter())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, raws(got)); diff != "" {
				t.Error(diff)
			}
			// The branch is a session without findings.
			again := parse(t, raws(got)...)
			path, problems := again.Path(len(got) - 1)
			if len(problems) != 0 || len(path) != len(got) {
				t.Errorf("path %v, problems %v", ids(path), problems)
			}
		})
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

package convo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

func TestReinject(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		lines        []string
		after, front string // ids, those of initial context in brackets
	}{
		{"nothing to put in", []string{user("u", "", ""), compaction("c", "", "c"), user("v", "", "")}, "c v", "c v"},
		{"kept and new messages", []string{marked("m", "a"), user("u", "", ""), compaction("c", "", "u"), user("v", "", ""), result("r")}, "c [m] u v r", "c u [m] v r"},
		{"no user message", []string{marked("m", "a"), user("u", "", ""), compaction("c", "", "c"), detailed("n", "b", "{}")}, "c [m] n", "c [m] n"},
		{"the summary alone", []string{marked("m", "a"), compaction("c", "", "c")}, "c [m]", "c [m]"},
		{"a tool result behind the summary", []string{marked("m", "a"), result("q"), label("l", "", "q", "x"), result("r"), label("k", "", "q", "y"), detailed("n", "b", "{}"), compaction("c", "", "q")}, "c q l r [m] k n", "c q l r [m] k n"},
		{"nothing but tool results", []string{marked("m", "a"), result("q"), compaction("c", "", "q")}, "c q [m]", "c q [m]"},
		{"the last user message is removed", []string{marked("m", "a"), user("u", "", ""), user("v", "", ""), compaction("c", "", "u"), edit("e", "", "v", "null")}, "c [m] u v e", "c [m] u v e"},
		{"prompt and task", []string{sessionInit("i", "p", "t"), user("u", "", ""), compaction("c", "", "u")}, "c [i i] u", "c [i i] u"},
		{"older than the system message", []string{system("s", "a"), marked("m", "a"), user("u", "", ""), compaction("c", "", "u"), system("r", "b"), user("v", "", "")}, "c [s m] u r v", "c u [s] r [m] v"},
		{"system message behind the place", []string{system("s", "a"), marked("m", "a"), user("u", "", ""), compaction("c", "", "u"), system("r", "b")}, "c [s m] u r", "c [s m] u r"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := threaded(t, c.lines)
			initial := convo.InitialContext(path)
			for at, want := range map[convo.Placement]string{convo.AfterSummary: c.after, convo.BeforeLastUser: c.front} {
				if got := bracketed(convo.Reinject(convo.Project(path), initial, at), initial); got != want {
					t.Errorf("%d: %q, want %q", at, got, want)
				}
			}
		})
	}
}

// bracketed returns the ids of a projection; those of initial context, which
// the projection does not have otherwise, stand in brackets.
func bracketed(projection, initial []convo.Projected) string {
	added := map[string]bool{}
	for _, p := range initial {
		added[p.Entry.ID()] = true
	}
	var b strings.Builder
	in := false
	for _, p := range projection {
		is := added[p.Entry.ID()]
		if in && !is {
			b.WriteString("]")
		}
		if b.Len() > 0 {
			b.WriteString(" ")
		}
		if is && !in {
			b.WriteString("[")
		}
		b.WriteString(p.Entry.ID())
		in = is
	}
	if in {
		b.WriteString("]")
	}
	return b.String()
}

func TestReinjectIntoNothing(t *testing.T) {
	t.Parallel()
	initial := convo.InitialContext(threaded(t, []string{marked("m", "a"), compaction("c", "", "c")}))
	for _, at := range []convo.Placement{convo.AfterSummary, convo.BeforeLastUser} {
		if got := words(convo.Reinject(nil, initial, at)); got != "m custom:a" {
			t.Errorf("%d: %q", at, got)
		}
	}
}

// Laws: initial context goes in whole, nothing else changes its place, it is
// never in front of a tool result or of the summary, and system messages stay
// in the order of the path.
func reinjects(t *rapid.T) {
	var lines []string
	n := rapid.IntRange(1, 12).Draw(t, "entries")
	for i := range n {
		id := fmt.Sprintf("e%d", i)
		kept := fmt.Sprintf("e%d", rapid.IntRange(0, n).Draw(t, "kept"))
		lines = append(lines, rapid.SampledFrom([]string{
			user(id, "", "task"), user(id, "", id), result(id), system(id, id), marked(id, id), sessionInit(id, "prompt", "task"),
			compaction(id, "", kept), carrying(id, kept, id), label(id, "", id, "x"), reset(id), edit(id, "", kept, "null"),
		}).Draw(t, "entry"))
	}
	var path []session.Entry
	for _, l := range lines {
		e, err := session.ParseEntry(l)
		if err != nil {
			t.Fatal(err)
		}
		path = append(path, e)
	}
	before, initial := convo.Project(path), convo.InitialContext(path)
	at := rapid.SampledFrom([]convo.Placement{convo.AfterSummary, convo.BeforeLastUser}).Draw(t, "at")
	after := convo.Reinject(before, initial, at)
	checkReinjected(t, before, initial, after)
}

func checkReinjected(t *rapid.T, before, initial, after []convo.Projected) {
	same := func(a, b convo.Projected) bool {
		return words([]convo.Projected{a}) == words([]convo.Projected{b}) && a.Entry.ID() == b.Entry.ID()
	}
	restOld, restNew, lastSystem := before, initial, ""
	for i, p := range after {
		switch {
		case len(restOld) > 0 && same(p, restOld[0]):
			restOld = restOld[1:]
		case len(restNew) > 0 && same(p, restNew[0]):
			restNew = restNew[1:]
			next := slices.IndexFunc(after[i+1:], func(p convo.Projected) bool { return len(p.Messages) > 0 })
			if i == 0 || next >= 0 && after[i+1+next].Messages[0].Role() == session.RoleToolResult {
				t.Fatalf("%s in %s", words(initial), words(after))
			}
		default:
			t.Fatalf("%s of %s and %s", words(after), words(before), words(initial))
		}
		if id := p.Entry.ID(); len(p.Messages) > 0 && p.Messages[0].Role() == session.RoleSystem {
			if len(id) < len(lastSystem) || len(id) == len(lastSystem) && id < lastSystem {
				t.Fatalf("%s after %s: %s", id, lastSystem, words(after))
			}
			lastSystem = id
		}
	}
	if len(restOld)+len(restNew) > 0 {
		t.Fatalf("%s and %s are not in %s", words(restOld), words(restNew), words(after))
	}
}

func TestReinjectLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, reinjects)
}

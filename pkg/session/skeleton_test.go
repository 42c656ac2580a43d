package session_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/session"
)

// TestSkeletonLaw draws sessions with cycles, missing parents and ids that stand twice: a
// skeleton has their tree as Read has it, however it was put together.
func TestSkeletonLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "a longer id", "another id"})
		var lines []string
		last := ""
		for range rapid.IntRange(0, 12).Draw(t, "entries") {
			id, parent := ids.Draw(t, "id"), last
			if rapid.Bool().Draw(t, "bends") {
				parent = rapid.OneOf(ids, rapid.Just(""), rapid.Just("nowhere")).Draw(t, "parent")
			}
			lines, last = append(lines, corpus.Line("custom", id, parent)), id
		}
		s, err := session.Read(strings.NewReader(corpus.Join(append([]string{corpus.Head}, lines...)...)))
		if err != nil {
			t.Fatal(err)
		}
		front := session.NewSkeleton(0)
		back := front.Beside(0)
		half := rapid.IntRange(0, len(s.Entries)).Draw(t, "half")
		for i, e := range s.Entries {
			if i < half {
				front.AddEntry(e)
			} else {
				back.AddEntry(e)
			}
		}
		front.Join(back)
		sameTree(t, s, front)
	})
}

func sameTree(t *rapid.T, s *session.Session, k *session.Skeleton) {
	repeats, plain, chain := false, true, true
	parents, plainToo := k.Parents()
	for i, e := range s.Entries {
		last, _ := s.Index(e.ID())
		repeats = repeats || last != i
		if n, ok := k.Find(e.ID()); !ok || n != last || k.FindAll([]string{"x", e.ID()})[1] != last {
			t.Fatalf("%s is %d, not %d", e.ID(), n, last)
		}
		parent, ok := s.Parent(i)
		if !ok {
			parent = -1
		}
		if int(parents[i]) != parent {
			t.Fatalf("entry %d hangs from %d, not %d", i, parents[i], parent)
		}
		plain = plain && (e.ParentID() == "" || ok && parent < i)
		chain = chain && (i == 0 && e.ParentID() == "" || i > 0 && e.ParentID() == s.Entries[i-1].ID())
		want, _ := s.PathIndex(i)
		var got []int
		path, _ := k.Path(i)
		for _, p := range path {
			for n := p.First; n <= p.Last; n++ {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("path of %d: %v, not %v", i, got, want)
		}
	}
	if k.Len() != len(s.Entries) || k.Repeats() != repeats || plainToo != plain || !repeats && k.IsChain() != chain {
		t.Fatalf("%d entries, repeats %v, plain %v, chain %v", k.Len(), k.Repeats(), plainToo, k.IsChain())
	}
	if !repeats && !slices.Equal(k.Heads(), s.Heads()) {
		t.Fatalf("heads %v, not %v", k.Heads(), s.Heads())
	}
}

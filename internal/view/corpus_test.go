package view_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/corpus"
	"github.com/sess-tools/sess/internal/view"
	"github.com/sess-tools/sess/pkg/session"
)

// TestCorpus: the laws hold for all heads of all sessions, and the budgets of a
// head are what Budget promises.
func TestCorpus(t *testing.T) {
	t.Parallel()
	paths := append(corpus.Sessions(t, "pi"), corpus.Sessions(t, "omp")...)
	if len(paths) < 50 {
		t.Fatalf("only %d sessions", len(paths))
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s, err := session.Read(bytes.NewReader(corpus.Session(t, path)))
			if err != nil {
				t.Skip(err)
			}
			heads := s.Heads()
			for _, head := range heads[max(0, len(heads)-5):] {
				entries, _ := s.Path(head)
				lawful(t, session.ToLLM(session.BuildContext(entries).Messages))
				projection := session.Project(entries)
				for _, tokens := range []int64{0, 100, 1000, 1 << 40} {
					lawfulBudget(t, projection, tokens)
				}
			}
		})
	}
}

// golden are sessions whose requests are written down in testdata/golden: one
// with several tool calls, one with damage to repair.
func TestGenuineNeedsNoRepairs(t *testing.T) {
	t.Parallel()
	for _, path := range corpus.Sessions(t, "pi/genuine") {
		s, err := session.Read(bytes.NewReader(corpus.Session(t, path)))
		if err != nil {
			t.Fatal(err)
		}
		leaf, ok := s.Leaf()
		if !ok {
			continue
		}
		entries, _ := s.Path(leaf)
		_, repairs := view.Anthropic(session.ToLLM(session.BuildContext(entries).Messages), view.Options{})
		t.Logf("%s: %q", path, strings.Join(repairs, "; "))
	}
}

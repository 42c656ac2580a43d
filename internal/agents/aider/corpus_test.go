package aider_test

import (
	"testing"

	"github.com/sess-tools/sess/internal/agents/aider"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	sources := map[string]string{}
	for _, name := range []string{"sample1.md", "chat-history-part.md", "input.history"} {
		sources[name] = must.Read(t, sample(name))
	}
	formatstest.Laws(t, aider.Aider, formatstest.Corpus{
		Sources: sources, Text: true,
	})
}

// A history has a session for each start of aider.
func TestSessions(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"sample1.md": 2, "chat-history-part.md": 15} {
		if got := formatstest.Import(t, aider.Aider, &formats.Source{Path: sample(name)}, false); len(got) != want {
			t.Errorf("%s: %d sessions", name, len(got))
		}
	}
}

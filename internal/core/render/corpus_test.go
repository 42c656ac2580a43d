package render_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// TestCorpus: the laws hold for the last heads of all sessions, and the budgets of a
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
			for _, head := range heads[max(0, len(heads)-2):] {
				entries, _ := s.Path(head)
				lawful(t, convo.ToLLM(convo.MessagesOf(convo.Project(entries))))
				projection := convo.Project(entries)
				for _, tokens := range []int64{0, 1000} {
					lawfulBudget(t, projection, tokens)
				}
			}
		})
	}
}

// TestGenuine: what pi itself wrote, in runs that were not interrupted, needs
// no repair.
func TestGenuine(t *testing.T) {
	t.Parallel()
	for _, path := range corpus.Sessions(t, "pi/genuine") {
		messages := context(t, path)
		if _, repairs := openAIText(messages, render.Options{}); len(repairs) > 0 {
			t.Errorf("%s: OpenAI: %q", path, repairs)
		}
		if _, repairs := anthropicText(messages, render.Options{}); len(repairs) > 0 {
			t.Errorf("%s: Anthropic: %q", path, repairs)
		}
	}
}

// context returns what a model reads of the session at path.
func context(t *testing.T, path string) []session.Message {
	t.Helper()
	s, err := session.Read(bytes.NewReader(corpus.Session(t, path)))
	must.Do(t, err)
	leaf, _ := s.Leaf()
	entries, _ := s.Path(leaf)
	return convo.ToLLM(convo.MessagesOf(convo.Project(entries)))
}

var update = flag.Bool("update", false, "write testdata/golden anew")

// TestGolden compares whole views with files that a person has read.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"branching", "unicode", "messy", "v3-pi15-entries"} {
		messages := context(t, "pi/sessions/"+name+".jsonl")
		openAI, openAIRepairs := openAIText(messages, render.Options{System: true})
		anthropic, anthropicRepairs := anthropicText(messages, render.Options{System: true})
		var text, markdown strings.Builder
		must.Do(t, errors.Join(render.Text(&text, messages), render.Markdown(&markdown, messages)))
		golden(t, name+".openai", strings.Join(append(openAIRepairs, openAI), "\n")+"\n")
		golden(t, name+".anthropic", strings.Join(append(anthropicRepairs, anthropic), "\n")+"\n")
		golden(t, name+".txt", text.String())
		golden(t, name+".md", markdown.String())
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		must.Do(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	must.Do(t, err)
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s: -want +got\n%s", name, d)
	}
}

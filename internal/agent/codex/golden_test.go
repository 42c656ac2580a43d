package codex_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sess-tools/sess/internal/agent/codex"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/formatstest"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/session"
)

// again are those that codex compacted once more before it sent anything, because its
// model had become another one.
var again = []string{"03-resumed__3800"}

// unpacked returns a directory with the samples: a home of codex, variants of rollouts, and
// what codex sent of each.
func unpacked(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range corpus.Golden(t, "codex/rollouts/0.169") {
		if strings.HasSuffix(name, "/") {
			continue
		}
		write(t, filepath.Join(dir, filepath.FromSlash(name)), string(data))
	}
	return dir
}

func write(t testing.TB, path, content string) string {
	t.Helper()
	formatstest.Put(t, path, content)
	return path
}

// TestGolden compares the context of each sample with what codex 0.169 sent of it.
func TestGolden(t *testing.T) {
	t.Parallel()
	compareAll(t, unpacked(t))
}

func compareAll(t *testing.T, dir string) {
	t.Helper()
	briefs, err := filepath.Glob(filepath.Join(dir, "golden", "*.brief"))
	if err != nil || len(briefs) == 0 {
		t.Fatalf("%q, %v", briefs, err)
	}
	all := rollouts(t, dir)
	for _, brief := range briefs {
		name := strings.TrimSuffix(filepath.Base(brief), ".brief")
		t.Run(name, func(t *testing.T) {
			path := rolloutFor(t, all, name)
			data, err := os.ReadFile(brief)
			if err != nil {
				t.Fatal(err)
			}
			if name == "v16-no-session-meta" {
				refused(t, path)
				return
			}
			r := one(t, path)
			if len(data) == 0 {
				return // codex refuses it, and we do not
			}
			compare(t, name, briefOf(r.Session(t)), readBrief(t, data))
		})
	}
}

// rolloutFor returns the rollout that a golden answer is for: of a genuine one its name is
// that of the conversation, and the end of the id.
func rolloutFor(t *testing.T, all []string, name string) string {
	t.Helper()
	_, end, genuine := strings.Cut(name, "__")
	for _, path := range all {
		base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".zst"), ".jsonl")
		if base == name || genuine && strings.HasPrefix(base, "rollout-") && strings.HasSuffix(base, end) && !strings.Contains(path, "before") && !strings.Contains(path, "migrated"+string(filepath.Separator)+"rollout") {
			return path
		}
	}
	t.Fatalf("no rollout for %s", name)
	return ""
}

func refused(t *testing.T, path string) {
	t.Helper()
	a := formatstest.Open(t, codex.Format, &formats.Source{Path: path})
	for _, err := range a.List(t.Context(), formats.Query{}) {
		if !errors.Is(err, session.ErrMalformed) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v", err)
		}
	}
}

func compare(t *testing.T, name string, got, want [][]string) {
	t.Helper()
	if slices.Contains(again, name) {
		got, want = usersOf(got), usersOf(want)
	}
	shortened(got, want)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-codex +sess):\n%s", diff)
	}
}

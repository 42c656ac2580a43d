package codex_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

// rollouts returns the paths of all rollouts below dir.
func rollouts(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".jsonl") || strings.HasSuffix(path, ".jsonl.zst")) &&
			(strings.HasPrefix(d.Name(), "rollout-") || strings.HasPrefix(d.Name(), "v")) {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A fork that codex keeps as a pointer into another file becomes one that needs none:
// with the same context, and without the base.
func TestForkStandsAlone(t *testing.T) {
	t.Parallel()
	dir := unpacked(t)
	fork := rolloutFor(t, rollouts(t, dir), "04-exec-fork__f2cb")
	s := one(t, fork).Session(t)
	out, losses := formatstest.Export(t, codex.Format, s, "")
	if len(losses) > 0 {
		t.Errorf("losses %v", losses)
	}
	if strings.Contains(strings.SplitN(out, "\n", 2)[0], "history_base") {
		t.Error("it still goes on from another file")
	}
	back := one(t, write(t, filepath.Join(t.TempDir(), "x.jsonl"), out)).Session(t)
	if diff := cmp.Diff(briefOf(s), briefOf(back)); diff != "" || back.Header.ID != s.Header.ID || back.Header.ParentSession != s.Header.ParentSession {
		t.Errorf("%s\n%s", diff, back.Header.Raw())
	}
}

// What was reverted is a branch, and so is what a rollback takes back; the lines of both come
// back, of the first as far as one rollout can hold them.
func TestBranches(t *testing.T) {
	t.Parallel()
	dir := unpacked(t)
	a := formatstest.Open(t, codex.Format, &formats.Source{Path: filepath.Join(dir, "home")})
	info, err := formats.Find(t.Context(), a, "The reverted one")
	if err != nil {
		t.Fatal(err)
	}
	s := formatstest.Read(t, codex.Format, a, info).Session(t)
	var heads []string
	for _, i := range s.Heads() {
		path, _ := s.Path(i)
		text := ""
		for _, e := range path {
			if m, ok := e.Message(); ok && e.Role() == session.RoleUser {
				text = m.Text("")
			}
		}
		heads = append(heads, text)
	}
	if diff := cmp.Diff([]string{"Question two", "Question three", "Question three again"}, heads); diff != "" {
		t.Errorf("heads (-want +got):\n%s", diff)
	}
	if s.Name != "The reverted one" {
		t.Errorf("name %q", s.Name)
	}
	_, losses := formatstest.Export(t, codex.Format, s, "")
	if len(losses) != 1 || losses[0].Kind != formats.KindBranch {
		t.Errorf("losses %v", losses)
	}
	rolled := one(t, rolloutFor(t, rollouts(t, dir), "v11-rolled-back")).Session(t)
	if n := len(rolled.Heads()); n != 2 {
		t.Errorf("%d heads after a rollback", n)
	}
}

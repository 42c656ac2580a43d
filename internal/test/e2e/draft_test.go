package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every tool takes the path that sess-new --defer printed, before and after the
// session is published.
func TestDraftTour(t *testing.T) {
	t.Parallel()
	for where, flags := range map[string][]string{"--all": {"--store"}, ".": {"-o", "s.jsonl"}} {
		dir := t.TempDir()
		r := runCommand(t, dir, "", append([]string{"sess-new", "--defer", "--title", "draft"}, flags...)...)
		if r.status != 0 {
			t.Fatalf("%s", r.stderr)
		}
		path := strings.TrimSuffix(r.stdout, "\n")
		run := func(args ...string) string {
			t.Helper()
			r := runCommand(t, dir, "", args...)
			if r.status != 0 {
				t.Errorf("%q: status %d: %s", args, r.status, r.stderr)
			}
			return r.stdout
		}
		abs := path
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(dir, path)
		}
		published := func() bool {
			_, err := os.Stat(abs)
			return err == nil
		}
		run("sess-append", "-t", strings.Repeat("a long question ", 300), path)
		run("sess-append", "-t", "and a short one", path)
		for _, step := range []string{"draft", "published"} {
			if published() != (step == "published") {
				t.Fatalf("%s: %v", step, published())
			}
			if out := run("sess-path", "--as", "text", path); !strings.Contains(out, "and a short one") {
				t.Errorf("%s: sess-path prints %q", step, out)
			}
			if out := run("sess-fork", "--branches", path); !strings.Contains(out, `"parentSession":"`+abs+`"`) {
				t.Errorf("%s: the fork has %.300q", step, out)
			}
			run("sess-tree", path)
			run("sess-check", path)
			if out := run("sess-compact", "--plan", "--keep", "3", path); !strings.Contains(out, "firstKeptEntryId") {
				t.Errorf("%s: plan %q", step, out)
			}
			run("sess-compact", "--keep", "3", path)
			if published() != (step == "published") {
				t.Errorf("%s: a compaction published it", step)
			}
			listed := runCommand(t, dir, "", "sess-ls", "--paths", where).stdout
			if strings.Contains(listed, ".jsonl") != (step == "published") {
				t.Errorf("%s: listed %q", step, listed)
			}
			run("sess-append", "-r", "assistant", "-t", strings.Repeat("a long answer ", 300), path)
			run("sess-append", "-t", "and a short one", path)
		}
	}
}

package aider

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
)

func TestHome(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	named := ""
	env := formats.Env{Getenv: func(name string) string {
		if name == "AIDER_CHAT_HISTORY_FILE" {
			return named
		}
		return ""
	}}
	want := func(path string) {
		t.Helper()
		if got, err := home(env); got != path || err != nil {
			t.Errorf("%q, %v, want %q", got, err, path)
		}
	}
	want(filepath.Join(below, chatName))
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	want(filepath.Join(root, chatName))
	named = "/elsewhere.md"
	want(named)
}

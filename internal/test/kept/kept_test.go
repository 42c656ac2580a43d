// Package kept sees that scripts/test runs again what it has kept a result of, once that may be another.
package kept

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
)

// A failure is planted where go test itself does not look: in a tool that only the tests of all tools see, in a script, in a
// sample that a process reads, in another program.
func TestKept(t *testing.T) {
	if os.Getenv("SESS_DRAW") != "full" {
		t.Skip("it tests in a copy of the checkout, for a minute: CI does once a day, with SESS_DRAW=full")
	}
	dir := copied(t)
	tests := []struct {
		name     string
		run, pkg string // what is tested
		plant    func(t *testing.T) (env string, restore func())
	}{
		{"a tool", "^TestGatesTellOfDamage$", "./internal/test/e2e", func(t *testing.T) (string, func()) {
			return "", edited(t, filepath.Join(dir, "cmd/sess-stat/main.go"), "if err := c.check(); err != nil {", "if true {\n\t\treturn cli.No(\"planted\")\n\t}\n\tif err := c.check(); err != nil {")
		}},
		{"a script", "^TestChat$", "./internal/test/e2e", func(t *testing.T) (string, func()) {
			return "", edited(t, filepath.Join(dir, "scripts/chat"), "\n", "\nexit 7\n")
		}},
		{"a sample", "^TestScript$/^prompts$", "./cmd/sess-import", func(t *testing.T) (string, func()) {
			return "", edited(t, filepath.Join(dir, "testdata/omp/history/history.db"), "SQLite format 3", "sqlite format 3")
		}},
		{"another jq", "^TestAsJqAndGrep$", "./cmd/sess-grep", func(t *testing.T) (string, func()) {
			bin := t.TempDir()
			write(t, filepath.Join(bin, "jq"), []byte("#!/bin/sh\necho planted\n"))
			return "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), func() {}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := func(env string) string {
				c := exec.Command("sh", "scripts/test", "-run", tt.run, tt.pkg)
				c.Dir, c.Env = dir, append(os.Environ(), env)
				out, _ := c.CombinedOutput()
				return string(out)
			}
			if out := run(""); !strings.Contains(out, "\nok ") || strings.Contains(out, "[no tests to run]") {
				t.Fatalf("it does not pass:\n%s", out)
			}
			if out := run(""); !strings.Contains(out, "(cached)") {
				t.Errorf("no result is kept:\n%s", out)
			}
			env, restore := tt.plant(t)
			out := run(env)
			restore()
			if !strings.Contains(out, "\nFAIL\t") || strings.Contains(out, "[build failed]") {
				t.Errorf("what was planted is not seen:\n%s", out)
			}
		})
	}
}

// copied returns a copy of the checkout, made by another process: go test is to hear of those files alone that
// decide what is kept.
func copied(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"scripts/test", "scripts/common", "internal/test/scripttest/scripttest.go", "internal/test/corpus/corpus.go"} {
		if _, err := os.Stat(filepath.Join(corpus.Root(), name)); err != nil {
			t.Fatal(err)
		}
	}
	to := t.TempDir()
	c := exec.Command("sh", "-euc", `for name in * .ci .build; do case $name in .git | dist) ;; *) [ ! -e "$name" ] || cp -R "$name" "$0/" ;; esac; done; rm -rf "$0/.build/race"`, to)
	c.Dir = corpus.Root()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return to
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o755); err != nil { //nolint:gosec // scripts have to be executable
		t.Fatal(err)
	}
}

// edited replaces the first old in a file. restore takes it back.
func edited(t *testing.T, path, old, changed string) (restore func()) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(data, []byte(old)) {
		t.Fatalf("%s has no %q: %v", path, old, err)
	}
	write(t, path, bytes.Replace(data, []byte(old), []byte(changed), 1))
	return func() { write(t, path, data) }
}

//go:build unix

package command

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestNotStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, body string, mode os.FileMode) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(body), mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	plainFile := write("plain", "echo", 0o600)
	tests := []struct {
		name  string
		argv0 string
		is    error
		hint  string
	}{
		{"not in PATH", "sess-no-such-command", exec.ErrNotFound, "check its name"},
		{"no such file", filepath.Join(dir, "none"), fs.ErrNotExist, "check its name"},
		{"not executable", plainFile, fs.ErrPermission, "executable file?"},
		{"directory", dir, fs.ErrPermission, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Command{Argv: []string{tt.argv0, secret}}.Run(t.Context(), testPrompt)
			var e *Error
			if !errors.As(err, &e) || e.Reason != NotStarted || e.Status != -1 || !errors.Is(err, ErrCommand) {
				t.Fatalf("got %#v, want NotStarted", err)
			}
			if tt.name != "directory" && !errors.Is(err, tt.is) {
				t.Errorf("%v does not match %v", err, tt.is)
			}
			if n := strings.Count(err.Error(), tt.argv0); n != 1 || !strings.Contains(err.Error(), tt.hint) {
				t.Errorf("%q: name %d times, want once, and %q", err, n, tt.hint)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%q tells an argument", err)
			}
		})
	}
}

func TestShellNotFound(t *testing.T) {
	t.Parallel()
	_, err := Command{Shell: "KEY=" + secret + " sess-no-such-command"}.Run(t.Context(), testPrompt)
	var e *Error
	if !errors.As(err, &e) || e.Status != 127 || !strings.Contains(err.Error(), "sess-no-such-command") {
		t.Errorf("got %v, want status 127 and the shell's words", err)
	}
	if err != nil && strings.Contains(err.Error(), secret) {
		t.Errorf("%q tells the command line", err)
	}
}

func TestInvalidCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []Command{{}, {Argv: []string{"cat"}, Shell: "cat"}} {
		if _, err := c.Run(t.Context(), "x"); err == nil || errors.Is(err, ErrCommand) {
			t.Errorf("%v: got %v, want an error that is not the command's", c, err)
		}
	}
}

// TestRecursion cannot be parallel: the guard is an environment variable.
func TestRecursion(t *testing.T) {
	t.Setenv(Guard, "1")
	c := stub(t, `echo '## Goal'`)
	if got, err := c.Run(context.Background(), testPrompt); err != nil || got != "## Goal" {
		t.Errorf("a command that does not summarize: %q, %v", got, err)
	}
	c.Summarizes = true
	_, err := c.Run(context.Background(), testPrompt)
	if !errors.Is(err, ErrRecursion) || !errors.Is(err, ErrCommand) || !strings.Contains(err.Error(), Guard) {
		t.Errorf("got %v, want ErrRecursion", err)
	}
	t.Setenv(Guard, "") // an empty variable is unset
	if got, err := c.Run(context.Background(), testPrompt); err != nil || got != "## Goal" {
		t.Errorf("with an empty guard: %q, %v", got, err)
	}
}

// Package git runs the git program for reading alone: whatever the configuration of a repository or of
// the user says, it runs no other program, asks no question, fetches nothing and writes nothing.
//
// It never sets safe.directory: where git refuses a repository of another user, the refusal is told.
package git

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/proc"
)

// flags come before every command. Each of them keeps a program away that a configuration may name,
// or a prompt, or makes the output the same for all users.
var flags = []string{
	"--no-pager", "--no-optional-locks", "--literal-pathspecs",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false", "-c", "core.quotePath=true",
}

var set = []string{
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C",
}

// unset are variables that run programs, print where only results are wanted, or read another index.
var unset = []string{"GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_INDEX_FILE", "LC_ALL", "LANGUAGE"}

// Run runs a command of git in a directory, with stdin, nil for nothing, and returns its output. Reading ends with an
// error if it fails, which has git's words; the output has to be closed.
func Run(ctx context.Context, dir string, stdin io.Reader, args ...string) (io.ReadCloser, error) {
	if _, err := proc.Find("git"); err != nil {
		return nil, errors.New("finding git: it is not in PATH")
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { // GIT_DIR stays
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(unset, name) || strings.HasPrefix(name, "GIT_TRACE")
	})
	said := new(words)
	p := proc.Program{Argv: slices.Concat([]string{"git", "-C", dir}, flags, args), Env: append(env, set...), Stdin: stdin, Stderr: said}
	return p.Open(ctx, "git", grace, func(state *os.ProcessState, err error) error {
		if err != nil || state.Success() {
			return err
		}
		first, _, _ := strings.Cut(strings.TrimSpace(string(*said)), "\n")
		return cli.WithStatus(proc.Failure("git", state, strings.TrimSpace(first)), state.ExitCode())
	})
}

// Output is [Run] for all of the output.
func Output(ctx context.Context, dir string, stdin io.Reader, args ...string) (string, error) {
	out, err := Run(ctx, dir, stdin, args...)
	if err != nil {
		return "", err
	}
	return whole(out)
}

// Remotes returns the addresses of the remotes of the repository in whose work tree a directory is.
func Remotes(ctx context.Context, dir string) ([]string, error) {
	out, err := Output(ctx, dir, nil, "config", "-z", "--get-regexp", `^remote\..*\.url$`)
	var urls []string
	for pair := range strings.SplitSeq(out, "\x00") {
		if _, url, ok := strings.Cut(pair, "\n"); ok {
			urls = append(urls, url)
		}
	}
	return urls, err
}

// whole reads an output to its end.
func whole(out io.ReadCloser) (string, error) {
	defer func() { _ = out.Close() }() // its end was read
	text, err := io.ReadAll(out)
	return string(text), err
}

// grace is how long git has to end after it was asked to.
const grace = 2 * time.Second

// words are the beginning of what git prints on standard error. Its first line says why it fails.
type words []byte

func (w *words) Write(b []byte) (int, error) {
	*w = append(*w, b[:min(len(b), 16<<10-len(*w))]...)
	return len(b), nil
}

// Package git runs the git program for reading alone: whatever the configuration of a repository or of
// the user says, it runs no other program, asks no question, fetches nothing and writes nothing.
//
// It never sets safe.directory: where git refuses a repository of another user, that is what is told.
package git

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/subprocess"
)

// flags come before every command. Each of them keeps a program away that a configuration may
// name, or a prompt, or makes what is printed the same for all users.
var flags = []string{
	"--no-pager", "--no-optional-locks", "--literal-pathspecs",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false", "-c", "core.quotePath=true",
}

var set = []string{
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C",
}

// unset are variables that run programs, print where only results are wanted, or read another index.
var unset = []string{"GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_INDEX_FILE", "LC_ALL", "LANGUAGE"}

// environ is the environment of git. GIT_DIR stays what it is.
func environ() []string {
	out := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(unset, name) || strings.HasPrefix(name, "GIT_TRACE")
	})
	return append(out, set...)
}

// Run runs a command of git in a directory, with stdin, nil for nothing, and returns what it prints. Reading
// ends with an error if it fails, which has what git said; what is returned has to be closed.
func Run(ctx context.Context, dir string, stdin io.Reader, args ...string) (io.ReadCloser, error) {
	path, err := command.Path("git")
	if err != nil {
		return nil, fmt.Errorf("finding git: it is not in PATH")
	}
	p := subprocess.Program{
		Name: "git", Path: path, Stdin: stdin, Env: environ(), Say: func(subprocess.Message) {},
		Args: slices.Concat([]string{"-C", dir}, flags, args),
	}
	return p.Start(ctx)
}

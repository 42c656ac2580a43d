// Package docs_test holds the documentation to the programs: it runs the
// examples of README.md and of the man pages with the built tools, and compares
// flags, entry types, exit statuses, deliberate differences and links with what
// there is.
package docs_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

// bin is the directory of the tools, built once, and of the stubs that stand
// for command line LLMs.
var bin string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sess-docs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	if err := provide(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for name, program := range corpus.Stubs() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(program), 0o700); err != nil { //nolint:gosec // a program has to be executable
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// provide puts the tools into dir: those that are installed in the directory SESS_TOOLS, if it is set, as
// scripts/interop.d/packages.sh does to try a package, else ones that it builds.
func provide(dir string) error {
	installed := os.Getenv("SESS_TOOLS")
	if installed == "" {
		return scripttest.Build(dir)
	}
	tools, err := filepath.Glob(filepath.Join(installed, "sess*"))
	if err == nil && len(tools) == 0 {
		err = fmt.Errorf("no tools in %s", installed)
	}
	for _, tool := range tools {
		err = errors.Join(err, os.Symlink(tool, filepath.Join(dir, filepath.Base(tool))))
	}
	return err
}

// shell runs a script in dir, with the tools in PATH and nothing of this user's
// environment but the rest of PATH.
func shell(t *testing.T, dir, script string) (stdout, stderr string, err error) {
	t.Helper()
	return shellOf(t, "sh", dir, script)
}

// shellOf is shell for a shell of that name, with flags perhaps. On CI all of them are there.
func shellOf(t *testing.T, name, dir, script string) (stdout, stderr string, err error) {
	t.Helper()
	words := strings.Fields(name)
	sh, err := exec.LookPath(words[0])
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("there is no %s to run examples with", name)
		}
		t.Skipf("there is no %s to run examples with", name)
	}
	c := shellCommand(sh, dir, append(words[1:], "-eu")...)
	c.Stdin = strings.NewReader(script)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	return out.String(), errs.String(), err
}

// shellCommand is a command that finds the tools, and has a directory for its home.
func shellCommand(sh, dir string, args ...string) *exec.Cmd {
	c := exec.Command(sh, args...)
	c.Dir = dir
	c.Env = []string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir,
		"SESS_DIR=" + filepath.Join(dir, "store"), "LC_ALL=C",
	}
	return c
}

// tools are the names of the programs there are.
func tools(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob("../cmd/*/main.go")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no tools: %v", err)
	}
	var names []string
	for _, d := range dirs {
		names = append(names, filepath.Base(filepath.Dir(d)))
	}
	return names
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// status returns the exit status err stands for, -1 if the program did not run.
func status(err error) int {
	if err == nil {
		return 0
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return -1
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

package scripttest

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sess-tools/sess/internal/test/corpus"
)

var update = flag.Bool("update", false, "rewrite what the scripts of testdata expect")

// Update reports whether tests are to rewrite what testdata expects.
func Update() bool { return *update }

// Main runs the tests of m with the given commands callable from scripts, and
// exits. Call it from TestMain. Tools that somebody has installed are not in PATH.
func Main(m *testing.M, commands map[string]func()) {
	testscript.Main(&withoutInstalled{m, os.Getenv("PATH")}, commands)
}

// withoutInstalled runs tests with a PATH that has all programs of path but ours: a package puts the tools where other
// programs are, and a script that says which of them there are would see those, too. What the user has set for the tools
// does not count either.
type withoutInstalled struct {
	m    *testing.M
	path string
}

// Run runs the tests and returns their status. [testscript.Main] has put a directory of commands before path.
func (w *withoutInstalled) Run() int {
	links, err := os.MkdirTemp("", "path")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(links) }()
	commands := strings.TrimSuffix(os.Getenv("PATH"), w.path)
	if err := os.Setenv("PATH", commands+others(w.path, links)); err != nil {
		panic(err)
	}
	if err := errors.Join(os.Setenv("XDG_CONFIG_HOME", links), os.Unsetenv("SESS_REDACT")); err != nil {
		panic(err)
	}
	return w.m.Run()
}

// others returns path with a directory of links inside links for each directory that has a tool of ours: to all that is
// there but the tools.
func others(path, links string) string {
	dirs := filepath.SplitList(path)
	for i, dir := range dirs {
		if tools, _ := filepath.Glob(filepath.Join(dir, "sess-*")); len(tools) == 0 {
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // nothing can be run from there
		}
		dirs[i] = filepath.Join(links, strconv.Itoa(i))
		if err := os.Mkdir(dirs[i], 0o700); err != nil {
			panic(err)
		}
		for _, e := range entries {
			if name := e.Name(); name != "sess" && !strings.HasPrefix(name, "sess-") {
				if err := os.Symlink(filepath.Join(dir, name), filepath.Join(dirs[i], name)); err != nil {
					panic(err)
				}
			}
		}
	}
	return strings.Join(dirs, string(os.PathListSeparator))
}

// Run runs the scripts of dir, each as a parallel subtest in a directory of its
// own. The directories of path come before the rest of PATH. The environment
// is testscript's, nearly empty, with TZ=UTC and a home that can be written.
func Run(t *testing.T, dir string, path ...string) {
	t.Helper()
	p := Params(path...)
	p.Dir = dir
	testscript.Run(t, p)
}

// EndAtOnce is for the environment of programs that may be built with the race detector: each would sleep a second at
// its end.
const EndAtOnce = "GORACE=atexit_sleep_ms=0"

// Params returns what [Run] runs scripts with, but for the directory of scripts.
func Params(path ...string) testscript.Params {
	return testscript.Params{
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			if err := ask(); err != nil {
				return err
			}
			e.Setenv("TZ", "UTC")
			e.Vars = append(e.Vars, EndAtOnce)
			home := filepath.Join(e.WorkDir, ".home")
			e.Setenv("HOME", home)
			for i := len(path) - 1; i >= 0; i-- {
				e.Setenv("PATH", path[i]+string(os.PathListSeparator)+e.Getenv("PATH"))
			}
			return os.Mkdir(home, 0o700)
		},
		Condition: condition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"bytes":   writeBytes,
			"chop":    chop,
			"cmpsame": cmpsame,
			"sh":      sh,
			"status":  status,
		},
	}
}

// ask looks at the samples, which processes of the tests may read. go test keeps a result as long as the files are as they
// are that the test itself has asked for, once it runs.
var ask = sync.OnceValue(func() error {
	return filepath.WalkDir(corpus.Dir(), func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			_, err = os.Stat(path)
		}
		return err
	})
})

// Build puts tools into the directory dir as a release has them: without cgo,
// with which package net makes the binary a dynamically linked one that starts in
// half as much time again, and with the tag without which urfave/cli links a
// Markdown renderer. No names are all tools. If SESS_BUILT names a directory, where
// scripts/test has built them, it takes them from there.
func Build(dir string, names ...string) error {
	if len(names) == 0 {
		mains, err := filepath.Glob(filepath.Join(corpus.Root(), "cmd", "*", "main.go"))
		if err != nil {
			return err
		}
		for _, name := range mains {
			names = append(names, filepath.Base(filepath.Dir(name)))
		}
	}
	if built := os.Getenv("SESS_BUILT"); built != "" {
		for _, name := range names {
			if err := take(filepath.Join(built, name), filepath.Join(dir, name)); err != nil {
				return err
			}
		}
		return nil
	}
	args := []string{"build", "-ldflags=-s -w", "-tags", "urfave_cli_no_docs", "-o", dir + string(os.PathSeparator)}
	for _, name := range names {
		args = append(args, "./cmd/"+name)
	}
	c := exec.Command("go", args...)
	c.Dir = corpus.Root()
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("building the tools: %w\n%s", err, out)
	}
	return nil
}

// take makes to the file from, which it asks for, as ask does. The tools find each other beside
// themselves, so a symbolic link would not do.
func take(from, to string) error {
	if _, err := os.Stat(from); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755) //nolint:gosec // a program has to be executable
}

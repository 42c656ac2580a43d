package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

// limit is how long a command line may take, and ten times that a script.
const limit = 30 * time.Second

// shell has a shell run script in dir, with the programs of path before others.
// After the time-out it is killed, with all that it has started.
func shell(ctx context.Context, dir, path, script string, timeout time.Duration) (record, error) {
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o755); err != nil {
		return record{}, err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c := exec.CommandContext(limited, "sh", "-c", script)
	c.Dir = dir
	c.Env = []string{ // all of it
		"PATH=" + path + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + filepath.Join(dir, "tmp"),
		"SESS_DIR=" + filepath.Join(dir, "store"), "LC_ALL=C", "TZ=UTC", "TERM=dumb",
	}
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	c.WaitDelay = time.Second
	alone(c)
	err := c.Run()
	r := record{line: script, status: "0", stdout: stdout.Bytes(), stderr: stderr.Bytes()}
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case limited.Err() != nil:
		r.status = "timed out after " + timeout.String()
	case exited:
		r.status = strconv.Itoa(exit.ExitCode())
	case err != nil:
		return r, err
	}
	return r, nil
}

// shim is a program that stands for a tool in scripts: it runs the tool, notes
// the command line, the status and the output in a file of the log, and hands
// the output on when the tool has ended. A terminal or a device is the tool's
// own, and not noted. The arguments are the log, the tool and its name, quoted.
const shim = `#!/bin/sh
n=%[1]s/0
[ -d %[1]s ] || exit 125
while [ -e "$n" ] || ! (set -C; : >"$n") 2>/dev/null; do n=%[1]s/$((${n##*/} + 1)); done
printf '%%s\0' %[3]s "$@" >"$n"
if { [ -p /dev/stdout ] || [ -f /dev/stdout ]; } && [ ! -t 2 ]; then
	%[2]s "$@" >"$n.out" 2>"$n.err"
	echo $? >"$n.status"
	/bin/cat "$n.out"
	/bin/cat "$n.err" >&2
else
	%[2]s "$@"
	echo $? >"$n.status"
fi
read -r status <"$n.status"
exit "$status"
`

// shims makes a directory with a shim for each tool of from, and with programs,
// given by name. It is to be removed.
func shims(p place, from string, programs map[string]string) (dir string, err error) {
	tools, err := os.ReadDir(from)
	if err != nil {
		return "", err
	}
	for _, t := range tools {
		if !t.IsDir() {
			programs[t.Name()] = fmt.Sprintf(shim, quoted(p.log), quoted(filepath.Join(from, t.Name())), quoted(t.Name()))
		}
	}
	if dir, err = os.MkdirTemp(filepath.Dir(p.log), "shims-"); err != nil {
		return "", err
	}
	for name, text := range programs {
		if err := put(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// noted returns what the shims noted, in the order in which they began.
func noted(log, unit string) ([]record, error) {
	var out []record
	for n := 0; ; n++ {
		name := filepath.Join(log, strconv.Itoa(n))
		argv, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return out, nil
		}
		optional := func(suffix string) []byte {
			data, e := os.ReadFile(name + suffix)
			if !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
			return data
		}
		r := record{
			line:   unit + ": " + quoted(strings.Split(strings.TrimSuffix(string(argv), "\x00"), "\x00")...),
			status: string(bytes.TrimSpace(optional(".status"))),
			stdout: optional(".out"), stderr: optional(".err"),
		}
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
}

// quoted is argv as one would type it.
func quoted(argv ...string) string {
	var words []string
	for _, a := range argv {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$`&|;<>()*?[]{}#~!") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// scriptUnits are the testscripts of the tools. What they expect is not looked
// at, and they go on after a failure: it is for the tests to be right.
func scriptUnits(root string) ([]unit, error) {
	names, err := filepath.Glob(filepath.Join(root, "cmd/*/testdata/*.txtar"))
	var out []unit
	for _, name := range names {
		out = append(out, unit{name, func(ctx context.Context, p place) ([]record, error) {
			return runScript(ctx, p, name)
		}})
	}
	return out, err
}

// hold stands for the one command that a test of a tool has of its own: it locks
// a session as another writer does, until the file beside it is gone.
const hold = `#!/bin/sh
exec 9<>"$1"
flock 9
: >"$1.held"
while [ -e "$1.held" ]; do sleep 0.01; done
`

// runScript runs a script with the tool it is for as its only one, as its tests do.
func runScript(ctx context.Context, p place, name string) ([]record, error) {
	tool := filepath.Base(filepath.Dir(filepath.Dir(name)))
	dir, err := shims(p, filepath.Join(p.bin, "alone", tool), map[string]string{"hold": hold})
	defer remove(dir)
	if err != nil {
		return nil, err
	}
	params := scripttest.Params(dir)
	params.Files, params.WorkdirRoot, params.ContinueOnError = []string{name}, p.dir, true
	params.UpdateScripts = false
	params.Deadline = time.Now().Add(10 * limit)
	e := &engine{}
	testscript.RunT(e, params)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	records, err := noted(p.log, name)
	if strings.Contains(e.log.String(), "test timed out") {
		records = append(records, record{line: name, status: "timed out"})
	}
	return records, err
}

// An engine is what testscript runs in, instead of a test.
type engine struct {
	mu  sync.Mutex
	log strings.Builder
}

func (*engine) Skip(...any)      { runtime.Goexit() }
func (e *engine) Fatal(a ...any) { e.Log(a...); e.FailNow() }
func (*engine) FailNow()         { runtime.Goexit() }
func (*engine) Parallel()        {}
func (*engine) Verbose() bool    { return false }

func (e *engine) Log(a ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fmt.Fprintln(&e.log, a...)
}

func (e *engine) Run(_ string, f func(testscript.T)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(e)
	}()
	<-done
}

// exampleUnits are the examples of README.md and of the tour, each page as one script, and those of the
// man pages.
func exampleUnits(root string) ([]unit, error) {
	var out []unit
	for _, page := range []string{"README.md", "docs/tour.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			return nil, err
		}
		out = append(out, example(page, corpus.Home+tour(string(text))))
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs/man/*.[157]"))
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		for i, script := range corpus.ManExamples(string(text)) {
			name := fmt.Sprintf("%s example %d", page, i+1)
			out = append(out, example(name, "cat >turns <<'END'\n"+corpus.Turns()+"END\n"+corpus.Material+corpus.Stock+script))
		}
	}
	return out, err
}

// example is a unit of one shell script.
func example(name, script string) unit {
	return unit{name, func(ctx context.Context, p place) ([]record, error) {
		dir, err := shims(p, p.bin, map[string]string{"my-llm": corpus.LLM, "any-llm": corpus.LLM, "claude": corpus.LLM})
		defer remove(dir)
		if err != nil {
			return nil, err
		}
		all, err := shell(ctx, p.dir, dir, "set -eu\n"+script, 10*limit)
		if err != nil {
			return nil, err
		}
		all.line = name
		records, err := noted(p.log, name)
		return append(records, all), err
	}}
}

var tourBlock = regexp.MustCompile("(?ms)^```sh example[^\n]*\n(.*?)^```")

// tour returns the fenced blocks of Markdown that are marked "sh example".
func tour(text string) string {
	var out strings.Builder
	for _, m := range tourBlock.FindAllStringSubmatch(text, -1) {
		out.WriteString(m[1])
	}
	return out.String()
}

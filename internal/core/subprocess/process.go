package subprocess

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
)

// grace is how long a program has to end after it was asked to.
const grace = 2 * time.Second

// A Program is a program of the toolkit to be run. Say is called for each message it
// prints on standard error while it runs; see [Message].
type Program struct {
	Name string // "sess-import"
	Args []string
	Env  []string // as of exec.Cmd: nil is the environment of this process
	Say  func(Message)

	Dir   string    // where it runs, "" for the current directory
	Path  string    // of the program, "" to find it
	Stdin io.Reader // nil for nothing

	grace time.Duration // 0 is the constant
}

// A Process is a running program. Its methods must not be called concurrently.
type Process struct {
	name   string
	ctx    context.Context
	cancel context.CancelFunc
	cmd    *exec.Cmd
	stdout io.ReadCloser

	talk *talk

	ended bool
	err   error // of the run, once it ended
}

// Start starts the program. The error says that there is none, or that it does
// not start.
func (p Program) Start(ctx context.Context) (*Process, error) {
	if p.Path == "" {
		var err error
		if p.Path, err = Find(p.Name); err != nil {
			return nil, err
		}
	}
	run := &Process{name: p.Name, ctx: ctx, talk: &talk{name: p.Name, say: p.Say}}
	var child context.Context
	child, run.cancel = context.WithCancel(ctx)
	run.cmd = exec.CommandContext(child, p.Path, p.Args...)
	run.cmd.Env, run.cmd.Stdin, run.cmd.Dir = p.Env, p.Stdin, p.Dir
	run.cmd.Cancel = func() error { return terminate(run.cmd.Process) }
	if run.cmd.WaitDelay = p.grace; p.grace == 0 {
		run.cmd.WaitDelay = grace
	}
	run.cmd.Stderr = run.talk
	var err error
	if run.stdout, err = run.cmd.StdoutPipe(); err == nil {
		err = run.cmd.Start()
	}
	if err != nil {
		run.cancel()
		return nil, fmt.Errorf("running %s: %w", p.Name, disk.Cause(err))
	}
	return run, nil
}

// Read reads what the program prints. It returns io.EOF if that was all of it and
// the program says so, by its status 0, and else why not.
func (p *Process) Read(b []byte) (int, error) {
	if p.ended {
		return 0, p.outcome()
	}
	n, err := p.stdout.Read(b)
	if err == nil || n > 0 {
		return n, nil // an error comes again
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	p.finish(err)
	return 0, p.outcome()
}

// outcome is what Read returns at the end.
func (p *Process) outcome() error {
	if p.err == nil {
		return io.EOF
	}
	return p.err
}

// finish waits for the program to end and judges how it did.
func (p *Process) finish(reading error) {
	_ = p.stdout.Close() // later writes to the other end fail
	err := p.cmd.Wait()
	p.talk.end()
	stopped := p.ctx.Err()
	p.cancel()
	p.ended = true
	switch exit, failed := errors.AsType[*exec.ExitError](err); {
	case stopped != nil:
		p.err = stopped
	case failed:
		p.err = p.failure(exit.ProcessState)
	case err != nil || reading != nil:
		p.err = fmt.Errorf("reading what %s prints: %w", p.name, disk.Cause(cmp.Or(reading, err)))
	default:
		p.talk.rest()
	}
}

// failure is the error of a program that ended otherwise than with status 0.
func (p *Process) failure(state *os.ProcessState) error {
	text, hint := p.talk.last()
	if text == "" {
		text = fmt.Sprintf("%s ended with %s", p.name, state)
	} else if !state.Exited() {
		text = fmt.Sprintf("%s ended with %s: %s", p.name, state, text)
	}
	err := cli.WithStatus(errors.New(text), state.ExitCode())
	if hint != "" {
		err = cli.WithHint(err, "%s", hint)
	}
	return err
}

// Close ends the program if it has not ended, and waits for it.
func (p *Process) Close() error {
	if !p.ended {
		p.cancel()
		p.finish(nil)
		p.err = io.ErrClosedPipe
	}
	return nil
}

// terminate asks a process to end, or ends it where that cannot be asked.
func terminate(process *os.Process) error {
	if err := process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return process.Kill()
	}
	return nil
}

// ErrNotFound is matched by the error for a program that is not installed.
var ErrNotFound = errors.New("it is neither beside this program nor in PATH")

// Find returns the path of the program called name: in the directory of this
// program, by the name it was started by or the file that leads to, else in PATH.
func Find(name string) (string, error) {
	return findIn(Dirs(), name)
}

func findIn(dirs []string, name string) (string, error) {
	for _, dir := range dirs {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	cause := err
	switch e, ok := errors.AsType[*exec.Error](err); {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		cause = ErrNotFound
	case ok:
		cause = e.Err
	}
	return "", cli.WithHint(fmt.Errorf("finding %s: %w", name, cause), "the tools belong into one directory")
}

// A Message is a line that a program printed on standard error while it ran. What
// it printed at its end, why it failed, is in the error instead.
type Message struct {
	Text    string // without the program's name
	Warning bool
}

const (
	// maxLine is how many bytes of a line on standard error are kept.
	maxLine = 16 << 10
	// maxLast is how many messages make an error.
	maxLast = 8
)

// talk is what a program says on standard error. Warnings are handed on at once;
// what else it says is kept, as it may be why it fails. It is written to by one
// goroutine, which has ended when the rest is asked for.
type talk struct {
	name string
	say  func(Message)

	line  []byte   // not ended yet, its beginning if it is longer than maxLine
	other []string // messages that are no warnings, the last of them
	stray string   // the first line that has not the form of a message
	hints []string
}

// Write takes what the program prints on standard error.
func (t *talk) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		t.line = append(t.line, line[:min(len(line), maxLine-len(t.line))]...)
		if ended {
			t.end()
		}
		rest = after
	}
	return len(b), nil
}

// end takes the line that has been read.
func (t *talk) end() {
	if text := strings.TrimSpace(string(t.line)); text != "" {
		t.hear(text)
	}
	t.line = t.line[:0]
}

func (t *talk) hear(line string) {
	text, ours := strings.CutPrefix(line, t.name+": ")
	warning, isWarning := strings.CutPrefix(text, "warning: ")
	hint, isHint := strings.CutPrefix(text, "hint: ")
	switch {
	case !ours && t.stray == "":
		t.stray = line
	case !ours:
	case isWarning:
		t.tell(Message{Text: warning, Warning: true})
	case isHint && (strings.HasPrefix(hint, "--") || strings.HasPrefix(hint, "see "+t.name+" ")):
		// About a command line that the user did not write.
	case isHint:
		t.hints = append(t.hints, hint)
	case len(t.other) == maxLast:
		t.tell(Message{Text: t.other[0]})
		t.other = append(t.other[1:], text)
	default:
		t.other = append(t.other, text)
	}
	if n := len(t.hints) - maxLast; n > 0 {
		t.hints = t.hints[n:]
	}
}

func (t *talk) tell(m Message) {
	if t.say != nil {
		t.say(m)
	}
}

// last returns why a program failed, in its own words, and what to do about it.
func (t *talk) last() (text, hint string) {
	if text = strings.Join(t.other, "; "); text == "" {
		text = t.stray
	}
	return text, strings.Join(t.hints, "; ")
}

// rest hands on what was no reason to fail.
func (t *talk) rest() {
	for _, text := range t.other {
		t.tell(Message{Text: text})
	}
}

// Dirs returns the directories of this program: by the name it was started by, and
// of the file that leads to.
func Dirs() []string {
	var dirs []string
	if self, err := os.Executable(); err == nil {
		dirs = append(dirs, filepath.Dir(self))
		if file, err := filepath.EvalSymlinks(self); err == nil && filepath.Dir(file) != dirs[0] {
			dirs = append(dirs, filepath.Dir(file))
		}
	}
	return dirs
}

// Installed returns the names of the programs that [Find] finds and that begin with
// prefix, sorted, without a suffix such as .exe.
func Installed(prefix string) []string {
	names := map[string]bool{}
	for _, dir := range append(Dirs(), filepath.SplitList(os.Getenv("PATH"))...) {
		if !filepath.IsAbs(dir) {
			continue // as exec.LookPath does
		}
		entries, _ := os.ReadDir(dir) // one that cannot be read has no programs
		for _, e := range entries {
			name := strings.TrimSuffix(e.Name(), ".exe")
			if strings.HasPrefix(name, prefix) && name != prefix && !names[name] {
				_, err := exec.LookPath(filepath.Join(dir, e.Name()))
				names[name] = err == nil
			}
		}
	}
	maps.DeleteFunc(names, func(_ string, found bool) bool { return !found })
	return slices.Sorted(maps.Keys(names))
}

// Output returns what a program of the toolkit prints, without the line feed at its
// end. More than 64 KiB are cut off.
func Output(ctx context.Context, name string, args ...string) (string, error) {
	p, err := Program{Name: name, Args: args}.Start(ctx)
	if err != nil {
		return "", err
	}
	defer p.Close()
	text, err := io.ReadAll(io.LimitReader(p, 64<<10))
	return strings.TrimSuffix(string(text), "\n"), err
}

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
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/proc"
	"github.com/sess-tools/sess/pkg/js"
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
	Stdin io.Reader // nil for nothing

	path  string        // of the program, "" to find it
	grace time.Duration // 0 is the constant
}

// Start starts the program. The error says that there is none, or that it does
// not start.
func (p Program) Start(ctx context.Context) (*proc.Reader, error) {
	if p.path == "" {
		var err error
		if p.path, err = Find(p.Name); err != nil {
			return nil, err
		}
	}
	if p.grace == 0 {
		p.grace = grace
	}
	t := &talk{name: p.Name, say: p.Say}
	env := p.Env
	if env == nil {
		env = os.Environ()
	}
	return proc.Program{Argv: append([]string{p.path}, p.Args...), Env: append(slices.Clip(env), cli.Unfolded), Dir: p.Dir, Stdin: p.Stdin, Stderr: t}.Open(ctx, p.Name, p.grace, t.judge)
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
		if path, err := proc.Find(filepath.Join(dir, name)); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	path, err := proc.Find(name)
	if err == nil {
		return path, nil
	}
	if errors.Is(err, proc.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		err = ErrNotFound
	}
	return "", cli.WithHint(fmt.Errorf("finding %s: %w", name, err), "the tools belong into one directory")
}

// A Message is a line that a program printed on standard error while it ran. The line that it
// printed at its end, the reason of a failure, is in the error instead.
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

// judge is the error of a program that has ended otherwise than with status 0: its own words, and its hints. After status 0
// its other words are handed on.
func (t *talk) judge(state *os.ProcessState, err error) error {
	if err != nil {
		t.end()
		return err
	}
	return t.verdict(state.ExitCode(), func(text string) error { return proc.Failure(t.name, state, text) })
}

// verdict is judge for a status; failure words the error of one that is not 0, of which the program said text.
func (t *talk) verdict(status int, failure func(text string) error) error {
	t.end()
	if status == 0 {
		for _, text := range t.other {
			t.tell(Message{Text: text})
		}
		return nil
	}
	err := cli.WithStatus(failure(cmp.Or(strings.Join(t.other, "; "), t.stray)), status)
	if len(t.hints) > 0 {
		err = cli.WithHint(err, "%s", strings.Join(t.hints, "; "))
	}
	return err
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
			continue // as proc.Find does
		}
		entries, _ := os.ReadDir(dir) // one that cannot be read has no programs
		for _, e := range entries {
			name := strings.TrimSuffix(e.Name(), ".exe")
			if strings.HasPrefix(name, prefix) && name != prefix && !names[name] {
				_, err := proc.Find(filepath.Join(dir, e.Name()))
				names[name] = err == nil
			}
		}
	}
	maps.DeleteFunc(names, func(_ string, found bool) bool { return !found })
	return slices.Sorted(maps.Keys(names))
}

// Rows runs the program and returns the rows of JSON that it prints. That there is none, status 1, is no error. With an error
// come the rows in front of it.
func (p Program) Rows(ctx context.Context) (rows []js.Value, err error) {
	run, err := p.Start(ctx)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	text, err := io.ReadAll(run)
	for line := range strings.Lines(string(text)) {
		rows = append(rows, js.Value(strings.TrimSpace(line)))
	}
	if cli.Status(err) == cli.ExitNo {
		err = nil
	}
	return rows, err
}

// Piped returns what w writes, for the standard input of a program. Closing it ends the writer.
func Piped(w io.WriterTo) io.ReadCloser {
	r, out := io.Pipe()
	go func() {
		_, err := w.WriteTo(out)
		_ = out.CloseWithError(err)
	}()
	return r
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

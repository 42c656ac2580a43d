package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/runner"
	"github.com/sess-tools/sess/internal/core/tty"
)

// Streams are the standard streams of one invocation, and what the flags every
// tool has say about them. Its methods may be called concurrently; Out may not.
type Streams struct {
	In  io.Reader // standard input; ask InFile for the file behind it
	Out io.Writer // standard output, buffered; Run flushes it. On a terminal control characters are made visible
	Err io.Writer // standard error; control characters are made visible

	Quiet   bool   // -q: no messages but the error of the run and what a gate did not look at
	Verbose bool   // -v: notes too
	Color   string // --color: auto, always or never; "" is auto

	Command    []string // the words after "--", if Tool.Command
	HasCommand bool     // "--" was given, perhaps with nothing after it

	proposal func(error) error // see Dashes
	args     []string          // the command line up to the command
	places   map[string]int    // where flags of two dashes stand in it

	name     string
	usage    string // what --help stands behind: the name, and the command if there is one
	in       *input
	out      *output
	mu       sync.Mutex // one message at a time
	said     map[string]bool
	many     bool           // Fold was called: nothing is counted by kinds
	each     bool           // the environment has Unfolded
	fold     *fold          // nil if warnings are printed at once
	unjudged map[string]int // damaged lines of sessions; nil if the run is no gate
	empty    int            // files that were passed over
	raw      io.Writer      // standard error itself
	ends     []func()       // of AtEnd
	hurry    chan struct{}  // closed by Hurry
	hurried  error          // the argument of Hurry
}

// Dashes adds to an error about operands that a command stands behind two dashes, and the line
// that has them, if the command line has what may be a command without them.
func (s *Streams) Dashes(err error) error {
	if err == nil || s.proposal == nil {
		return err
	}
	return s.proposal(err)
}

// Line returns the command line as a shell takes it, without its command, with words behind it.
func (s *Streams) Line(words ...string) string {
	return ShellWords(slices.Concat([]string{s.name}, s.args, words))
}

// Again returns the command line as a shell takes it, with another value of a flag that was given
// with two dashes.
func (s *Streams) Again(flag, value string) string {
	args := slices.Clone(s.args)
	if at := s.places[flag]; args[at] == "--"+flag {
		args[at+1] = value
	} else {
		args[at] = "--" + flag + "=" + value
	}
	return ShellWords(slices.Insert(args, 0, s.name))
}

// Warnf prints a note as a warning, see [Streams.Warn]. It never changes the exit status.
func (s *Streams) Warnf(format string, args ...any) {
	s.Warn(Note, format, args...)
}

// Alwaysf warns of what a gate could not look at, with -q, too: a status is no verdict on what was not seen.
func (s *Streams) Alwaysf(format string, args ...any) {
	s.warn(Unseen, format, args)
}

// Infof prints a line of news about the work that was done, unless -q was given. It is no warning.
func (s *Streams) Infof(format string, args ...any) {
	if !s.Quiet {
		s.printf(format, args...)
	}
}

// Lightf is Infof for a line that is read once, and not copied: a terminal gets as much of it as fits into a line, unless -v was given.
func (s *Streams) Lightf(format string, args ...any) {
	text, width := fmt.Sprintf(format, args...), s.ErrWidth()
	if s.Verbose {
		width = 0
	}
	s.Infof("%s", within(width, 0, text))
}

// Hintf prints what to do about what was printed before, unless -q was given; a hint about an error is [WithHint].
func (s *Streams) Hintf(format string, args ...any) {
	s.Infof("hint: "+format, args...)
}

// Notef prints detail that only -v asks for. -q wins over -v.
func (s *Streams) Notef(format string, args ...any) {
	if s.Verbose && !s.Quiet {
		s.printf(format, args...)
	}
}

// Once reports whether it is the first time that it is asked about a subject: a message about it is
// printed once, by whichever part of a tool gets there first.
func (s *Streams) Once(subject string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.said[subject]
	if s.said == nil {
		s.said = map[string]bool{}
	}
	s.said[subject] = true
	return !before
}

// printf writes one message as one line in one write; on a terminal a longer one is broken between words. An error on
// standard error has nowhere to be reported.
func (s *Streams) printf(format string, args ...any) {
	front := s.name + ": "
	lines := &page{width: math.MaxInt}
	if width := s.ErrWidth(); width > 0 {
		lines.width = len(front) + width
	}
	lines.WriteString(front)
	lines.message(tty.Clean(fmt.Sprintf(format, flattened(args)...)), len(front))
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = toErr{s}.Write([]byte(lines.String()))
}

// toErr is standard error itself. A write may wait for its reader, as one to standard output.
type toErr struct{ s *Streams }

func (e toErr) Write(p []byte) (int, error) {
	defer e.s.out.begin()()
	return e.s.raw.Write(p)
}

// flattened returns the arguments of a message, errors as one line.
func flattened(args []any) []any {
	args = slices.Clone(args)
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = flat(err)
		}
	}
	return args
}

// AtEnd has a function called when the action of the tool has returned.
func (s *Streams) AtEnd(end func()) { s.ends = append(s.ends, end) }

// InFile returns the file that standard input is, to seek or to map it, or nil.
func (s *Streams) InFile() *os.File {
	if s.in == nil {
		return nil
	}
	f, _ := s.in.r.(*os.File)
	return f
}

// OutFile returns the file that standard output is, to ask about a terminal or to hand it
// to a program, or nil. A tool does not write to it.
func (s *Streams) OutFile() *os.File {
	if s.out == nil {
		return nil
	}
	f, _ := s.out.w.(*os.File)
	return f
}

// Text returns standard output for text of several lines that people read. Where a runner of CI reads it nothing of the
// text is a command of the runner; elsewhere it is Out, and so it is if standard output is a file.
func (s *Streams) Text() io.Writer { return s.forRunner(s.Out) }

// forRunner returns a writer in which nothing is a command of the runner that reads standard output, or w.
func (s *Streams) forRunner(w io.Writer) io.Writer {
	if _, shown := w.(*tty.Writer); shown || !runner.ReadsOutput(os.LookupEnv) {
		return w
	}
	if f := s.OutFile(); f != nil {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return w
		}
	}
	return tty.Log(w)
}

// onTerminal returns a writer that makes control characters of its text visible if standard output
// is a terminal, and w itself otherwise.
func (s *Streams) onTerminal(w io.Writer) io.Writer {
	if f := s.OutFile(); f != nil && tty.IsTerminal(f) {
		return tty.Visible(w)
	}
	return w
}

// ErrFile returns the file that standard error is, or nil.
func (s *Streams) ErrFile() *os.File {
	f, _ := s.raw.(*os.File)
	return f
}

// ErrWidth is how many columns of a terminal a message has behind the tool's name, at least 20; 0 if there is no terminal.
func (s *Streams) ErrWidth() int {
	f := s.ErrFile()
	if !tty.IsTerminal(f) {
		return 0
	}
	return max(tty.Width(f, os.LookupEnv)-len(s.name)-len(": "), 20)
}

// Flush writes out what Out has buffered. Run does so at the end; call it
// before waiting for something slow, and before writing to OutFile.
func (s *Streams) Flush() error {
	if f, ok := s.Out.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}

// Unbuffered has write write to standard output itself, such as to have the
// system copy a file into it, but to Out if that is a terminal. The error of write is taken
// for one of standard output.
func (s *Streams) Unbuffered(write func(io.Writer) error) error {
	if _, ok := s.Out.(*tty.Writer); !ok {
		return s.unbuffered(write)
	}
	if err := write(s.Out); err != nil {
		return err
	}
	return s.Flush()
}

func (s *Streams) unbuffered(write func(io.Writer) error) error {
	if err := s.Flush(); err != nil {
		return err
	}
	if s.out == nil {
		return write(s.Out)
	}
	defer s.out.begin()()
	return s.out.failed(write(s.out.w))
}

// A detailed error has more lines to show under its message, such as a caret
// below a syntax error. Every line gets the same prefix, so columns stay.
type detailed interface {
	error
	Detail() []string
}

// report prints err as Run does at the end: a line for each joined error, then its details and,
// without -q, its hints. An error without a text is not printed.
func (s *Streams) report(err error) {
	for _, e := range Split(err) {
		switch msg := flat(e); {
		case msg == "" || errors.Is(e, errReaderGone):
		case Status(e) == ExitInterrupted:
			s.printf("interrupted")
		default:
			// What a command printed comes as indented lines.
			for i, line := range strings.Split(msg, "\n\t") {
				if i > 0 {
					line = "    " + line
				}
				s.printf("%s", line)
			}
		}
		if d, ok := errors.AsType[detailed](e); ok {
			for _, line := range d.Detail() {
				s.printf("%s", line)
			}
		}
		if s.Quiet {
			continue
		}
		for _, h := range hints(s.usage, e) {
			s.printf("hint: %s", h)
		}
	}
}

// An input is standard input that reports whether the process waits for it.
type input struct {
	ctx     context.Context
	r       io.Reader
	waiting waiters
}

// waiters count the system calls that wait.
type waiters struct{ atomic.Int32 }

// begin counts a system call until the function that it returns is called.
func (w *waiters) begin() (done func()) {
	w.Add(1)
	return func() { w.Add(-1) }
}

// after returns in how many moments in a row a system call waited: one more than before, or 0.
func (w *waiters) after(times int) int {
	if w.Load() == 0 {
		return 0
	}
	return times + 1
}

// Instead returns the command line with one operand in the place of others, as a shell takes it. Flags are in it if they stand
// in front of the operands.
func (s *Streams) Instead(operands []string, with string) string {
	line := []string{s.name}
	if flags := len(s.args) - len(operands); flags > 0 && slices.Equal(s.args[flags:], operands) {
		line = append(line, s.args[:flags]...)
	}
	return ShellWords(append(line, with))
}

// wait says that the process waits for its input, until the function that it returns is called. Streams that messages alone go
// to have no input.
func (in *input) wait() (done func()) {
	if in == nil {
		return func() {}
	}
	return in.waiting.begin()
}

// Read fails after an interrupt, so that an action copying a stream that never
// ends notices.
func (in *input) Read(p []byte) (int, error) {
	if err := cancelled(in.ctx); err != nil {
		return 0, err
	}
	if in.r == nil {
		return 0, io.EOF
	}
	defer in.wait()()
	return in.r.Read(p)
}

// An output is standard output with errors that say so. The buffer in front of
// it keeps the first one.
type output struct {
	w       io.Writer
	waiting waiters // for a reader, of standard error as well
}

// begin says that a reader is waited for, see [input.wait].
func (o *output) begin() (done func()) {
	if o == nil {
		return func() {}
	}
	return o.waiting.begin()
}

func (o *output) Write(p []byte) (int, error) {
	defer o.begin()()
	n, err := o.w.Write(p)
	return n, o.failed(err)
}

// failed returns an error of standard output with its kind.
func (o *output) failed(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe):
		return &outputError{errReaderGone}
	}
	return &outputError{disk.Cause(err)}
}

// An outputError is the failure of standard output. Its type tells it from the
// failure of another file with the same cause.
type outputError struct{ err error }

func (e *outputError) Error() string { return "writing standard output: " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// A messages writer is the standard error an action sees. It makes control
// characters visible, so that nothing quoted from a session can act on a
// terminal, and keeps a character together that two writes cut in half.
type messages struct {
	mu   *sync.Mutex
	w    io.Writer
	rest []byte
}

func (m *messages) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := slices.Concat(m.rest, p)
	n := len(text) - cut(text)
	m.rest = text[n:]
	if _, err := io.WriteString(m.w, tty.CleanLog(string(text[:n]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// cut returns how many bytes at the end of p begin a character not yet whole.
func cut(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if b := p[len(p)-n:]; utf8.RuneStart(b[0]) {
			if utf8.FullRune(b) {
				return 0
			}
			return n
		}
	}
	return 0
}

// mostWarnings is how many warnings of one kind are printed; the rest are counted.
const mostWarnings = 10

// A Tally warns of many things of a few kinds: of each kind it prints the first ten
// and counts the rest, so that a damaged file does not bury everything else. The zero
// Tally is not fit for use; see [NewTally].
type Tally struct {
	warn  func(format string, args ...any)
	count map[string]int
	all   bool     // print all
	kinds []string // of which there are more, in the order in which they were met
}

// NewTally returns a tally that warns by a function such as [Streams.Warnf].
func NewTally(warn func(format string, args ...any)) *Tally {
	return &Tally{warn: warn, count: map[string]int{}}
}

// Warnf prints or counts a warning of a kind.
func (t *Tally) Warnf(kind, format string, args ...any) {
	t.count[kind]++
	switch n := t.count[kind]; {
	case t.all || n <= mostWarnings:
		t.warn(format, args...)
	case n == mostWarnings+1:
		t.kinds = append(t.kinds, kind)
	}
}

// More prints how many more there were of each kind, behind the text before, and with
// the text after, which says where they are listed.
func (t *Tally) More(before, after string) {
	for _, kind := range t.kinds {
		t.warn("%s… and %d more of %s%s", before, t.count[kind]-mostWarnings, kind, after)
	}
}

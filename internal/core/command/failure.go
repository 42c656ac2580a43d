package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/internal/core/proc"
)

// detailMax is the size in bytes of each part of Error.Detail.
const detailMax = 2 << 10

// notStarted words the error of a command that never ran, naming it once.
func (c Command) notStarted(err error) error {
	what := err.Error()
	switch {
	case errors.Is(err, proc.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		what += "; check its name or give its path"
	case errors.Is(err, fs.ErrPermission):
		what += "; is it an executable file?"
	case errors.Is(err, syscall.ENOEXEC):
		what += "; does the script begin with #!?"
	}
	return &Error{Name: c.String(), Reason: NotStarted, Status: -1, what: what, cause: err}
}

// interrupted words the end of a call by its context: cancellation is the
// caller's own wish and passed on as such, a deadline is the command's fault.
func (c Command) interrupted(ctx context.Context, o outcome, prompt string) error {
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return fmt.Errorf("running %s: %w", c.String(), err)
	}
	what := "no answer within " + c.Timeout.String() + "; allow more time or give it less to read"
	if ctx.Err() != nil {
		what = "no answer before the caller's deadline"
	}
	e := c.refuse(TimedOut, what, o, prompt)
	e.cause = context.DeadlineExceeded
	return e
}

// failed words an exit status other than 0, or a signal.
func (c Command) failed(o outcome, prompt string) error {
	if o.state == nil {
		e := c.refuse(Exited, "waiting for its end: "+o.wait.Error(), o, prompt)
		e.cause = o.wait
		return e
	}
	if sig, ok := proc.SignalOf(o.state); ok {
		e := c.refuse(Signaled, fmt.Sprintf("ended by signal %d (%s)", int(sig), sig), o, prompt)
		e.Status = 128 + int(sig)
		return e
	}
	return c.refuse(Exited, "exit status "+strconv.Itoa(o.state.ExitCode()), o, prompt)
}

// refuse makes the error for an outcome from what the command printed.
func (c Command) refuse(reason Reason, what string, o outcome, prompt string) *Error {
	e := &Error{Name: c.String(), Reason: reason, Status: -1, what: what}
	source := essence(prompt)
	notes := withoutPrompt(o.notes(), source)
	said := withoutPrompt(clean(string(o.stdout[:min(len(o.stdout), notesKept)])), source)
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	line = firstBytes(line, detailMax)
	if !blank(notes) {
		e.Detail = lastBytes(notes, detailMax)
	}
	wordless := blank(strings.ReplaceAll(notes, promptMark, ""))
	switch reason {
	case TooLong, TimedOut: // the status is our doing, and the reply no error message
		return e
	case Refused:
		e.Detail = strings.TrimSpace("it begins: " + line + "\n" + e.Detail)
		e.overflow = overflows(notes) || overflows(line)
		e.outlook = outlookOf(notes + "\n" + line)
	default:
		if wordless && !blank(line) {
			e.Detail = line
		}
		// What was printed before a signal does not say why it came.
		said = firstBytes(said, detailMax)
		e.overflow = reason != Signaled && (overflows(notes) || overflows(said))
		e.outlook = outlookOf(notes + "\n" + said)
	}
	if o.state != nil {
		e.Status = o.state.ExitCode()
	}
	return e
}

// notes is the standard error that was kept, readable. If its beginning is
// missing, so is the rest of the line it was cut in.
func (o outcome) notes() string {
	b := string(o.stderr.buf)
	if _, rest, found := strings.Cut(b, "\n"); o.stderr.cut && found {
		b = rest
	}
	return clean(b)
}

// lastBytes returns at most n bytes of the end of s, from the start of a line if
// there is one.
func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	if _, rest, found := strings.Cut(s, "\n"); found && rest != "" {
		return rest
	}
	for s != "" && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

// firstBytes returns at most n bytes of the beginning of s, in whole characters.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Errors that Run's errors match with errors.Is.
var (
	// ErrCommand is matched by every *Error.
	ErrCommand = errors.New("command failed")
	// ErrOverflow means that, by its words or its exit status, the model or the
	// program found the prompt too long. A shorter prompt may succeed.
	ErrOverflow = errors.New("prompt too long for the command")
	// ErrTooLong means that the reply was longer than Command.MaxReply.
	ErrTooLong = errors.New("reply too long")
	// ErrRecursion means that Run was called below a summary command.
	ErrRecursion = errors.New("summary command inside a summary command")
)

// Reason is the way in which a command failed.
type Reason int

// The reasons.
const (
	NotStarted Reason = iota + 1 // not found, not executable, no resources
	Exited                       // exit status other than 0
	Signaled                     // ended by a signal that was not ours
	TimedOut                     // stopped after Command.Timeout or at the context's deadline
	Empty                        // exit status 0 and nothing visible on standard output
	Refused                      // exit status 0 and a reply that Command.Check refuses
	TooLong                      // more than Command.MaxReply bytes
	Recursion                    // started by a summary command
)

var reasonNames = [...]string{
	NotStarted: "not started",
	Exited:     "exited",
	Signaled:   "signaled",
	TimedOut:   "timed out",
	Empty:      "empty reply",
	Refused:    "refused reply",
	TooLong:    "reply too long",
	Recursion:  "recursion",
}

// String returns the reason in words.
func (r Reason) String() string {
	if r <= 0 || int(r) >= len(reasonNames) {
		return "reason " + strconv.Itoa(int(r))
	}
	return reasonNames[r]
}

// Error tells why there is no answer. It matches ErrCommand, and ErrOverflow,
// ErrTooLong and ErrRecursion where they apply; it unwraps to the system's error
// for NotStarted, to context.DeadlineExceeded for TimedOut, and to the error of
// Command.Check for Refused.
type Error struct {
	// Name is the program, without arguments.
	Name string
	// Reason is the way it failed.
	Reason Reason
	// Status is the exit status, 128 plus the signal's number as shells have it
	// for Signaled, and -1 where there is none.
	Status int
	// Detail is what the program said, without control characters and without
	// passages of the prompt: the last 2 kB of its standard error or, if that is
	// blank, the first line of its standard output; for Refused that line
	// comes first in any case. It may be empty and may have several lines.
	Detail string

	what     string // Reason with its particulars
	overflow bool
	relayed  bool // a part of the reply went to Command.Stdout
	outlook  outlook
	cause    error
}

// Error returns one line, followed by indented lines if Detail has several.
func (e *Error) Error() string {
	what := e.what
	if what == "" {
		what = e.Reason.String()
	}
	text := "running " + e.Name + ": " + what
	switch {
	case e.Detail == "":
		return text
	case strings.Contains(e.Detail, "\n"):
		return text + ":\n\t" + strings.ReplaceAll(e.Detail, "\n", "\n\t")
	}
	return text + ": " + e.Detail
}

// Is reports whether target is one of this package's errors that e stands for.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrCommand:
		return true
	case ErrOverflow:
		return e.overflow
	case ErrTooLong:
		return e.Reason == TooLong
	case ErrRecursion:
		return e.Reason == Recursion
	}
	return false
}

// Trouble reports whether the words of the command are those of a server or an
// account in trouble, such as too many requests or no key.
func (e *Error) Trouble() bool { return e.outlook.passing || e.outlook.lasting }

// Unwrap returns the underlying error, if there is one.
func (e *Error) Unwrap() error { return e.cause }

// Programs and providers have no common way to say that the prompt does not fit.
var (
	// overflowWords say it in any case.
	overflowWords = lazy.Regexp(`(?i)context[\s_-]*(length|window|size|limit)` +
		`|max(imum)?[\s_-]+context|max(imum)?[\s_-]+(allowed[\s_-]+)?(prompt|input)[\s_-]+(length|size)` +
		`|(prompt|input|request|conversation|payload|entity)s?[\s_-]((is|are|was|were)[\s_-])?too[\s_-](long|large)` +
		`|messages? (is|are|was|were) too (long|large)` +
		`|string too long|string_above_max_length` +
		`|reduce the (length|size) of (the|your) (messages?|prompt|input|request)` +
		`|range of input length|longer than the (maximum|max|model)` +
		`|\binputs?\W{0,2} (tokens \+|must have less than)` +
		`|\b413\b.{0,20}no body`)
	// limitWords say it unless the line is about a rate, an allowance or the reply.
	limitWords = lazy.Regexp(`(?i)too many ([a-z]+ )?tokens` +
		`|\bexceed(s|ed|ing)?\b.{0,80}\b(limit|max|maximum)\b` +
		`|\btoken limit (was |is )?(exceeded|reached)` +
		`|\b(limit|max|maximum)\b.{0,40}[0-9][0-9,._]{3,} ?(tokens|chars|characters|bytes)`)
	// allowanceWords tell such a line: waiting or paying helps there, cutting
	// does not.
	allowanceWords = lazy.Regexp(`(?i)rate[\s_-]?limit|usage[\s_-]?limit|quota|throttl|per[\s_-]?(second|minute|min|hour|day)\b` +
		`|hourly|daily|weekly|monthly|please wait|try again|retr(y|ies)|billing|budget|credit|spend|concurren` +
		`|time[\s_-]?(limit|out)|\b429\b|output[\s_-]tokens?\b`)
)

// overflows reports whether a line of text says that the prompt was too long for
// the model or for the program.
func overflows(text string) bool {
	for line := range strings.Lines(text) {
		if overflowWords().MatchString(line) ||
			limitWords().MatchString(line) && !allowanceWords().MatchString(line) {
			return true
		}
	}
	return false
}

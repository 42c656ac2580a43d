package summarize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/disk"
)

// detailMax is the size in bytes of each part of Error.Detail.
const detailMax = 2 << 10

func (c Command) recursion() error {
	return &Error{
		Name: c.String(), Reason: Recursion, Status: -1,
		what: "refused inside another summary command (" + guard +
			" is set): summarize with a program that does not compact sessions",
	}
}

// notStarted words the error of a command that never ran, naming it once.
func (c Command) notStarted(err error) error {
	if ee, ok := errors.AsType[*exec.Error](err); ok {
		err = ee.Err
	}
	err = disk.Cause(err)
	what := err.Error()
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
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
	if sig, ok := signalOf(o.state); ok {
		e := c.refuse(Signaled, fmt.Sprintf("ended by signal %d (%s)", int(sig), sig), o, prompt)
		e.Status = 128 + int(sig)
		return e
	}
	return c.refuse(Exited, "exit status "+strconv.Itoa(o.state.ExitCode()), o, prompt)
}

// empty words a blank reply. Without a word on standard error either, the
// likeliest cause is named: pi answers a prompt above the model's window so.
// It is not ErrOverflow by itself, since a model with nothing to say looks the
// same.
func (c Command) empty(o outcome, prompt string) error {
	e := c.refuse(Empty, "the reply is blank", o, prompt)
	if e.Detail == "" {
		e.what = "the reply is blank and no error was printed; the prompt may be too long for the model"
	}
	return e
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
		e.overflow = e.overflow || (reason == Exited || reason == Empty) && slices.Contains(c.OverflowStatus, e.Status)
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

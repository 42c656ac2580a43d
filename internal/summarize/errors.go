package summarize

import (
	"errors"
	"strconv"
	"strings"
)

// Errors that Run's errors match with errors.Is.
var (
	// ErrCommand is matched by every *Error.
	ErrCommand = errors.New("summary command failed")
	// ErrOverflow means that, by its words or its exit status, the model or the
	// program found the prompt too long. A shorter prompt may succeed.
	ErrOverflow = errors.New("prompt too long for the summary command")
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

// Error tells why there is no summary. It matches ErrCommand, and ErrOverflow,
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

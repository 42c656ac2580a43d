package cli

import (
	"errors"
	"fmt"
	"strings"
)

// UsageError reports a misuse of the command line: status 2, and a hint that
// names --help unless [WithHint] gives a better one.
func UsageError(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

// Operands refuses other operands than those with the names given.
func Operands(operands []string, names ...string) error {
	switch n := len(operands); {
	case n < len(names) && len(names) > 1:
		return UsageError("too few operands: want %s", strings.Join(names, " "))
	case n < len(names):
		return UsageError("no %s named", names[n])
	case n > len(names):
		return UsageError("unexpected operand %q", operands[len(names)])
	}
	return nil
}

// WithHint returns err with advice that is printed as a line "tool: hint: …". Message and status of
// err stay. A nil err stays nil.
func WithHint(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &hintError{err, fmt.Sprintf(format, args...)}
}

type hintError struct {
	err  error
	hint string
}

func (e *hintError) Error() string { return e.err.Error() }
func (e *hintError) Unwrap() error { return e.err }

// Hint is the advice, for a program that tells it in another form.
func (e *hintError) Hint() string { return e.hint }

// No is the answer "no": nothing matched, nothing to do, findings exist. It is
// status 1. An empty text prints nothing, which is what a predicate wants.
func No(format string, args ...any) error {
	return &statusError{text: fmt.Sprintf(format, args...), kind: errNo}
}

// CommandFailed marks err as the failure of an external command, or as the
// refusal of its answer: status 5. A nil err stays nil.
func CommandFailed(err error) error {
	if err == nil {
		return nil
	}
	return &statusError{text: err.Error(), kind: errCommand, err: err}
}

// A statusError is a message bound to a row of the exit table.
type statusError struct {
	text string
	kind error // a sentinel of the table
	err  error // or nil
}

func (e *statusError) Error() string { return e.text }

func (e *statusError) Unwrap() []error {
	if e.err == nil {
		return []error{e.kind}
	}
	return []error{e.kind, e.err}
}

// Split takes apart the errors that errors.Join put together, and no others: an error that merely
// wraps several has one message, which must stay whole.
func Split(err error) []error {
	j, ok := err.(interface{ Unwrap() []error }) // the outermost error only
	if !ok {
		return []error{err}
	}
	var parts []error
	var lines []string
	for _, e := range j.Unwrap() {
		parts = append(parts, Split(e)...)
		lines = append(lines, e.Error())
	}
	if len(parts) < 2 || strings.Join(lines, "\n") != err.Error() {
		return []error{err}
	}
	return parts
}

// flat returns the message of an error on one line: errors that were joined further in stand
// behind each other. A line feed of another origin, such as a file's name, stays.
func flat(err error) string {
	msg := err.Error()
	var walk func(error)
	walk = func(err error) {
		switch e := err.(type) { //nolint:errorlint // each error of the tree has its turn
		case interface{ Unwrap() error }:
			if inner := e.Unwrap(); inner != nil {
				walk(inner)
			}
		case interface{ Unwrap() []error }:
			var lines []string
			for _, part := range e.Unwrap() {
				lines = append(lines, part.Error())
			}
			if whole := strings.Join(lines, "\n"); len(lines) > 1 && err.Error() == whole {
				msg = strings.ReplaceAll(msg, whole, strings.Join(lines, "; "))
			}
			for _, part := range e.Unwrap() {
				walk(part)
			}
		}
	}
	walk(err)
	return msg
}

// hints returns the advice for err: its own, outermost first, or the pointer to
// the short help of usage that every usage error has.
func hints(usage string, err error) []string {
	var out []string
	rest := err
	for {
		h, ok := errors.AsType[*hintError](rest)
		if !ok {
			break
		}
		out = append(out, h.hint)
		rest = h.err
	}
	if _, ok := errors.AsType[*usageError](err); ok && len(out) == 0 {
		out = append(out, "see "+usage+" -h")
	}
	return out
}

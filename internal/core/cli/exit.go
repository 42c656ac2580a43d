package cli

import (
	"context"
	"errors"

	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Exit statuses, the same for every tool and documented in sess(7).
const (
	ExitDone        = 0   // done, or "yes"
	ExitNo          = 1   // "no": nothing matched, nothing to do, findings exist
	ExitUsage       = 2   // usage, I/O error, or not all could be read
	ExitMalformed   = 3   // the session is malformed and the tool cannot or may not go on
	ExitBusy        = 4   // the lock was not obtained in time, or the leaf moved
	ExitCommand     = 5   // the external command failed or its answer was refused
	ExitInterrupted = 130 // SIGINT, SIGTERM, SIGHUP or SIGQUIT
	ExitPipe        = 141 // the reader of standard output went away
)

// A StatusData is an exit status as data.
type StatusData struct {
	Kind   string `json:"kind"` // "status"
	Status int    `json:"status"`
	Text   string `json:"text"`
}

// Statuses returns the exit statuses and their meanings.
func Statuses() []StatusData {
	return []StatusData{
		{"status", ExitDone, "done"},
		{"status", ExitNo, "nothing matched, nothing to do, findings exist"},
		{"status", ExitUsage, "usage, I/O error, or not all could be read"},
		{"status", ExitMalformed, "the session is malformed and the tool cannot continue; with --strict, any problem or loss"},
		{"status", ExitBusy, "busy: the lock was not obtained in time, or the leaf moved"},
		{"status", ExitCommand, "the external command failed, or its answer was refused"},
		{"status", ExitInterrupted, "interrupted"},
		{"status", ExitPipe, "the reader of the output went away"},
	}
}

var (
	errNo          = errors.New("no")
	errUsage       = errors.New("usage")
	errCommand     = errors.New("command failed")
	errInterrupted = errors.New("interrupted")
	errReaderGone  = errors.New("the reader of standard output went away")
)

// statuses is the one exit table. It is searched from the top, so an error
// that wraps two sentinels gets the status that stands first.
var statuses = []struct {
	is     error
	status int
}{
	{errReaderGone, ExitPipe},
	{errInterrupted, ExitInterrupted},
	{context.Canceled, ExitInterrupted},
	{errCommand, ExitCommand},
	{session.ErrLeafMoved, ExitBusy},
	{jsonl.ErrLocked, ExitBusy},
	{jsonl.ErrChanged, ExitBusy},
	{jsonl.ErrUnfinished, ExitBusy},
	{jsonl.ErrOpen, ExitBusy},
	{session.ErrMalformed, ExitMalformed},
	{session.ErrVersion, ExitMalformed},
	{session.ErrNotSession, ExitMalformed},
	{jsonl.ErrTorn, ExitMalformed},
	{errUsage, ExitUsage},
	{errNo, ExitNo},
}

// Status returns the exit status for err: [ExitDone] for nil, the status of the
// first sentinel of the exit table found by [errors.Is], and [ExitUsage] for
// any other error. Of errors joined by [errors.Join] the largest status wins,
// because the statuses are ordered by how much a caller has to care: a lock not
// obtained is not hidden by a file that was also missing.
func Status(err error) int {
	if err == nil {
		return ExitDone
	}
	if joined := Split(err); len(joined) > 1 {
		status := ExitDone
		if c, ok := errors.AsType[commandStatus](err); ok {
			return int(c)
		}
		for _, e := range joined {
			status = max(status, Status(e))
		}
		return status
	}
	if c, ok := errors.AsType[commandStatus](err); ok {
		return int(c)
	}
	for _, row := range statuses {
		if errors.Is(err, row.is) {
			return row.status
		}
	}
	return ExitUsage
}

// A commandStatus is the status of a command that ran in the place of the tool.
type commandStatus int

// Error has no words: the command has said what there is to say.
func (commandStatus) Error() string { return "" }

// CommandStatus returns the error of a tool that ran a command in its own place, and ends
// with the command's status, whatever else went wrong; nil for 0.
func CommandStatus(status int) error {
	if status == 0 {
		return nil
	}
	return commandStatus(status)
}

// WithStatus marks err as the failure of another of the tools that ended with a
// status: err gets the same one; with [ExitUsage] what was the answer no becomes a failure. A nil err stays nil. The status
// of an error is never 0, and one that is not of the table, or says that a reader of the other
// tool's output went away, is [ExitUsage].
func WithStatus(err error, status int) error {
	kind, ok := map[int]error{
		ExitNo: errNo, ExitUsage: errUsage, ExitMalformed: session.ErrMalformed, ExitBusy: jsonl.ErrLocked, ExitCommand: errCommand,
		ExitInterrupted: context.Canceled,
	}[status]
	if err == nil || !ok {
		return err
	}
	return &statusError{text: err.Error(), kind: kind, err: err}
}

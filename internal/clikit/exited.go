package clikit

import (
	"context"

	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Exited marks err as the failure of another of the tools that ended with a
// status: err gets the same one. A nil err stays nil. The status of an error is
// never 0, and one that is not of the table, or says that a reader of the other
// tool's output went away, is [ExitUsage].
func Exited(err error, status int) error {
	kind, ok := map[int]error{
		ExitNo: errNo, ExitMalformed: session.ErrMalformed, ExitBusy: jsonl.ErrLocked, ExitCommand: errCommand,
		ExitInterrupted: context.Canceled,
	}[status]
	if err == nil || !ok {
		return err
	}
	return &statusError{text: err.Error(), kind: kind, err: err}
}

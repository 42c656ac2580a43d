package main

import (
	"errors"

	"github.com/sess-tools/sess/internal/seg"
	"github.com/sess-tools/sess/internal/tool/clikit"
)

// explained gives the errors of the store their statuses, and says what to do.
func explained(err error, name string) error {
	hint := func(format string, args ...any) error {
		return clikit.WithHint(clikit.WithStatus(err, clikit.ExitMalformed), format, args...)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, seg.ErrNarrow):
		return hint("--extended stores it all the same, in a store that pi does not read")
	case errors.Is(err, seg.ErrDuplicate):
		return hint("an entry has one id; sess-append makes new ones")
	case errors.Is(err, seg.ErrContract):
		return hint("sess-check %s finds what is wrong with a session", name)
	case errors.Is(err, seg.ErrUnsaved):
		return hint("sess-seg rollback --leave-behind %s leaves them behind, in the store that is kept", name)
	case errors.Is(err, seg.ErrNoTarget):
		return hint("put the file back as it was, or keep the entries with sess-seg cat %s", name)
	case errors.Is(err, seg.ErrCorrupt):
		return hint("sess-seg verify %s lists what is wrong, sess-seg recover %s mends what can be", name, name)
	case errors.Is(err, seg.ErrState):
		return hint("sess-seg status %s says what happened to it", name)
	case errors.Is(err, seg.ErrNotStore):
		return clikit.WithStatus(err, clikit.ExitMalformed)
	}
	return err
}

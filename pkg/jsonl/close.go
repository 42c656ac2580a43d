package jsonl

import (
	"errors"
	"io"
	"syscall"
)

// Close closes a file and returns its error, unless a signal interrupted the call:
// the file is closed then, and must not be closed again.
func Close(f io.Closer) error {
	if err := f.Close(); !errors.Is(err, syscall.EINTR) {
		return err
	}
	return nil
}

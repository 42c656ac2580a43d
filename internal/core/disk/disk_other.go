//go:build !linux && !darwin

package disk

import (
	"errors"
	"os"
	"syscall"
)

func renameExclusive(_, _ string) error { return errors.ErrUnsupported }

func exchange(_, _ string) error { return errors.ErrUnsupported }

// Datasync makes the bytes of f durable.
func Datasync(f File) error { return f.Sync() }

// startWriteback does nothing: there is no such call.
func startWriteback(syscall.Conn, int64, int64) {}

func renameExclusiveIn(_ *os.File, _, _ string) error { return errors.ErrUnsupported }

func unsupported(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

//go:build unix && !solaris && !aix

package jsonl

import (
	"errors"
	"os"
	"syscall"
)

// alive reports whether there is a process pid.
func alive(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// unwritable reports whether err means that no file of the wanted name can be
// made in a directory, as opposed to something having gone wrong.
func unwritable(err error) bool {
	return errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENAMETOOLONG)
}

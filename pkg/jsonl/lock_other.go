//go:build !unix || solaris || aix

package jsonl

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	openNonblock = 0
	openNoFollow = 0
	canSyncDir   = false
)

// Flock is not to be had here; in this package the lock file has to do.
func Flock(syscall.Conn) (bool, error) { return false, errors.ErrUnsupported }

// alive cannot tell, so a lock file with a process in it is never stale.
func alive(int) bool { return true }

func chownLike(file, fs.FileInfo) {}

func unwritable(err error) bool { return errors.Is(err, os.ErrPermission) }

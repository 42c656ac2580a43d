//go:build !unix || solaris || aix

package disk

import (
	"errors"
	"io/fs"
	"syscall"
)

// As on Unix, where they mean something.
const (
	Nonblock = 0
	NoFollow = 0
	HasModes = false

	canSyncDir = false
)

// Flock does not exist here.
func Flock(syscall.Conn) (bool, error) { return false, errors.ErrUnsupported }

// Private has nothing to go by.
func Private(fs.FileInfo) bool { return true }

//go:build unix && !solaris && !aix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Flags for opening files that may have been exchanged for something else, and
// facts about the system.
const (
	Nonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY // opening a pipe does not wait
	NoFollow = syscall.O_NOFOLLOW
	HasModes = true // the permissions of files mean something

	canSyncDir = true
)

// Flock tries to take the exclusive lock on f and says whether it did. Closing
// f releases it. It does not wait, because a waiting flock cannot be cancelled.
// The error is errors.ErrUnsupported where there is no such lock.
func Flock(f syscall.Conn) (bool, error) {
	var lockErr error
	c, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	err = c.Control(func(fd uintptr) {
		for {
			lockErr = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB)
			if !errors.Is(lockErr, syscall.EINTR) {
				return
			}
		}
	})
	if err != nil {
		return false, err
	}
	if errors.Is(lockErr, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return lockErr == nil, lockErr
}

// Private reports whether a file is this user's, no other user can read or write it, and it
// has one name.
func Private(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && fi.Mode().Perm()&0o077 == 0 && st.Nlink == 1
}

//go:build unix && !solaris && !aix

package seg

import (
	"errors"
	"syscall"
)

const (
	// Nothing in a store is a link or a pipe; what is there does not follow or block.
	openSafely = syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_NOCTTY
	canSyncDir = true
)

// flock tries to take the exclusive lock on f and says whether it did. Closing
// f releases it. It does not wait, because a waiting flock cannot be cancelled.
func flock(f file) (bool, error) {
	c, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	var lockErr error
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

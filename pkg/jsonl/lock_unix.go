//go:build unix && !solaris && !aix

package jsonl

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	openNonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY
	openNoFollow = syscall.O_NOFOLLOW
	canSyncDir   = true
)

// Flock tries to take the exclusive lock on f and says whether it did. Closing
// f releases it. It does not wait, because a waiting flock cannot be cancelled.
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

// alive reports whether there is a process pid.
func alive(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// chownLike gives f the owner of the file that like describes. Only root can
// give files away, so it is tried and not insisted on.
func chownLike(f file, like fs.FileInfo) {
	st, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if o, ok := f.(interface{ Chown(uid, gid int) error }); ok {
		_ = o.Chown(int(st.Uid), int(st.Gid))
	}
}

// unwritable reports whether err means that no file of the wanted name can be
// made in a directory, as opposed to something having gone wrong.
func unwritable(err error) bool {
	return errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENAMETOOLONG)
}

package jsonl

import (
	"errors"
	"syscall"
)

// datasync makes the bytes of f durable, and of its metadata only the size.
func datasync(f file) error {
	of, ok := f.(osFile)
	if !ok {
		return f.Sync()
	}
	c, err := of.SyscallConn()
	if err != nil {
		return err
	}
	var syncErr error
	err = c.Control(func(fd uintptr) {
		for {
			syncErr = syscall.Fdatasync(int(fd))
			if !errors.Is(syncErr, syscall.EINTR) {
				return
			}
		}
	})
	return errors.Join(err, syncErr)
}

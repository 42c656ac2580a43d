package seg

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// exchange gives each of two names to the other's file, in one step.
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	return unsupported(err, unix.EINVAL, unix.ENOSYS, unix.ENOTSUP)
}

// unsupported says of an error that is one of these that there is no such call.
func unsupported(err error, these ...error) error {
	for _, e := range these {
		if errors.Is(err, e) {
			return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
		}
	}
	return err
}

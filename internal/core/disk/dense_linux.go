package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// denseSize is the size in bytes up to which a hole does no harm.
const denseSize = 1 << 20

// Dense refuses a large file with holes in it. Holes cost their maker nothing, but fill the memory of a
// reader; no line of JSON has a zero byte.
func Dense(f *os.File, size int64) error {
	if size <= denseSize {
		return nil
	}
	hole, err := unix.Seek(int(f.Fd()), 0, unix.SEEK_HOLE)
	if err != nil {
		return nil // this file system does not say
	}
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	if hole < size {
		return errors.New("a file with holes")
	}
	return nil
}

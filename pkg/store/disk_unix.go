//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// openFile opens path for reading. A FIFO that took the place of a file opens
// at once instead of waiting for a writer, and no terminal becomes ours.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

// syncDir makes the names in dir durable. A file system that has no such
// operation for directories is taken at its word.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

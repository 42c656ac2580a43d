//go:build unix

package formats

import (
	"os"
	"syscall"
)

// openFile opens path for reading. A FIFO opens at once instead of waiting for a
// writer, and no terminal becomes ours.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

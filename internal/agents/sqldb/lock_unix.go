//go:build unix

package sqldb

import (
	"io"
	"os"
	"syscall"
)

// The bytes of a database that SQLite locks: two that writers take first, and
// those of readers.
const (
	lockFirst = 1 << 30
	lockSize  = 2 + 510
)

// isLocked reports whether another process has a lock of writing on the database.
func isLocked(f *os.File) bool {
	l := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart, Start: lockFirst, Len: lockSize}
	err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &l)
	return err == nil && l.Type != syscall.F_UNLCK
}

// openForReading opens the file at path. A FIFO would open at once instead of waiting for a
// writer.
func openForReading(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY|syscall.O_NOFOLLOW, 0)
}

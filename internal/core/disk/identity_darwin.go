package disk

import (
	"io/fs"
	"syscall"
)

// Identity returns the number of a file in its file system, and when it was changed last, its
// name and its times included, in nanoseconds since the epoch; 0 where that is not known.
func Identity(fi fs.FileInfo) (number uint64, changed int64) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return st.Ino, st.Ctimespec.Nano()
}

// Device returns the number of the file system of a file, 0 where that is not known.
func Device(fi fs.FileInfo) uint64 {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(st.Dev) //nolint:gosec // a number, not a quantity
}

package store

import "golang.org/x/sys/unix"

// renameExclusive renames in one step, and fails if the new name is taken.
func renameExclusive(from, to string) error {
	return unix.RenamexNp(from, to, unix.RENAME_EXCL)
}

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Claim gives the finished file from the name to, both in the directory dir. Of several
// that claim one name exactly one gets it, on all machines that share the directory; the error
// of the others matches [fs.ErrExist]. The name from may remain, and the caller
// removes it. The error is [errors.ErrUnsupported] on a file system that has neither
// hard links nor an exclusive rename: there is no third way.
func Claim(dir *os.Root, from, to string) error {
	return claim(dir, from, to, dir.Link)
}

func claim(dir *os.Root, from, to string, link func(from, to string) error) error {
	err := link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d, operr := dir.Open(".")
	if operr != nil {
		return operr
	}
	defer d.Close()
	rerr := renameExclusiveIn(d, from, to)
	switch {
	case rerr == nil, errors.Is(rerr, fs.ErrExist):
		return rerr
	case unsupported(rerr):
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return rerr
}

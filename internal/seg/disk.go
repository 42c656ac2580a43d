package seg

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/disk"
)

// Modes of everything a store consists of. pi refuses a store that anybody but
// its owner can read.
const (
	fileMode fs.FileMode = 0o600
	dirMode  fs.FileMode = 0o700
)

// openFile opens a regular file. Nothing in a store is a link or a pipe: what is
// there instead is not followed, and does not block.
func openFile(d disk.FS, name string, flag int) (disk.File, error) {
	f, err := d.Open(name, flag|disk.NoFollow|disk.Nonblock, fileMode)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w: not a regular file", ErrCorrupt)}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func joined(dir string, elem ...string) string {
	return filepath.Join(append([]string{dir}, elem...)...)
}

func about(what string, err error) error { return fmt.Errorf("%s: %w", what, disk.Cause(err)) }

// readFile returns the bytes of a file of at most limit bytes.
func readFile(d disk.FS, name string, limit int64) ([]byte, error) {
	f, err := openFile(d, name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if fi.Size() > limit {
		return nil, fmt.Errorf("%w: %s has %d bytes, more than %d", ErrCorrupt, filepath.Base(name), fi.Size(), limit)
	}
	b := make([]byte, fi.Size())
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b[:n], nil
}

// replaceFile gives the file name the content b in one step, through temp on
// the same file system. A crash leaves the old content or the new.
func replaceFile(d disk.FS, temp, name string, b []byte) error {
	return disk.Replace(d, temp, name, b, true)
}

// removeTree removes a directory and what is in it.
func removeTree(d disk.FS, dir string) error {
	entries, err := d.ReadDir(dir)
	if missing(err) {
		return nil
	}
	for _, e := range entries {
		name := joined(dir, e.Name())
		if e.IsDir() {
			err = removeTree(d, name)
		} else {
			err = d.Remove(name)
		}
		if err != nil && !missing(err) {
			return err
		}
	}
	if err != nil {
		return err
	}
	return d.Remove(dir)
}

package seg

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/sess-tools/sess/pkg/jsonl"
)

// Modes of everything a store consists of. pi refuses a store that anybody but
// its owner can read.
const (
	fileMode fs.FileMode = 0o600
	dirMode  fs.FileMode = 0o700
)

// A file is what the package asks of an open file. It is an interface so that
// tests can make any of it fail.
type file interface {
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
	SyscallConn() (syscall.RawConn, error)
}

// A disk is what the package asks of the file system.
type disk interface {
	open(name string, flag int) (file, error)
	mkdir(name string) error
	rename(from, to string) error
	exchange(a, b string) error // errors.ErrUnsupported where there is no such thing
	remove(name string) error
	list(name string) ([]fs.DirEntry, error)
	lstat(name string) (fs.FileInfo, error)
	syncDir(name string) error
	chmod(name string, mode fs.FileMode) error
}

type osDisk struct{}

func (osDisk) open(name string, flag int) (file, error) {
	f, err := os.OpenFile(name, flag|openSafely, fileMode)
	if err != nil {
		return nil, err // not a nil *os.File in a non-nil interface
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

func (osDisk) mkdir(name string) error                 { return os.Mkdir(name, dirMode) }
func (osDisk) rename(from, to string) error            { return os.Rename(from, to) }
func (osDisk) exchange(a, b string) error              { return exchange(a, b) }
func (osDisk) remove(name string) error                { return os.Remove(name) }
func (osDisk) list(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (osDisk) lstat(name string) (fs.FileInfo, error)  { return os.Lstat(name) }
func (osDisk) syncDir(name string) error               { return jsonl.SyncDir(name) }
func (osDisk) chmod(name string, m fs.FileMode) error  { return os.Chmod(name, m) }
func missing(err error) bool                           { return errors.Is(err, fs.ErrNotExist) }
func joined(dir string, elem ...string) string {
	return filepath.Join(append([]string{dir}, elem...)...)
}

// closing closes f and adds the error of that to err.
func closing(f io.Closer, err error) error { return errors.Join(err, jsonl.Close(f)) }

func about(what string, err error) error { return fmt.Errorf("%s: %w", what, cause(err)) }

// cause strips the operation and the file names that package os puts around an
// error, so that a message names its file once.
func cause(err error) error {
	switch e := err.(type) { //nolint:errorlint // what callers wrapped around it must stay
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	default:
		return err
	}
}

// readFile returns the bytes of a file of at most limit bytes.
func readFile(d disk, name string, limit int64) ([]byte, error) {
	f, err := d.open(name, os.O_RDONLY)
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

// write sends b with one call and reports a short write as an error.
func write(f file, b []byte) error {
	n, err := f.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// makeFile makes or empties the file name, fills it and makes it durable.
func makeFile(d disk, name string, b []byte) error {
	f, err := d.open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	if err = write(f, b); err == nil {
		err = f.Sync()
	}
	return closing(f, err)
}

// replaceFile gives the file name the content b in one step, through temp on
// the same file system. A crash leaves the old content or the new.
func replaceFile(d disk, temp, name string, b []byte) error {
	if err := makeFile(d, temp, b); err != nil {
		return err
	}
	return d.rename(temp, name)
}

// removeTree removes a directory and what is in it.
func removeTree(d disk, dir string) error {
	entries, err := d.list(dir)
	if missing(err) {
		return nil
	}
	for _, e := range entries {
		name := joined(dir, e.Name())
		if e.IsDir() {
			err = removeTree(d, name)
		} else {
			err = d.remove(name)
		}
		if err != nil && !missing(err) {
			return err
		}
	}
	if err != nil {
		return err
	}
	return d.remove(dir)
}

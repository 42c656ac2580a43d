// Package disk is the file system as the other packages write to it: an interface
// in which tests can make any call fail, giving a file a name without replacing
// another, replacing a file in one step, locks, and what makes bytes and names
// durable.
package disk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// A File is an open file.
type File interface {
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Seeker
	io.Closer
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
	Truncate(size int64) error
	Sync() error
	SyscallConn() (syscall.RawConn, error)
}

// An FS is a file system. The errors are those of package os.
type FS interface {
	Open(name string, flag int, perm fs.FileMode) (File, error)
	Mkdir(name string, perm fs.FileMode) error
	Rename(from, to string) error
	// Exchange gives each of two names to the other's file, in one step. The error
	// is errors.ErrUnsupported where there is no such call.
	Exchange(a, b string) error
	Remove(name string) error
	ReadDir(name string) ([]fs.DirEntry, error)
	Lstat(name string) (fs.FileInfo, error)
	Chmod(name string, mode fs.FileMode) error
	SyncDir(name string) error
}

// OS is the file system of the operating system.
type OS struct{}

// Open is [os.OpenFile]. Closing the file is not interrupted by a signal.
func (OS) Open(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not a nil *os.File in a non-nil interface
	}
	return osFile{f}, nil
}

type osFile struct{ *os.File }

func (f osFile) Close() error { return Close(f.File) }

// Mkdir is [os.Mkdir].
func (OS) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }

// Rename is [os.Rename].
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Exchange gives each of two names to the other's file.
func (OS) Exchange(a, b string) error { return exchange(a, b) }

// Remove is [os.Remove].
func (OS) Remove(name string) error { return os.Remove(name) }

// ReadDir is [os.ReadDir].
func (OS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// Lstat is [os.Lstat].
func (OS) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// Chmod is [os.Chmod].
func (OS) Chmod(name string, mode fs.FileMode) error { return os.Chmod(name, mode) }

// SyncDir is the function of that name.
func (OS) SyncDir(name string) error { return SyncDir(name) }

// A Reader reads R until Ctx ends: a large file is not read to its end in spite of
// an interrupt.
type Reader struct {
	Ctx context.Context
	R   io.Reader
}

func (r Reader) Read(p []byte) (int, error) {
	if err := r.Ctx.Err(); err != nil {
		return 0, err
	}
	return r.R.Read(p)
}

// A Counter counts the bytes that W takes.
type Counter struct {
	W io.Writer
	N int64
}

func (c *Counter) Write(p []byte) (int, error) {
	n, err := c.W.Write(p)
	c.N += int64(n)
	return n, err
}

// Cause strips the operation and the file names that package os puts around an
// error, so that a message names its file once. What callers wrapped around the
// error stays.
func Cause(err error) error {
	for {
		switch e := err.(type) { //nolint:errorlint // what callers wrapped around it must stay
		case *fs.PathError:
			err = e.Err
		case *os.LinkError:
			err = e.Err
		case *os.SyscallError:
			err = e.Err
		default:
			return err
		}
	}
}

// Close closes a file and returns its error, unless a signal interrupted the call:
// the file is closed then, and must not be closed again.
func Close(f io.Closer) error {
	if err := f.Close(); !errors.Is(err, syscall.EINTR) {
		return err
	}
	return nil
}

// Closing closes f and returns err, or else the error of closing.
func Closing(f io.Closer, err error) error {
	if cerr := Close(f); err == nil {
		err = cerr
	}
	return err
}

// SyncDir makes the names in a directory durable. It does nothing on a file system
// that cannot sync a directory.
func SyncDir(name string) error {
	if !canSyncDir {
		return nil
	}
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// Regular returns an error that says what a file is, unless it is a regular file.
func Regular(fi fs.FileInfo) error {
	switch m := fi.Mode(); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return errors.New("is a directory")
	case m&fs.ModeNamedPipe != 0:
		return errors.New("is a named pipe, not a regular file")
	default:
		return errors.New("not a regular file")
	}
}

// IsEmpty reports whether there is a regular file of no bytes at a path.
func IsEmpty(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && fi.Size() == 0
}

// OpenRegular opens the regular file at name, or the one that a link there leads to, for reading. It never waits for another
// program, as opening a FIFO would, which no signal ends. The error does not name the file unless it could not be opened.
func OpenRegular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|Nonblock, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil {
		err = Regular(fi)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile returns what a regular file has, see [OpenRegular].
func ReadFile(name string) ([]byte, error) {
	f, err := OpenRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Subject returns a name as it stands in front of a colon: quoted if it ends in one
// itself, as "codex:" does.
func Subject(name string) string {
	if strings.HasSuffix(name, ":") {
		return strconv.Quote(name)
	}
	return name
}

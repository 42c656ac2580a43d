package jsonl

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// A file is what the package asks of an open file. It is an interface so that
// tests can make any of it fail.
type file interface {
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Seeker
	io.Closer
	Stat() (fs.FileInfo, error)
	Chmod(fs.FileMode) error
	Truncate(size int64) error
	Sync() error
	SyscallConn() (syscall.RawConn, error)
}

// A disk is what the package asks of the file system.
type disk interface {
	open(name string, flag int, perm fs.FileMode) (file, error)
	rename(from, to string) error
	syncDir(name string) error
}

type osDisk struct{}

func (osDisk) open(name string, flag int, perm fs.FileMode) (file, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not a nil *os.File in a non-nil interface
	}
	return osFile{f}, nil
}

// An osFile is a file whose closing cannot be interrupted.
type osFile struct{ *os.File }

func (f osFile) Close() error { return Close(f.File) }

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) syncDir(name string) error { return SyncDir(name) }

// SyncDir makes the names in a directory durable. File systems that cannot sync
// a directory have nothing to offer here, which is no reason to fail.
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

// openRegular opens an existing regular file. It looks before it opens, because
// opening a device or a named pipe can block or have an effect, and once more
// after, because the name may have changed hands in between.
func openRegular(d disk, name string, flag int) (file, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := regular(fi); err != nil {
		return nil, err
	}
	f, err := d.open(name, flag|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	if fi, err = f.Stat(); err == nil {
		err = regular(fi)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func regular(fi fs.FileInfo) error {
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

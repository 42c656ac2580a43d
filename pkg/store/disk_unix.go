//go:build unix

package store

import (
	"errors"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// A file is an open file and nothing else: an [os.File] is offered to the poller,
// and has to be forgotten by the collector, which is a twentieth of a listing.
type file struct {
	fd int
	at int64 // what Read reads next, in bytes
}

// openFile opens path for reading. A FIFO that took the place of a file opens
// at once instead of waiting for a writer, and no terminal becomes ours.
func openFile(path string) (*file, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		switch {
		case err == nil:
			return &file{fd: fd}, nil
		case !errors.Is(err, unix.EINTR):
			return nil, err
		}
	}
}

func (f *file) stat() (facts, error) {
	var st unix.Stat_t
	for {
		switch err := unix.Fstat(f.fd, &st); {
		case err == nil:
			return facts{regular: st.Mode&unix.S_IFMT == unix.S_IFREG, size: st.Size, modTime: time.Unix(st.Mtim.Unix())}, nil
		case !errors.Is(err, unix.EINTR):
			return facts{}, err
		}
	}
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.some(p, f.at)
	f.at += int64(n)
	return n, err
}

func (f *file) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		var got int
		got, err = f.some(p[n:], off+int64(n))
		n += got
	}
	return n, err
}

// some reads what the system gives at once.
func (f *file) some(p []byte, off int64) (int, error) {
	for {
		n, err := unix.Pread(f.fd, p, off)
		switch {
		case err == nil && n == 0 && len(p) > 0:
			return 0, io.EOF
		case err == nil:
			return n, nil
		case !errors.Is(err, unix.EINTR):
			return 0, err
		}
	}
}

// close ends it; there is nothing that could fail to be written.
func (f *file) close() { _ = unix.Close(f.fd) }

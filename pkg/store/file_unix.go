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
	f := new(file)
	err := again(func() (err error) {
		f.fd, err = unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (f *file) stat() (facts, error) {
	var st unix.Stat_t
	if err := again(func() error { return unix.Fstat(f.fd, &st) }); err != nil {
		return facts{}, err
	}
	return facts{regular: st.Mode&unix.S_IFMT == unix.S_IFREG, size: st.Size, modTime: time.Unix(st.Mtim.Unix())}, nil
}

// again calls until no signal comes in between.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
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
func (f *file) some(p []byte, off int64) (n int, err error) {
	err = again(func() (err error) {
		n, err = unix.Pread(f.fd, p, off)
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

// close ends it; there is nothing that could fail to be written.
func (f *file) close() { _ = unix.Close(f.fd) }

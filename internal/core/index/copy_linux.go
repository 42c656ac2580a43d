package index

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// A way copies without a detour through our memory.
type way int

const (
	none   way = iota
	splice     // into a pipe
	within     // into a regular file, which may share the bytes
	send       // into anything else
)

const (
	pipeSize = 1 << 20 // the most that the system allows everybody
	atOnce   = 1 << 30
)

// wayTo returns how to copy into dst.
func wayTo(dst *os.File) way {
	fi, err := dst.Stat()
	if err != nil {
		return none
	}
	switch mode := fi.Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		if c, err := dst.SyscallConn(); err == nil {
			// A larger pipe is fewer switches to the reader. Without, it works too.
			_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
		}
		return splice
	case mode.IsRegular():
		return within
	}
	return send
}

// copy copies as much of a range as this way can and returns the rest, which
// is all of it where the system or the file system does not have this way.
func (w way) copy(dst, src *os.File, r Range) (Range, error) {
	if w == none {
		return r, nil
	}
	out, err := dst.SyscallConn()
	if err != nil {
		return r, nil
	}
	in, err := src.SyscallConn()
	if err != nil {
		return r, nil
	}
	var failed error
	err = out.Write(func(to uintptr) (done bool) {
		err := in.Control(func(from uintptr) { r, failed = w.loop(int(to), int(from), r) })
		if err != nil {
			failed = nil
		}
		return !errors.Is(failed, unix.EAGAIN) // else wait until the reader has room again
	})
	switch {
	case errors.Is(failed, unix.EINVAL), errors.Is(failed, unix.ENOSYS), errors.Is(failed, unix.EXDEV),
		errors.Is(failed, unix.EBADF), errors.Is(failed, unix.EOPNOTSUPP), errors.Is(failed, unix.EPERM), errors.Is(failed, unix.EIO):
		return r, nil // through memory, which tells a fault of src from one of dst
	case failed != nil:
		return r, failed
	}
	return r, err
}

// loop copies until all of a range is copied, or nothing more is.
func (w way) loop(to, from int, r Range) (Range, error) {
	for r.Start < r.End {
		n, err := w.some(to, from, &r.Start, int(min(r.End-r.Start, atOnce)))
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN) && w == splice:
			if err := room(to); err != nil {
				return r, err
			}
		case err != nil:
			return r, err
		case n == 0:
			return r, nil
		}
	}
	return r, nil
}

// room waits until there is room in a pipe. Then it lets the reader go on first: on
// the same processor that would else be interrupted as soon as it has made the least
// room, and be given as little.
func room(pipe int) error {
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(pipe), Events: unix.POLLOUT}}, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		return err
	}
}

// some copies up to n bytes from an offset, which it moves.
func (w way) some(to, from int, off *int64, n int) (int, error) {
	switch w {
	case splice:
		moved, err := unix.Splice(from, off, to, nil, n, unix.SPLICE_F_MORE|unix.SPLICE_F_NONBLOCK)
		return int(moved), err
	case within:
		return unix.CopyFileRange(from, off, to, nil, n, 0)
	}
	return unix.Sendfile(to, from, off, n)
}

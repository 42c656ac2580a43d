package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// An Appender appends to a log that it holds locked. It is not safe for
// concurrent use.
type Appender struct {
	d    disk
	h    *held
	path string // as the caller named it
	o    Options
	tail tail
	size int64
	mend Mend
	err  error // why nothing more is accepted
}

var _ io.ReaderAt = (*Appender)(nil)

// OpenAppender opens the log at path, an existing regular file, and locks it,
// waiting for the lock until ctx is done or o.Wait has passed. It looks at the
// end of the log but changes nothing.
//
// Errors: [ErrLocked] when another program kept the lock, [ErrTorn] for a torn
// last line under [Refuse], [ErrUnfinished] for one that was written to within
// o.Grace, the error of ctx, which is checked only while waiting, and those of
// the file system, [io/fs.ErrNotExist] for a missing log among them. They name
// the log.
func OpenAppender(ctx context.Context, path string, o Options) (*Appender, error) {
	return openAppender(ctx, osDisk{}, path, o)
}

func openAppender(ctx context.Context, d disk, path string, o Options) (*Appender, error) {
	p := newPatience(ctx, o.wait())
	h, err := acquire(p, d, path)
	if err != nil {
		return nil, err
	}
	a := &Appender{d: d, h: h, path: path, o: o}
	if err := a.settle(p); err != nil {
		return nil, errors.Join(err, h.release())
	}
	return a, nil
}

// Size returns the length of the log in bytes, as it was after the last append
// or, before the first, on opening.
func (a *Appender) Size() int64 { return a.size }

// ReadAt reads from the locked log at the byte offset off, as [io.ReaderAt].
func (a *Appender) ReadAt(p []byte, off int64) (int, error) { return a.h.f.ReadAt(p, off) }

// Mended tells what was done to the end of the log so far. It may have been
// mended although the append failed.
func (a *Appender) Mended() Mend { return a.mend }

// Sync makes durable what was appended. Once it has failed the state of the log
// on disk is unknown, and the Appender answers everything with that error.
func (a *Appender) Sync() error {
	if a.err != nil {
		return a.err
	}
	if err := datasync(a.h.f); err != nil {
		// Asking again would succeed, the kernel reports a lost page only once.
		a.err = fmt.Errorf("syncing %s: %w", a.path, cause(err))
	}
	return a.err
}

// Close releases the locks. It does not sync. Closing twice is harmless.
func (a *Appender) Close() error {
	closed := fmt.Errorf("using %s: %w", a.path, os.ErrClosed)
	if errors.Is(a.err, os.ErrClosed) {
		return nil
	}
	a.err = closed
	if err := a.h.release(); err != nil {
		return fmt.Errorf("unlocking %s: %w", a.path, err)
	}
	return nil
}

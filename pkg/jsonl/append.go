package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
)

// An Appender appends to a log that it holds locked. It is not safe for
// concurrent use.
type Appender struct {
	d    disk.FS
	h    *held
	path string // as the caller named it
	o    Options
	tail tail
	size int64
	mend Mend
	err  error // why nothing more is accepted

	holders func(name string, info fs.FileInfo) []disk.Holder
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
	return openAppender(ctx, disk.OS{}, path, o)
}

func openAppender(ctx context.Context, d disk.FS, path string, o Options) (*Appender, error) {
	p := newPatience(ctx, o.wait())
	h, err := acquire(p, d, path)
	if err != nil {
		return nil, err
	}
	a := &Appender{d: d, h: h, path: path, o: o, holders: disk.Holders}
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
// on disk is unknown, and all further calls return that error.
func (a *Appender) Sync() error {
	if a.err != nil {
		return a.err
	}
	if err := disk.Datasync(a.h.f); err != nil {
		// Asking again would succeed, the kernel reports a lost page only once.
		a.err = fmt.Errorf("syncing %s: %w", a.path, disk.Cause(err))
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

// appendTries is how often an append is repeated that fell right behind the
// incomplete line of a program that does not lock.
const appendTries = 3

// Append appends the lines, each of them one JSON value without a line feed.
// They go out in one write(2) (one for each GiB, if there is that much), all or
// none: a short write is rolled back and the log is as it was. Append does not
// sync. Without lines it does nothing.
//
// Append first mends the end of the log as [Options.Tail] says. [Appender.Mended] reports the
// repair. A mended end stays mended if the append fails.
//
// Errors: [ErrInvalid], with the number of the line in the batch and without the
// name of the log; [ErrTorn] and [ErrUnfinished] as by [OpenAppender], for a log
// that another program wrote to meanwhile; [ErrChanged], also for a log that was
// replaced in spite of its locks; [os.ErrClosed] after Close; those of the file
// system. If a short write could not be rolled back, the error names the byte at
// which the log was left torn, and all further calls return that error.
func (a *Appender) Append(lines ...[]byte) error {
	if a.err != nil {
		return a.err
	}
	batch, err := join(lines)
	if err != nil || len(lines) == 0 {
		return err
	}
	for range appendTries {
		if err := a.mendTail(); err != nil {
			return err
		}
		done, err := a.write(batch)
		if err != nil {
			return err
		}
		if done {
			return a.stillThere()
		}
	}
	return fmt.Errorf("appending to %s: %w", a.path, ErrChanged)
}

// stillThere returns an error if the log was deleted or replaced under its lock:
// then the batch went into a file that no reader will open again. A replacement
// that comes later took no notice of it either, but that cannot be seen.
//
// A look that fails says nothing of that: the batch is in the file, and a caller that was
// told otherwise would append it once more. So it is if the log's directory was moved.
func (a *Appender) stillThere() error {
	current, err := a.h.current(a.path)
	switch {
	case err == nil && !current:
		err = fmt.Errorf("replaced meanwhile: %w", ErrChanged)
	case errors.Is(err, fs.ErrNotExist) && hasDir(a.path):
	default:
		return nil
	}
	a.err = fmt.Errorf("appending to %s: %w", a.path, err)
	return a.err
}

func hasDir(path string) bool {
	_, err := os.Stat(filepath.Dir(path))
	return err == nil
}

// join returns the bytes to write: the lines, and in front of them a line feed, which ends the line before
// them if it has none.
func join(lines [][]byte) ([]byte, error) {
	n := 1
	for i, l := range lines {
		if bytes.IndexByte(l, '\n') >= 0 || !js.Valid(l) {
			return nil, fmt.Errorf("line %d of %d: %w", i+1, len(lines), ErrInvalid)
		}
		n += len(l) + 1
	}
	b := append(make([]byte, 0, n), '\n')
	for _, l := range lines {
		b = append(append(b, l...), '\n')
	}
	return b, nil
}

// write appends the batch, or leaves the log as it was. It reports false if the
// batch has to be written again because the log had changed.
func (a *Appender) write(b []byte) (bool, error) {
	if a.tail.form == whole {
		b = b[1:]
	}
	n, err := a.h.f.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return false, a.undo(b[:n], fmt.Errorf("appending to %s: %w", a.path, disk.Cause(err)))
	}
	end, err := a.h.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return false, a.undo(b, fmt.Errorf("finding the end of %s: %w", a.path, disk.Cause(err)))
	}
	if start := end - int64(n); start != a.size && start > 0 && b[0] != '\n' {
		// A writer without the lock was faster. Whole lines are welcome; a piece of one has now
		// swallowed our first line.
		var last [1]byte
		if _, err := a.h.f.ReadAt(last[:], start-1); err != nil || last[0] != '\n' {
			return false, a.undo(b, nil)
		}
	}
	switch a.tail.form {
	case whole:
	case unended:
		a.noteMend(MendNewline, "")
	case blanked, torn:
		a.noteMend(MendEndLine, "")
	}
	a.size, a.tail = end, tail{}
	return true, nil
}

// undo takes back b, which is all that the last write got into the log, and
// returns why. Bytes at the very end are cut off. If another program wrote behind
// them they are blanked instead, so that its bytes are not cut.
func (a *Appender) undo(b []byte, why error) error {
	if len(b) == 0 {
		return why
	}
	start, err := a.findWritten(b)
	if err == nil {
		err = a.erase(start, len(b))
	}
	if err != nil {
		a.err = fmt.Errorf("leaving %s torn at byte %d, which could not be undone: %w", a.path, start, disk.Cause(err))
		if why != nil {
			a.err = fmt.Errorf("%w; leaving it torn at byte %d, which could not be undone: %w", why, start, disk.Cause(err))
		}
		return a.err
	}
	return why
}

// findWritten returns where b, which was written last, begins. On an error the
// offset is the best guess.
func (a *Appender) findWritten(b []byte) (int64, error) {
	end, err := a.h.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return a.size, err
	}
	start := end - int64(len(b))
	got := make([]byte, len(b))
	if _, err := a.h.f.ReadAt(got, start); err != nil && !errors.Is(err, io.EOF) {
		return start, err
	}
	if !bytes.Equal(got, b) {
		return a.size, ErrChanged
	}
	return start, nil
}

func (a *Appender) erase(start int64, n int) error {
	fi, err := a.h.f.Stat()
	if err != nil {
		return err
	}
	if fi.Size() == start+int64(n) {
		return a.h.f.Truncate(start)
	}
	return a.blank(start, n)
}

// blank writes n spaces at off. It opens the file again, since on Linux even pwrite(2) appends by a
// descriptor with O_APPEND.
func (a *Appender) blank(off int64, n int) error {
	f, err := openRegular(a.d, a.h.real, os.O_WRONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	mine, err := a.h.f.Stat()
	if err != nil {
		return err
	}
	other, err := f.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(mine, other) {
		return ErrChanged
	}
	spaces := bytes.Repeat([]byte{' '}, min(n, 16*blockSize))
	for n > 0 && err == nil {
		var done int
		if done, err = f.WriteAt(spaces[:min(n, len(spaces))], off); done == 0 && err == nil {
			err = io.ErrShortWrite
		}
		n, off = n-done, off+int64(done)
	}
	if err != nil {
		return err
	}
	return f.Sync()
}

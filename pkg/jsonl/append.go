package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// appendTries is how often an append is repeated that fell right behind the
// incomplete line of a program that does not lock.
const appendTries = 3

// Append appends the lines, each of them one JSON value without a line feed.
// They go out in one write(2) (one for each GiB, if there is that much), all or
// none: a short write is taken back and the log is as it was. Append does not
// sync. Without lines it does nothing.
//
// The end of the log is mended first, see [Options.Tail]; [Appender.Mended] tells
// how. A mended end stays mended if the append fails.
//
// Errors: [ErrInvalid], with the number of the line in the batch and without the
// name of the log; [ErrTorn] and [ErrChanged] as by [OpenAppender], the latter
// also for a log that was replaced in spite of its locks; and whatever the file
// system says. If a short write could not be taken back, the error
// names the byte at which the log was left torn, and the Appender answers
// everything with it from then on.
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
// then the batch went into a file that nobody will read again. A replacement
// that comes later took no notice of it either, but that cannot be seen.
func (a *Appender) stillThere() error {
	current, err := a.h.current(a.path)
	if err == nil && !current {
		err = fmt.Errorf("replaced meanwhile: %w", ErrChanged)
	}
	if err != nil {
		a.err = fmt.Errorf("appending to %s: %w", a.path, err)
	}
	return a.err
}

// join returns the lines as they will be written, behind a line feed for the
// line before them that may or may not be needed.
func join(lines [][]byte) ([]byte, error) {
	n := 1
	for i, l := range lines {
		if bytes.IndexByte(l, '\n') >= 0 || !json.Valid(l) {
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
		return false, a.undo(b[:n], fmt.Errorf("appending to %s: %w", a.path, cause(err)))
	}
	end, err := a.h.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return false, a.undo(b, fmt.Errorf("finding the end of %s: %w", a.path, cause(err)))
	}
	if start := end - int64(n); start != a.size && start > 0 && b[0] != '\n' {
		// Somebody without the lock was faster. Whole lines are welcome; a
		// piece of one has now swallowed our first line.
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
// returns why. Bytes at the very end are cut off. If somebody wrote behind them
// they are blanked instead, so that nobody else's bytes are cut.
func (a *Appender) undo(b []byte, why error) error {
	if len(b) == 0 {
		return why
	}
	start, err := a.findWritten(b)
	if err == nil {
		err = a.erase(start, len(b))
	}
	if err != nil {
		a.err = fmt.Errorf("leaving %s torn at byte %d, which could not be undone: %w", a.path, start, cause(err))
		if why != nil {
			a.err = fmt.Errorf("%w; leaving it torn at byte %d, which could not be undone: %w", why, start, cause(err))
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

// blank writes n spaces at off. It needs a descriptor of its own, since on
// Linux even pwrite(2) appends to one opened with O_APPEND.
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

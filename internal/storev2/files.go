package storev2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// Modes of everything a store consists of. pi refuses a store that anybody but
// its owner can read.
const (
	fileMode fs.FileMode = 0o600
	dirMode  fs.FileMode = 0o700
)

// openFile opens a regular file. Nothing in a store is a link or a pipe: one that is there is not
// followed, and does not block.
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

// about says what failed, with the cause of err. Of nil it makes nil.
func about(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, disk.Cause(err))
}

// unread reports whether an error says nothing about the store: something could not
// be read this time.
func unread(err error) bool {
	return err != nil && !missing(err) && !errors.Is(err, ErrCorrupt)
}

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

// replaceFile gives the file name of the store in dir the content b, in one step. A
// crash leaves the old content or the new.
func replaceFile(d disk.FS, dir, name string, b []byte) error {
	return disk.Replace(d, joined(dir, "tmp", base(name)+".tmp"), joined(dir, name), b, true)
}

// removeTree removes a directory with its files.
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

// mutationLock is the file that pi locks around every change of a store.
const mutationLock = "store.mutation.lock"

// takeLock takes the exclusive flock(2) on the lock file name, which it makes if
// need be and never removes, and returns what lets go of it. The wait is bounded
// by ctx and by wait, read as [jsonl.Options.Wait]. After that wait the
// error wraps [jsonl.ErrLocked].
func takeLock(ctx context.Context, d disk.FS, name string, wait time.Duration) (func() error, error) {
	if wait == 0 {
		wait = jsonl.DefaultWait
	}
	until := time.Now().Add(wait)
	for delay := time.Millisecond; ; delay = min(2*delay, 20*time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return nil, about("locking "+name, err)
		}
		f, ok, err := tryLock(d, name)
		if err != nil {
			return nil, about("locking "+name, err)
		}
		if ok {
			return func() error { return disk.Closing(f, nil) }, nil
		}
		if !time.Now().Before(until) {
			return nil, fmt.Errorf("locking %s: %w", name, jsonl.ErrLocked)
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(delay, time.Until(until))):
		}
	}
}

// tryLock opens and locks once. A lock on a file that meanwhile lost its name,
// with the store it belongs to, protects nothing and does not count.
func tryLock(d disk.FS, name string) (disk.File, bool, error) {
	f, err := openFile(d, name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, false, err
	}
	ok, err := disk.Flock(f)
	if ok && err == nil {
		ok, err = sameFile(d, f, name)
	}
	if err != nil || !ok {
		return nil, false, disk.Closing(f, err)
	}
	return f, true, nil
}

func sameFile(d disk.FS, f disk.File, name string) (bool, error) {
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := d.Lstat(name)
	if missing(err) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, named), err
}

// lock takes the lock of the store.
func (s *Store) lock(ctx context.Context) (func() error, error) {
	return takeLock(ctx, s.d, joined(s.dir, mutationLock), s.o.Wait)
}

// locked runs do while no other writer is at work, in this process or another. The
// errors of do get the name of the store.
func (s *Store) locked(ctx context.Context, do func() error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlockInto(&err, unlock)
	return s.named(do())
}

// unlockInto runs unlock and adds its error to err.
func unlockInto(err *error, unlock func() error) {
	if uerr := unlock(); uerr != nil {
		*err = errors.Join(*err, fmt.Errorf("unlocking: %w", disk.Cause(uerr)))
	}
}

// base names a file in messages about a store that is named already.
func base(name string) string { return filepath.Base(name) }

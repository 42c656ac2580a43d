package seg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// mutationLock is the file that pi locks around every change of a store.
const mutationLock = "store.mutation.lock"

// takeLock takes the exclusive flock(2) on the lock file name, which it makes if
// need be and never removes, and returns what lets go of it. The wait is bounded
// by ctx and by wait, read as [jsonl.Options.Wait]. The error of one that was
// not to be had wraps [jsonl.ErrLocked].
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

// unlockInto runs unlock and adds its error to err.
func unlockInto(err *error, unlock func() error) {
	if uerr := unlock(); uerr != nil {
		*err = errors.Join(*err, fmt.Errorf("unlocking: %w", disk.Cause(uerr)))
	}
}

// base names a file in messages about a store that is named already.
func base(name string) string { return filepath.Base(name) }

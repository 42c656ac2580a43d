package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// emptyLockAge is the age from which an empty lock file counts as abandoned, as
// in omp 18: its writer died between making and filling it.
const emptyLockAge = 500 * time.Millisecond

// A lockFile is omp 18's lock: a file beside the log that exists while somebody
// writes to the log or replaces it.
type lockFile struct {
	name string // empty if not taken
	mark []byte // what we wrote into it
}

// lockFileName returns the name of the lock file of a log.
func lockFileName(log string) string {
	dir, base := filepath.Split(log)
	return dir + "." + base + ".lock"
}

// take makes the lock file of log, waiting for its holder and taking over what
// a dead one left.
func (l *lockFile) take(p *patience, d disk, log string) error {
	name := lockFileName(log)
	for {
		mark := fmt.Appendf(nil, "%d:%d\n", os.Getpid(), time.Now().UnixMilli())
		err := makeLockFile(d, name, mark)
		if err == nil {
			l.name, l.mark = name, mark
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("making the lock file %s: %w", filepath.Base(name), cause(err))
		}
		owner, stale := inspectLockFile(name)
		if stale {
			// Our own kind is kept out by flock. The moment in which omp could
			// take over the same file is the one between this look and the last.
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("removing the stale lock file %s: %w", filepath.Base(name), cause(err))
			}
			continue
		}
		if more, err := p.pause(); err != nil {
			return err
		} else if !more {
			return fmt.Errorf("%w: it is %s, remove %s if that is not at work", p.locked(), owner, filepath.Base(name))
		}
	}
}

func makeLockFile(d disk, name string, mark []byte) error {
	f, err := d.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(mark)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		// Left empty it would only be in the way.
		return errors.Join(cause(err), os.Remove(name))
	}
	return nil
}

// inspectLockFile describes who holds the lock file, and reports whether it may
// be taken over. What cannot be read or understood is in use.
func inspectLockFile(name string) (owner string, stale bool) {
	const unknown = "an unknown process"
	f, err := os.OpenFile(name, os.O_RDONLY|openNonblock|openNoFollow, 0)
	if err != nil {
		return unknown, false // gone by now, most likely: the next attempt shows
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return unknown, false
	}
	data, err := io.ReadAll(io.LimitReader(f, 64))
	if err != nil {
		return unknown, false
	}
	if len(data) == 0 {
		return unknown, time.Since(fi.ModTime()) > emptyLockAge
	}
	digits, _, found := bytes.Cut(data, []byte(":"))
	pid, err := strconv.Atoi(string(digits))
	if !found || err != nil || pid <= 0 {
		return unknown, false
	}
	return fmt.Sprintf("process %d", pid), !alive(pid)
}

// drop removes the lock file, unless somebody took us for dead and made it
// theirs.
func (l *lockFile) drop() error {
	if l.name == "" {
		return nil
	}
	name := l.name
	l.name = ""
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(data, l.mark) {
		return nil
	}
	if err == nil {
		err = os.Remove(name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the lock file %s: %w", filepath.Base(name), cause(err))
	}
	return nil
}

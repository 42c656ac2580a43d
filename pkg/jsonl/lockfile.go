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

// watchTime is how long a lock file has to stay as it is before its owner is
// taken for dead although a process of that number lives, or the file names
// none. Processes of oh-my-pi hold it for as long as one write takes.
const watchTime = 500 * time.Millisecond

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
// a dead one left. With flocked the log is locked by flock, too, so that no other
// appender of this process holds it.
func (l *lockFile) take(p *patience, d disk, log string, flocked bool) error {
	name := lockFileName(log)
	var seen []byte // in the file, since then
	var since time.Time
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
		o := inspectLockFile(name, flocked)
		if since.IsZero() || !bytes.Equal(seen, o.mark) {
			seen, since = o.mark, time.Now()
		}
		if o.state == dead || o.state == doubtful && time.Since(since) >= watchTime {
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
			return fmt.Errorf("%w: it is %s, remove %s if that is not at work", p.locked(), o, filepath.Base(name))
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

// A lockState says whether the owner of a lock file is at work.
type lockState int

const (
	working  lockState = iota // it is, as far as can be seen
	doubtful                  // another process has its number by now, or the file names none
	dead                      // it is not
)

// An owner is who made a lock file.
type owner struct {
	state lockState
	pid   int    // 0 if unknown
	mark  []byte // what the file says
}

func (o owner) String() string {
	if o.pid == 0 {
		return "an unknown process"
	}
	return fmt.Sprintf("process %d", o.pid)
}

// inspectLockFile looks at who holds the lock file. A process that bears the
// number of its owner is another one if it is ourselves, where flock rules out a
// second appender in this process, or if it started after the file was made:
// numbers are given again after a restart, and in containers all the time.
func inspectLockFile(name string, flocked bool) owner {
	data, age, err := readLockFile(name)
	if err != nil {
		return owner{} // gone by now, most likely: the next attempt shows
	}
	o := owner{mark: data}
	if len(data) == 0 {
		if age > emptyLockAge {
			o.state = dead
		}
		return o
	}
	digits, ms, _ := bytes.Cut(bytes.TrimSuffix(data, []byte("\n")), []byte(":"))
	pid, err := strconv.Atoi(string(digits))
	if err != nil || pid <= 0 {
		o.state = doubtful
		return o
	}
	o.pid = pid
	made, err := strconv.ParseInt(string(ms), 10, 64)
	switch {
	case !alive(pid):
		o.state = dead
	case flocked && pid == os.Getpid(), err != nil, startedAfter(pid, made):
		o.state = doubtful
	}
	return o
}

// readLockFile returns the beginning of a lock file and its age.
func readLockFile(name string) ([]byte, time.Duration, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|openNonblock|openNoFollow, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err == nil {
		err = regular(fi)
	}
	if err != nil {
		return nil, 0, err
	}
	data, err := io.ReadAll(io.LimitReader(f, 64))
	return data, time.Since(fi.ModTime()), err
}

// startSlack is by how much the clocks of a process's start and of a lock file
// may differ.
const startSlack = 50 * time.Millisecond

// startedAfter reports whether the process pid is known to have started after a
// moment in milliseconds since the epoch.
func startedAfter(pid int, ms int64) bool {
	start, ok := startOf(pid)
	return ok && start.Sub(time.UnixMilli(ms)) > startSlack
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

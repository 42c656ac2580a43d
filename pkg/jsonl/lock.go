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
	"strconv"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
)

// A patience bounds everything that one call waits for.
type patience struct {
	ctx   context.Context
	total time.Duration
	until time.Time
	delay time.Duration
}

func newPatience(ctx context.Context, d time.Duration) *patience {
	return &patience{ctx: ctx, total: d, until: time.Now().Add(d), delay: time.Millisecond}
}

func (o Options) wait() time.Duration {
	if o.Wait == 0 {
		return DefaultWait
	}
	return max(o.Wait, 0)
}

func (p *patience) spent() bool { return !time.Now().Before(p.until) }

// pause waits between two attempts, longer each time, and reports false when no
// time is left.
func (p *patience) pause() (bool, error) {
	if p.spent() {
		return false, p.ctx.Err()
	}
	d := min(p.delay, time.Until(p.until))
	p.delay = min(2*p.delay, 20*time.Millisecond)
	return true, p.sleep(d)
}

// locked is the error when no time is left.
func (p *patience) locked() error {
	if p.total == 0 {
		return ErrLocked
	}
	return fmt.Errorf("%w, still after %v", ErrLocked, p.total)
}

func (p *patience) sleep(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.ctx.Done():
		return p.ctx.Err()
	case <-t.C:
		return p.ctx.Err()
	}
}

// A held is a log open for reading and appending, with both locks on it.
type held struct {
	f    disk.File
	real string // the log's path with a final symbolic link resolved
	lf   lockFile
}

// replacements is how often a log may be replaced under acquire before the wait
// counts: none of the replacements kept the lock, so even a caller who will not
// wait wants a few.
const replacements = 100

// acquire opens the log at path and locks it. As long as there is nothing to wait
// for it leaves the context alone: being asked is what makes a tool's context
// catch signals, which takes longer than all the rest.
func acquire(p *patience, d disk.FS, path string) (*held, error) {
	for n := 0; ; n++ {
		if n > 0 && p.ctx.Err() != nil {
			return nil, fmt.Errorf("locking %s: %w", path, p.ctx.Err())
		}
		h, err := open(d, path)
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", path, disk.Cause(err))
		}
		current, err := h.lock(p, d, path)
		if current && err == nil {
			return h, nil
		}
		if err == nil && n >= replacements && p.spent() {
			err = fmt.Errorf("%w: it is being replaced all the time", ErrLocked)
		}
		if err = errors.Join(err, h.release()); err != nil {
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
	}
}

// open opens the log for reading and appending. It never makes one.
func open(d disk.FS, path string) (*held, error) {
	link, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	name := path
	if link.Mode()&fs.ModeSymlink != 0 {
		// What a shell's <(…) names is a link to nothing that has a path.
		if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
			return nil, disk.Regular(fi)
		}
		if name, err = filepath.EvalSymlinks(path); err != nil {
			return nil, err
		}
	}
	f, err := openRegular(d, name, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	return &held{f: f, real: name}, nil
}

// openRegular opens an existing regular file. It looks before it opens, because
// opening a device or a named pipe can block or have an effect, and once more
// after, because the name may have changed hands in between.
func openRegular(d disk.FS, name string, flag int) (disk.File, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := disk.Regular(fi); err != nil {
		return nil, err
	}
	f, err := d.Open(name, flag|disk.Nonblock, 0)
	if err != nil {
		return nil, err
	}
	if fi, err = f.Stat(); err == nil {
		err = disk.Regular(fi)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// lock takes both locks, and reports whether the locked file is still the log. One lock is enough
// where the other does not exist.
func (h *held) lock(p *patience, d disk.FS, path string) (bool, error) {
	flocked, err := h.waitFlock(p)
	if err != nil {
		return false, err
	}
	if err := h.lf.take(p, d, h.real, flocked); err != nil && (!flocked || !unwritable(err)) {
		return false, err
	}
	return h.current(path)
}

// waitFlock reports false where there is no flock.
func (h *held) waitFlock(p *patience) (bool, error) {
	for {
		ok, err := disk.Flock(h.f)
		if ok || err != nil {
			if errors.Is(err, errors.ErrUnsupported) {
				return false, nil
			}
			return ok, err
		}
		if more, err := p.pause(); err != nil {
			return false, err
		} else if !more {
			return false, p.locked()
		}
	}
}

// current reports whether the open file is still the one that path names. While
// we waited for the lock, its holder may have renamed a new file over it; then
// what we hold is the lock on a file that no reader will open again.
func (h *held) current(path string) (bool, error) {
	mine, err := h.f.Stat()
	if err != nil {
		return false, disk.Cause(err)
	}
	named, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("deleted by another program: %w", fs.ErrNotExist)
	}
	if err != nil {
		return false, disk.Cause(err)
	}
	return os.SameFile(mine, named), nil
}

// release lets go of the locks in the reverse order, so that the process that gets the
// first one does not run into the second.
func (h *held) release() error {
	err := h.lf.drop()
	if cerr := h.f.Close(); cerr != nil {
		err = errors.Join(err, fmt.Errorf("closing: %w", disk.Cause(cerr)))
	}
	return err
}

// watchTime is how long a lock file has to stay as it is before its owner is
// taken for dead although a process of that number lives, or the file names
// none. Processes of oh-my-pi hold it for as long as one write takes.
const watchTime = 500 * time.Millisecond

// emptyLockAge is the age from which an empty lock file counts as abandoned, as
// in omp 18: its writer died between making and filling it.
const emptyLockAge = 500 * time.Millisecond

// A lockFile is omp 18's lock: a file beside the log that exists while a program
// writes to the log or replaces it.
type lockFile struct {
	name string // empty if not taken
	mark []byte // what we wrote into it
	made fs.FileInfo
	d    disk.FS
}

// lockFileName returns the name of the lock file of a log.
func lockFileName(log string) string {
	dir, base := filepath.Split(log)
	return dir + "." + base + ".lock"
}

// take makes the lock file of log, waiting for its holder and taking over what
// a dead one left. With flocked the log is locked by flock, too, so that no other
// appender of this process holds it.
func (l *lockFile) take(p *patience, d disk.FS, log string, flocked bool) error {
	name := lockFileName(log)
	var seen []byte // in the file, since then
	var since time.Time
	for {
		mark := fmt.Appendf(nil, "%d:%d\n", os.Getpid(), time.Now().UnixMilli())
		made, err := makeLockFile(d, name, mark)
		if err == nil {
			*l = lockFile{name: name, mark: mark, made: made, d: d}
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("making the lock file %s: %w", filepath.Base(name), disk.Cause(err))
		}
		o := inspectLockFile(name, flocked)
		if since.IsZero() || !bytes.Equal(seen, o.mark) {
			seen, since = o.mark, time.Now()
		}
		if o.state == dead || o.state == doubtful && time.Since(since) >= watchTime {
			// Our own kind is kept out by flock. The moment in which omp could
			// take over the same file is the one between this look and the last.
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("removing the stale lock file %s: %w", filepath.Base(name), disk.Cause(err))
			}
			continue
		}
		if more, err := p.pause(); err != nil {
			return err
		} else if !more {
			return fmt.Errorf("%w: it is %s; remove %s if that process is not running", p.locked(), o, filepath.Base(name))
		}
	}
}

// makeLockFile makes the file, and returns its identity once it is full.
func makeLockFile(d disk.FS, name string, mark []byte) (made fs.FileInfo, err error) {
	f, err := d.Open(name, os.O_WRONLY|disk.Exclusive, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err = f.Write(mark); err == nil {
		made, _ = f.Stat()
	}
	if err = disk.Closing(f, err); err != nil {
		// Left empty it would only be in the way.
		return nil, errors.Join(disk.Cause(err), disk.Discard(d, name))
	}
	return made, nil
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
	f, err := os.OpenFile(name, os.O_RDONLY|disk.Nonblock|disk.NoFollow, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err == nil {
		err = disk.Regular(fi)
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

// drop removes the lock file, unless another program took us for dead and made it
// its own.
func (l *lockFile) drop() error {
	if l.name == "" {
		return nil
	}
	name := l.name
	l.name = ""
	if !l.ours(name) {
		return nil
	}
	if err := disk.Discard(l.d, name); err != nil {
		return fmt.Errorf("a lock file is left, which is in the way of others for a moment: %w", err)
	}
	return nil
}

// ours reports whether the lock file is the one that was made. If it cannot be read, as when
// there are too many open files, what the directory says of it decides.
func (l *lockFile) ours(name string) bool {
	data, err := os.ReadFile(name)
	if err == nil {
		return bytes.Equal(data, l.mark)
	}
	if errors.Is(err, fs.ErrNotExist) || l.made == nil {
		return false
	}
	fi, err := l.d.Lstat(name)
	return err == nil && os.SameFile(fi, l.made) && fi.ModTime().Equal(l.made.ModTime()) && fi.Size() == l.made.Size()
}

package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
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
	f    file
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
func acquire(p *patience, d disk, path string) (*held, error) {
	for n := 0; ; n++ {
		if n > 0 && p.ctx.Err() != nil {
			return nil, fmt.Errorf("locking %s: %w", path, p.ctx.Err())
		}
		h, err := open(d, path)
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", path, cause(err))
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
func open(d disk, path string) (*held, error) {
	link, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	name := path
	if link.Mode()&fs.ModeSymlink != 0 {
		// What a shell's <(…) names is a link to nothing that has a path.
		if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
			return nil, regular(fi)
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

// lock takes both locks, and reports whether what it locked is still the log.
// One lock is enough where the other does not exist.
func (h *held) lock(p *patience, d disk, path string) (bool, error) {
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
		ok, err := Flock(h.f)
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
// what we hold is the lock on a file that nobody will read again.
func (h *held) current(path string) (bool, error) {
	mine, err := h.f.Stat()
	if err != nil {
		return false, cause(err)
	}
	named, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("deleted by another program: %w", fs.ErrNotExist)
	}
	if err != nil {
		return false, cause(err)
	}
	return os.SameFile(mine, named), nil
}

// release lets go of the locks in the reverse order, so that whoever gets the
// first one does not run into the second.
func (h *held) release() error {
	err := h.lf.drop()
	if cerr := h.f.Close(); cerr != nil {
		err = errors.Join(err, fmt.Errorf("closing: %w", cause(cerr)))
	}
	return err
}

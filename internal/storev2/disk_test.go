package storev2

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
)

// A fault is what happens to one system call of a disk.
type fault string

const (
	// The process is killed before the call, or in the middle of a write.
	kill fault = "killed"
	// The same, and what was not synced is lost.
	powerLoss fault = "power lost"
	// The call fails; of a write, half goes through.
	failing fault = "failing"
)

var errKilled = errors.New("killed")

// A fastDisk is the real file system, which is not made to wait for the metal.
type fastDisk struct{ disk.OS }

type fastFile struct{ disk.File }

func (fastFile) Sync() error { return nil }

func (d fastDisk) Open(name string, flag int, perm fs.FileMode) (disk.File, error) {
	f, err := d.OS.Open(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return fastFile{f}, nil
}

func (fastDisk) SyncDir(string) error { return nil }

// A faultyDisk counts the calls that change something, and strikes at one.
type faultyDisk struct {
	fastDisk
	fault  fault
	at     int // 1 for the first call
	steps  []string
	dead   bool
	swaps  bool              // whether there is an exchange
	lost   map[string]string // files as they were when last synced
	opened []disk.File
	struck string
}

func newFaultyDisk(f fault, at int) *faultyDisk {
	return &faultyDisk{fault: f, at: at, swaps: true, lost: map[string]string{}}
}

// call notes one call. half is what is done before the process dies in it.
func (d *faultyDisk) call(what, name string, half func()) error {
	if d.dead {
		return errKilled
	}
	d.steps = append(d.steps, what+" "+filepath.Base(name))
	if len(d.steps) != d.at {
		return nil
	}
	d.struck = d.steps[d.at-1]
	if half != nil {
		half()
	}
	if d.fault == failing {
		return &fs.PathError{Op: what, Path: name, Err: syscall.EIO}
	}
	d.dead = true
	for _, f := range d.opened {
		f.Close() // and with it every lock
	}
	if d.fault == powerLoss {
		for name, text := range d.lost {
			if _, err := os.Lstat(name); err == nil {
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					panic(err)
				}
			}
		}
	}
	panic(errKilled)
}

func (d *faultyDisk) Open(name string, flag int, perm fs.FileMode) (disk.File, error) {
	if d.dead {
		return nil, errKilled
	}
	if flag&(os.O_CREATE|os.O_TRUNC) != 0 {
		if err := d.call("open", name, nil); err != nil {
			return nil, err
		}
		if flag&os.O_TRUNC != 0 {
			d.before(name)
		}
	}
	f, err := d.fastDisk.Open(name, flag, perm)
	if err != nil {
		return nil, err
	}
	d.opened = append(d.opened, f)
	return &faultyFile{f, d, name}, nil
}

// before keeps what a file holds before it is changed for the first time after a
// sync.
func (d *faultyDisk) before(name string) {
	if _, ok := d.lost[name]; ok {
		return
	}
	b, err := os.ReadFile(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		d.lost[name] = string(b)
	}
}

// moved follows a rename.
func (d *faultyDisk) moved(from, to string) {
	for name, text := range d.lost {
		if rest, ok := strings.CutPrefix(name, from); ok && (rest == "" || rest[0] == filepath.Separator) {
			delete(d.lost, name)
			d.lost[to+rest] = text
		}
	}
}

func (d *faultyDisk) Mkdir(name string, perm fs.FileMode) error {
	if err := d.call("mkdir", name, nil); err != nil {
		return err
	}
	return d.fastDisk.Mkdir(name, perm)
}

func (d *faultyDisk) Rename(from, to string) error {
	if err := d.call("rename to", to, nil); err != nil {
		return err
	}
	d.moved(from, to)
	return d.fastDisk.Rename(from, to)
}

func (d *faultyDisk) Exchange(a, b string) error {
	if !d.swaps {
		return errors.ErrUnsupported
	}
	if err := d.call("exchange", b, nil); err != nil {
		return err
	}
	d.moved(a, b)
	return d.fastDisk.Exchange(a, b)
}

func (d *faultyDisk) Remove(name string) error {
	if err := d.call("remove", name, nil); err != nil {
		return err
	}
	delete(d.lost, name)
	return d.fastDisk.Remove(name)
}

func (d *faultyDisk) SyncDir(name string) error { return d.call("sync directory", name, nil) }

type faultyFile struct {
	disk.File
	d    *faultyDisk
	name string
}

func (f *faultyFile) Write(p []byte) (int, error) {
	f.d.before(f.name)
	n := 0
	if err := f.d.call("write", f.name, func() { n, _ = f.File.Write(p[:len(p)/2]) }); err != nil {
		return n, err
	}
	return f.File.Write(p)
}

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	f.d.before(f.name)
	n := 0
	if err := f.d.call("write", f.name, func() { n, _ = f.File.WriteAt(p[:len(p)/2], off) }); err != nil {
		return n, err
	}
	return f.File.WriteAt(p, off)
}

func (f *faultyFile) Truncate(size int64) error {
	f.d.before(f.name)
	if err := f.d.call("truncate", f.name, nil); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *faultyFile) Sync() error {
	if err := f.d.call("sync", f.name, nil); err != nil {
		return err
	}
	delete(f.d.lost, f.name)
	return nil
}

func (f *faultyFile) Close() error {
	err := f.File.Close()
	if f.d.dead {
		return errKilled
	}
	return err
}

// strike runs do on a disk that strikes at its call number at. ended says that do
// came to its end without that call.
func strike(t *testing.T, d *faultyDisk, do func(d disk.FS) error) (ended bool, err error) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(error); !ok || !errors.Is(e, errKilled) {
				panic(r)
			}
			err = errKilled
		}
	}()
	err = do(d)
	return d.struck == "", err
}

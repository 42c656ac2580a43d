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
	"github.com/sess-tools/sess/internal/test/must"
)

// A readDisk fails one call that only reads: opening a file, reading it, listing a
// directory. Everything else goes through.
type readDisk struct {
	fastDisk
	at, calls int
	errno     syscall.Errno
	struck    string
}

func (d *readDisk) call(what, name string) error {
	if d.calls++; d.calls != d.at {
		return nil
	}
	d.struck = what + " " + filepath.Base(name)
	return &fs.PathError{Op: what, Path: name, Err: d.errno}
}

func (d *readDisk) Open(name string, flag int, perm fs.FileMode) (disk.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		if err := d.call("open", name); err != nil {
			return nil, err
		}
	}
	f, err := d.fastDisk.Open(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &readDiskFile{f, d, name}, nil
}

func (d *readDisk) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := d.call("list", name); err != nil {
		return nil, err
	}
	return d.fastDisk.ReadDir(name)
}

type readDiskFile struct {
	disk.File
	d    *readDisk
	name string
}

func (f *readDiskFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.d.call("read", f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

// What could not be read once is not damaged: no operation takes it for that, none
// remembers it, and the next one goes through.
func TestTransientErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("a call of the system at a time: not with -short")
	}
	t.Parallel()
	_, name := newTestStore(t, 3)
	must.Do(t, mark(fastDisk{}, name))
	must.Do(t, appendN(fastDisk{}, name, 4, 4))
	must.Do(t, appendN(fastDisk{}, name, 5, 5))
	for what, do := range map[string]func(d disk.FS, name string) error{
		"rollback to a checkpoint": func(d disk.FS, name string) error {
			return withStore(d, name, func(s *Store) error { return s.RollbackTo(background, 1) })
		},
		"append":     func(d disk.FS, name string) error { return appendN(d, name, 6, 6) },
		"checkpoint": mark,
		"rebuild": func(d disk.FS, name string) error {
			return withStore(d, name, func(s *Store) error { _, err := s.Rebuild(background); return err })
		},
		"recover": func(d disk.FS, name string) error {
			must.Do(t, os.Truncate(filepath.Join(filepath.Dir(name), "s.v2", ledgerFile), 100))
			_, err := recoverStore(background, d, name, fastOptions())
			return err
		},
		"rollback": func(d disk.FS, name string) error {
			_, err := rollback(background, d, name, "test", fastOptions())
			return err
		},
		"migrate": func(d disk.FS, name string) error { _, err := migrate(background, d, name, fastOptions()); return err },
		"verify": func(d disk.FS, name string) error {
			return withStore(d, name, func(s *Store) error {
				rep, err := s.Verify(background)
				if err == nil && !rep.OK() {
					err = errors.New("not sound: " + rep.Problems[0].Text)
				}
				return err
			})
		},
		"read": func(d disk.FS, name string) error {
			return withStore(d, name, func(s *Store) error { _, err := s.Tail(4); return err })
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			for _, errno := range []syscall.Errno{syscall.EIO, syscall.EMFILE} {
				for n, more := 1, true; more && !t.Failed(); n++ {
					more = transient(t, filepath.Dir(name), do, errno, n)
				}
			}
		})
	}
}

// transient strikes at one call, and reports whether there was one.
func transient(t *testing.T, template string, do func(d disk.FS, name string) error, errno syscall.Errno, n int) bool {
	t.Helper()
	dir := filepath.Join(fastDir(t), "w")
	copyTree(t, template, dir)
	defer os.RemoveAll(filepath.Dir(dir))
	name := filepath.Join(dir, "s.jsonl")
	d := &readDisk{at: n, errno: errno}
	err := do(d, name)
	if d.struck == "" {
		return false
	}
	if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrNoTarget) || errors.Is(err, ErrUnsaved) || err != nil && strings.Contains(err.Error(), "damaged") {
		t.Errorf("call %d, %s, %v: taken for damage: %v", n, d.struck, errno, err)
	}
	if s, oerr := openStore(fastDisk{}, Dir(name), fastOptions()); oerr == nil {
		if st, serr := s.currentState(); serr != nil || st.to == Failed {
			t.Errorf("call %d, %s, %v: %v; now %+v, %v", n, d.struck, errno, err, st, serr)
		}
	}
	if err == nil {
		return true
	}
	if _, err := recoverStore(background, fastDisk{}, name, fastOptions()); err != nil {
		t.Errorf("call %d, %s: recovering: %v", n, d.struck, err)
	}
	if _, err := os.Lstat(Dir(name)); err == nil {
		wantSound(t, mustOpen(t, Dir(name), fastOptions()))
	}
	return true
}

// closedBy is a file whose close(2) answers with an error.
type closedBy struct{ error }

func (c closedBy) Close() error { return c.error }

// A close that a signal interrupted has closed the file.
func TestInterruptedClose(t *testing.T) {
	t.Parallel()
	if err := disk.Closing(closedBy{&fs.PathError{Op: "close", Path: "x", Err: syscall.EINTR}}, nil); err != nil {
		t.Errorf("interrupted: %v", err)
	}
	if err := disk.Closing(closedBy{syscall.EIO}, nil); !errors.Is(err, syscall.EIO) {
		t.Errorf("failed: %v", err)
	}
	if err := disk.Closing(closedBy{syscall.EINTR}, fs.ErrExist); !errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.EINTR) {
		t.Errorf("after another error: %v", err)
	}
}

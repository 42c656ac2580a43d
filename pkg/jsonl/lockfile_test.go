package jsonl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
)

// The lock file is what omp looks for, for as long as the log is open.
func TestLockFile(t *testing.T) {
	t.Parallel()
	path := newLog(t, "")
	a := mustOpen(t, path, Options{})
	lock := filepath.Join(filepath.Dir(path), ".x.jsonl.lock")
	data, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	var ms int64
	if _, err := fmt.Sscanf(string(data), "%d:%d\n", &pid, &ms); err != nil || data[len(data)-1] != '\n' {
		t.Errorf("lock file %q: %v", data, err)
	}
	if pid != os.Getpid() || time.Since(time.UnixMilli(ms)).Abs() > time.Minute {
		t.Errorf("lock file %q: want this process, now", data)
	}
	if fi, err := os.Stat(lock); err != nil || fi.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	wantAlone(t, path)
}

// deadPid returns the number of a process that is gone.
func deadPid(t *testing.T) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testBinary(t), "-test.run=^$")
	cmd.Env = append(os.Environ(), raceEnv)
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func testBinary(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func TestStaleLockFile(t *testing.T) {
	t.Parallel()
	now := time.Now().UnixMilli()
	const never, atOnce, watched = -1, 0, 1 // when it is taken over
	tests := map[string]struct {
		content string
		age     time.Duration
		taken   int
	}{
		"dead":                        {fmt.Sprintf("%d:1700000000000\n", deadPid(t)), 0, atOnce},
		"dead, no line feed":          {fmt.Sprintf("%d:17", deadPid(t)), 0, atOnce},
		"alive":                       {fmt.Sprintf("%d:%d\n", os.Getppid(), now), time.Hour, never},
		"number given again":          {fmt.Sprintf("%d:1700000000000\n", os.Getppid()), 0, watched},
		"number given to init":        {"1:1000\n", 0, watched},
		"our own number":              {fmt.Sprintf("%d:%d\n", os.Getpid(), now), 0, watched},
		"empty, old":                  {"", time.Second, atOnce},
		"empty, new":                  {"", -time.Hour, never},
		"NULs":                        {"\x00\x00\x00\x00", 0, watched},
		"half a number of the dead":   {fmt.Sprint(deadPid(t)), 0, atOnce},
		"half a number of the living": {fmt.Sprint(os.Getppid()), 0, watched},
		"half a time":                 {fmt.Sprintf("%d:%d", os.Getppid(), now/1000), 0, watched},
		"no process number":           {"hello", 0, watched},
		"this process group":          {"0:1\n", 0, watched},
		"negative, another group":     {"-999999:1\n", 0, watched},
		"out of range for kill(2)":    {"99999999999999999999:1\n", 0, watched},
		"longer than any mark":        {strings.Repeat("x", 1000), 0, watched},
		"another kind of mark":        {"hostname 17\n", 0, watched},
	}
	if _, ok := startOf(os.Getpid()); !ok {
		for _, name := range []string{"number given again", "number given to init", "half a time"} {
			delete(tests, name) // where the start of a process is not to be had
		}
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newLog(t, "")
			lock := lockFileName(path)
			writeFile(t, lock, tt.content)
			synctest.Test(t, func(t *testing.T) {
				at := time.Now().Add(-tt.age) // the bubble has a clock of its own
				if err := os.Chtimes(lock, at, at); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				a, err := OpenAppender(t.Context(), path, Options{Wait: 2 * time.Second})
				elapsed := time.Since(start)
				if tt.taken == never {
					if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), ".x.jsonl.lock") {
						t.Errorf("got %v, want ErrLocked and the lock file's name", err)
					}
					wantFile(t, lock, tt.content)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if want := time.Duration(tt.taken) * watchTime; elapsed < want || elapsed > want+100*time.Millisecond {
					t.Errorf("taken after %v, want %v", elapsed, want)
				}
				if err := a.Close(); err != nil {
					t.Fatal(err)
				}
				wantAlone(t, path)
			})
		})
	}
}

// A lock file that changes while it is watched has an owner that is at work.
func TestLockFileChanges(t *testing.T) {
	t.Parallel()
	path := newLog(t, "")
	lock := lockFileName(path)
	writeFile(t, lock, "mark 0")
	synctest.Test(t, func(t *testing.T) {
		go func() {
			for n := range 20 {
				time.Sleep(watchTime / 2)
				writeFile(t, lock, fmt.Sprint("mark ", n))
			}
		}()
		if _, err := OpenAppender(t.Context(), path, Options{Wait: 3 * time.Second}); !errors.Is(err, ErrLocked) {
			t.Errorf("got %v, want ErrLocked", err)
		}
		time.Sleep(10 * time.Second)
	})
}

// Where somebody took us for dead the lock file is no longer ours to remove.
func TestStolenLockFileStays(t *testing.T) {
	t.Parallel()
	path := newLog(t, "")
	a := mustOpen(t, path, Options{})
	writeFile(t, lockFileName(path), "1:1\n")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	wantFile(t, lockFileName(path), "1:1\n")

	b := mustOpen(t, newLog(t, ""), Options{})
	if err := os.Remove(lockFileName(b.path)); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Errorf("closing without the lock file: %v", err)
	}
}

// In a directory that cannot be written flock has to do; other errors count.
func TestLockFileCannotBeMade(t *testing.T) {
	t.Parallel()
	for err, fine := range map[error]bool{
		syscall.EROFS: true, syscall.EACCES: true, syscall.EPERM: true, syscall.ENAMETOOLONG: true,
		syscall.ENOSPC: false, syscall.EIO: false, syscall.EMFILE: false,
	} {
		t.Run(err.Error(), func(t *testing.T) {
			t.Parallel()
			path := newLog(t, "")
			d := faultyDisk{onOpen: func(name string, _ int) error {
				if strings.HasSuffix(name, ".lock") {
					return &fs.PathError{Op: "open", Path: name, Err: err}
				}
				return nil
			}}
			a, got := openAppender(t.Context(), d, path, Options{})
			if !fine {
				if !errors.Is(got, err) || strings.Count(got.Error(), path) != 1 {
					t.Errorf("got %v, want %v", got, err)
				}
				return
			}
			if got != nil {
				t.Fatal(got)
			}
			if err := a.Append([]byte("1")); err != nil {
				t.Error(err)
			}
			if _, err := OpenAppender(t.Context(), path, Options{Wait: -1}); !errors.Is(err, ErrLocked) {
				t.Errorf("a second appender: got %v, want ErrLocked", err)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write to any directory")
	}
	path := newLog(t, "")
	if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o700) })
	a := mustOpen(t, path, Options{})
	if err := a.Append([]byte("1")); err != nil {
		t.Error(err)
	}
	wantFile(t, path, "1\n")
}

func TestLockFileNotFilled(t *testing.T) {
	t.Parallel()
	path := newLog(t, "")
	d := faultyDisk{hook: func(name string, f *faultyFile) {
		if name == ".x.jsonl.lock" {
			f.write = func(disk.File, []byte) (int, error) { return 0, syscall.ENOSPC }
		}
	}}
	if _, err := openAppender(t.Context(), d, path, Options{}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want ENOSPC", err)
	}
	wantAlone(t, path)
}

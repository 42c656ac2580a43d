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
	"time"
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
	tests := map[string]struct {
		content string
		age     time.Duration
		taken   bool
	}{
		"dead":                     {fmt.Sprintf("%d:1700000000000\n", deadPid(t)), 0, true},
		"dead, no line feed":       {fmt.Sprintf("%d:17", deadPid(t)), 0, true},
		"alive, old":               {fmt.Sprintf("%d:1700000000000\n", os.Getpid()), time.Hour, false},
		"empty, old":               {"", time.Second, true},
		"empty, new":               {"", -time.Hour, false},
		"half a process number":    {fmt.Sprint(deadPid(t)), time.Hour, false},
		"no process number":        {"x:1\n", time.Hour, false},
		"this process group":       {"0:1\n", time.Hour, false},
		"negative, another group":  {"-999999:1\n", time.Hour, false},
		"out of range for kill(2)": {"99999999999999999999:1\n", time.Hour, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newLog(t, "")
			lock := lockFileName(path)
			writeFile(t, lock, tt.content)
			at := time.Now().Add(-tt.age)
			if err := os.Chtimes(lock, at, at); err != nil {
				t.Fatal(err)
			}
			a, err := OpenAppender(t.Context(), path, Options{Wait: -1})
			if !tt.taken {
				if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), ".x.jsonl.lock") {
					t.Errorf("got %v, want ErrLocked and the lock file's name", err)
				}
				wantFile(t, lock, tt.content)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			wantAlone(t, path)
		})
	}
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
			f.write = func(file, []byte) (int, error) { return 0, syscall.ENOSPC }
		}
	}}
	if _, err := openAppender(t.Context(), d, path, Options{}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want ENOSPC", err)
	}
	wantAlone(t, path)
}

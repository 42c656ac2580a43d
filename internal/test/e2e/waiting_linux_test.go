package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// waitForWriter waits until a process has the file open for appending. That is when
// it begins to wait for the lock, if another has that.
func waitForWriter(t *testing.T, pid int, path string) {
	t.Helper()
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(time.Millisecond) {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, name := range files {
			if to, _ := os.Readlink(name); filepath.Base(to) != filepath.Base(path) {
				continue
			}
			info, _ := os.ReadFile(strings.Replace(name, "/fd/", "/fdinfo/", 1))
			_, flags, _ := strings.Cut(string(info), "flags:")
			flags, _, _ = strings.Cut(flags, "\n")
			if n, _ := strconv.ParseUint(strings.TrimSpace(flags), 8, 64); n&syscall.O_APPEND != 0 {
				return
			}
		}
	}
	t.Errorf("%s was not opened for appending", path)
}

// While a tool waits for the lock, the session is replaced, deleted, or never
// let go.
func TestChangedWhileWaiting(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(path string) error
		status int
		stderr string
	}{
		"replaced": {func(path string) error {
			if err := os.WriteFile(path+".new", []byte(longSession()), 0o600); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		}, 0, ""},
		"deleted": {os.Remove, 2, "s.jsonl: deleted by another program"},
		"held":    {nil, 4, "locked"},
	}
	for name, tt := range tests {
		for _, tool := range []string{"append", "compact"} {
			t.Run(name+"/"+tool, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				path := write(t, dir, "s.jsonl", longSession())
				write(t, dir, "text", "text")
				f, err := os.OpenFile(path, os.O_RDWR, 0)
				check(t, err)
				defer f.Close()
				fd := int(f.Fd())
				check(t, syscall.Flock(fd, syscall.LOCK_EX))
				args := append([]string{writing[tool][0], "--wait", "10ms"}, writing[tool][1:]...)
				if tt.change != nil {
					args[2] = "30s"
				}
				c := command(dir, args...)
				end := begin(t, c)
				if tt.change != nil {
					waitForWriter(t, c.Process.Pid, path)
					if err := errors.Join(tt.change(path), syscall.Flock(fd, syscall.LOCK_UN)); err != nil {
						t.Error(err)
					}
				}
				r := end()
				checkRun(t, r, tt.status, args[0], tt.stderr)
				old := make([]byte, 1<<20)
				if n, _ := f.ReadAt(old, 0); string(old[:n]) != longSession() {
					t.Error("the old file was changed")
				}
				if tt.status != 0 {
					return
				}
				added, ok := strings.CutPrefix(readFile(t, path), longSession())
				if !ok || strings.Count(added, "\n") != 1 || !strings.Contains(added, strings.TrimSpace(r.stdout)) {
					t.Errorf("added %q, printed %q", added, r.stdout)
				}
			})
		}
	}
}

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// In a container the process that was killed and the one that comes after it have
// the same number. The lock file of the first does not keep out the second, nor
// anybody outside, where that number is init's.
func TestLockFileOfSameNumber(t *testing.T) {
	t.Parallel()
	const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	for _, where := range []string{"in a container", "outside"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path, lock := filepath.Join(dir, "s.jsonl"), filepath.Join(dir, ".s.jsonl.lock")
			// The mark is of a moment after the system has started, and before now.
			mark := fmt.Sprintf("1:%d\n", time.Now().Add(-time.Second).UnixMilli())
			for name, text := range map[string]string{path: header, lock: mark} {
				check(t, os.WriteFile(name, []byte(text), 0o600))
			}
			c := exec.Command(filepath.Join(bin, "sess-append"), "--wait", "20s", "-t", "x", path)
			c.Env = env(dir)
			if where == "in a container" {
				c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
				if os.Geteuid() != 0 {
					c.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
				}
			} else {
				// Outside, the number is that of a process that lives since.
				idle := exec.Command("sleep", "600")
				check(t, idle.Start())
				defer func() { _ = idle.Process.Kill(); _ = idle.Wait() }()
				mark = fmt.Sprintf("%d:%d\n", idle.Process.Pid, time.Now().Add(-time.Minute).UnixMilli())
				check(t, os.WriteFile(lock, []byte(mark), 0o600))
			}
			var errs bytes.Buffer
			c.Stderr = &errs
			out, err := c.Output()
			if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
				t.Skipf("no namespaces for processes here: %v", err)
			}
			if err != nil || len(strings.TrimSpace(string(out))) != 8 {
				t.Fatalf("%v: %s%s", err, out, errs.String())
			}
			if _, err := os.Stat(lock); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the lock file is still there: %v", err)
			}
		})
	}
}

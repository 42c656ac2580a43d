//go:build unix

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// everyTool is a run of each tool that prints something.
var everyTool = map[string][]string{
	"sess-new":     {"sess-new"},
	"sess-append":  {"sess-append", "-t", "new", "s.jsonl"},
	"sess-path":    {"sess-path", "s.jsonl"},
	"sess-fork":    {"sess-fork", "s.jsonl"},
	"sess-compact": {"sess-compact", "--plan", "--keep", "1", "s.jsonl"},
	"sess-ls":      {"sess-ls", "."},
	"sess-turn":    {"sess-turn", "-t", "new", "s.jsonl", "--", "echo", "yes"},
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	for tool, args := range everyTool {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Skip("no /dev/full")
			}
			defer full.Close()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", good)
			c := command(dir, args...)
			c.Stdout = full
			checkRun(t, wait(t, c), 2, tool, "writing standard output: no space left on device")
		})
	}
}

// A reader that goes away ends a tool in silence.
func TestClosedPipe(t *testing.T) {
	t.Parallel()
	for tool, args := range everyTool {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", good)
			r, w, err := os.Pipe()
			check(t, err)
			leave(t, r, w)
			defer w.Close()
			c := command(dir, args...)
			c.Stdout = w
			checkRun(t, wait(t, c), 141, tool, "")
		})
	}
}

// leave closes the end of a pipe that is read, and waits until nobody has it: a process that another test starts has it, too,
// until it becomes its program.
func leave(t *testing.T, r, w *os.File) {
	t.Helper()
	r.Close()
	for {
		switch _, err := w.Write([]byte("x")); {
		case errors.Is(err, syscall.EPIPE):
			return
		case err != nil:
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	for tool, args := range readers {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for d := dir; d != "/" && d != "."; d = filepath.Dir(d) {
				if fi, err := os.Stat(d); err == nil && fi.Mode().Perm()&0o001 == 0 {
					_ = os.Chmod(d, fi.Mode().Perm()|0o011)
				}
			}
			path := write(t, dir, "s.jsonl", good)
			check(t, os.Chmod(path, 0))
			c := command(dir, operands(args, "s.jsonl")...)
			if os.Getuid() == 0 {
				c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			r := wait(t, c)
			checkRun(t, r, 2, tool, "permission denied")
			if !strings.Contains(r.stderr, "s.jsonl") {
				t.Errorf("stderr %q names no file", r.stderr)
			}
		})
	}
}

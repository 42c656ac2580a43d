//go:build unix && !solaris && !aix

package e2e

import (
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

// writing is a run of each tool that writes to disk, with a message of 20 kB or
// a session of 30 kB.
var writing = map[string][]string{
	"append":     {"sess-append", "-f", "text", "s.jsonl"},
	"new":        {"sess-new", "--system", "text", "-o", "n.jsonl"},
	"new store":  {"sess-new", "--system", "text", "--store"},
	"fork":       {"sess-fork", "-o", "n.jsonl", "s.jsonl"},
	"fork all":   {"sess-fork", "--branches", "-o", "n.jsonl", "s.jsonl"},
	"fork store": {"sess-fork", "--store", "s.jsonl"},
	"merge":      {"sess-merge", "-o", "n.jsonl", "s.jsonl", "m.jsonl"},
	"merge into": {"sess-merge", "--into", "s.jsonl", "m.jsonl"},
	"compact":    {"sess-compact", "--keep", "100", "--no-require", "--summary-file", "text", "s.jsonl"},
}

// diverged is a copy of longSession with a line that belongs between its own.
func diverged() string {
	lines := strings.SplitAfter(longSession(), "\n")
	return strings.Join(lines[:6], "") + strings.Replace(lines[6], "aaaa0005", "bbbb0005", 1)
}

// files returns the names and contents of all files below dir.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out[strings.TrimPrefix(path, dir+"/")] = readFile(t, path)
		}
		return err
	})
	check(t, err)
	return out
}

// wantSame checks that no file came, went or changed.
func wantSame(t *testing.T, dir string, before map[string]string) {
	t.Helper()
	after := files(t, dir)
	for name, content := range after {
		if old, ok := before[name]; !ok {
			t.Errorf("%s, of %d bytes, was left behind", name, len(content))
		} else if old != content {
			t.Errorf("%s was changed: %d bytes, had %d", name, len(content), len(old))
		}
	}
	if len(after) < len(before) {
		t.Errorf("%d files of %d", len(after), len(before))
	}
}

func wantFault(t *testing.T, r result, tool, cause string) {
	t.Helper()
	checkRun(t, r, 2, tool, cause)
	if strings.Count(r.stderr, " s.jsonl:")+strings.Count(r.stderr, " n.jsonl:") > 1 || !strings.Contains(r.stderr, ".jsonl") {
		t.Errorf("stderr %q does not name the file once", r.stderr)
	}
	if strings.Count(r.stderr, ".lock") > 1 {
		t.Errorf("stderr %q names the lock file twice", r.stderr)
	}
	if r.stdout != "" {
		t.Errorf("stdout %q", r.stdout)
	}
}

// A real limit on the size of files. Only what was there before is there after.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	for name, args := range writing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", longSession())
			write(t, dir, "m.jsonl", diverged())
			write(t, dir, "text", strings.Repeat("text ", 4000))
			before := files(t, dir)
			blocks := 16 // of 512 bytes
			if name == "append" || name == "compact" {
				blocks += len(before["s.jsonl"]) / 512
			}
			r := runCommand(t, dir, "", append([]string{"sh", "-c", fmt.Sprintf(`ulimit -f %d && exec "$@"`, blocks), "sh"}, args...)...)
			wantFault(t, r, args[0], "file too large")
			wantSame(t, dir, before)
		})
	}
}

// A full disk, which is a small tmpfs: with no page left, or with one for the
// lock file and one for a part of what is written.
func TestFullFileSystem(t *testing.T) {
	t.Parallel()
	for name, args := range writing {
		for _, spare := range []int64{0, 8192} {
			t.Run(fmt.Sprintf("%s/%d", name, spare), func(t *testing.T) {
				t.Parallel()
				fullFileSystem(t, args, spare)
			})
		}
	}
}

func fullFileSystem(t *testing.T, args []string, spare int64) {
	dir := smallDisk(t)
	write(t, dir, "s.jsonl", longSession())
	write(t, dir, "m.jsonl", diverged())
	write(t, dir, "text", strings.Repeat("text ", 4000))
	check(t, os.MkdirAll(filepath.Join(dir, "store"), 0o700))
	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	fi, err := os.Stat(filler)
	if err == nil {
		err = os.Truncate(filler, fi.Size()-spare)
	}
	check(t, err)
	before := files(t, dir)
	wantFault(t, runCommand(t, dir, "", args...), args[0], "no space left on device")
	wantSame(t, dir, before)
	check(t, os.Remove(filler))
	waitForSpace(t, dir)
	if r := runCommand(t, dir, "", args...); r.status != 0 || r.stderr != "" {
		t.Errorf("with space again: status %d, %s", r.status, r.stderr)
	}
}

// waitForSpace waits until what was removed is free: the kernel may take its time on a busy machine.
func waitForSpace(t *testing.T, dir string) {
	t.Helper()
	probe := filepath.Join(dir, "probe")
	for until := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		err := os.WriteFile(probe, make([]byte, 128<<10), 0o600)
		if rerr := os.Remove(probe); rerr != nil {
			t.Fatal(rerr)
		}
		if err == nil {
			return
		}
		if time.Now().After(until) {
			t.Fatal(err)
		}
	}
}

func smallDisk(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a tmpfs")
	}
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("mounting a tmpfs: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("unmounting the tmpfs: %v: %s", err, out)
		}
	})
	return dir
}

// fill takes what space there is.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	check(t, err)
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 512))
	}
	if !strings.Contains(err.Error(), "no space left") {
		t.Fatal(err)
	}
}

// asNobody runs a command line as a user whom permissions stop.
func asNobody(t *testing.T, dir string, args ...string) result {
	t.Helper()
	c := command(dir, args...)
	if os.Getuid() == 0 {
		for d := dir; d != "/" && d != "."; d = filepath.Dir(d) {
			if fi, err := os.Stat(d); err == nil && fi.Mode().Perm()&0o001 == 0 {
				_ = os.Chmod(d, fi.Mode().Perm()|0o011)
			}
		}
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	return wait(t, c)
}

func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	for name, args := range writing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", longSession())
			write(t, dir, "m.jsonl", diverged())
			write(t, dir, "text", "text")
			for _, f := range []string{"s.jsonl", "text"} {
				check(t, os.Chmod(filepath.Join(dir, f), 0o444))
			}
			before := files(t, dir)
			check(t, os.Chmod(dir, 0o555))
			defer func() { _ = os.Chmod(dir, 0o700) }() //nolint:gosec // a directory
			r := asNobody(t, dir, args...)
			checkRun(t, r, 2, args[0], "permission denied")
			if r.stdout != "" {
				t.Errorf("stdout %q", r.stdout)
			}
			wantSame(t, dir, before)
		})
	}
}

// What fails in a write is said once, on one line.
func TestRedactOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted(t, dir, `head -c 200000 /dev/zero | tr '\0' x > text; sess-new --cwd / | sess-append -f text > s.jsonl`)
	r := runCommand(t, dir, "", "sh", "-c", `ulimit -f 8 && exec sess-redact -o out.jsonl s.jsonl`)
	if r.status != 2 || strings.Count(r.stderr, "too large") != 1 || strings.Contains(r.stderr, `\n`) || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
}

//go:build unix && !solaris && !aix

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Files that are none, or have no end. Every tool refuses them, and none waits
// for long; sess-ls passes them by.
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(path string) error{
		"pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"zero": func(path string) error { return os.Symlink("/dev/zero", path) },
		"loop": func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"dead": func(path string) error { return os.Symlink("nowhere.jsonl", path) },
	}
	for kind, special := range kinds {
		for tool, args := range readers {
			if kind == "pipe" && tool != "sess-append" {
				continue // a reader gives a pipe ten seconds, which cli's tests shorten
			}
			t.Run(kind+"/"+tool, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				check(t, special(filepath.Join(dir, "s.jsonl")))
				r := limited(t, dir, operands(args, "s.jsonl")...)
				checkRun(t, r, 2, tool, "s.jsonl")
				if left := files(t, dir); len(left) != 0 {
					t.Errorf("left behind: %v", left)
				}
			})
		}
	}
	t.Run("sess-ls", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		for kind, special := range kinds {
			check(t, special(filepath.Join(dir, kind+".jsonl")))
		}
		write(t, dir, "s.jsonl", good)
		check(t, os.Symlink(".", filepath.Join(dir, "again")))
		for _, flag := range []string{"--paths", "--exact", "--all"} {
			r := limited(t, dir, "sess-ls", "--paths", flag, ".")
			if want := "s.jsonl\n"; flag != "--all" && !strings.HasSuffix(r.stdout, want) || strings.Count(r.stdout, "\n") > 1 {
				t.Errorf("%s: status %d, %q, %q", flag, r.status, r.stdout, r.stderr)
			}
		}
	})
}

// limited runs a command line that has to end by itself.
func limited(t *testing.T, dir string, args ...string) result {
	t.Helper()
	c := command(dir, args...)
	timer := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	return wait(t, c)
}

// A symbolic link to a session, and a session in a linked directory, stay what
// they are: the file behind them is appended to.
func TestSymlinkedSession(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"append", "compact"} {
		dir := t.TempDir()
		if err := errors.Join(os.Mkdir(filepath.Join(dir, "real"), 0o700), os.Symlink("real", filepath.Join(dir, "linked")),
			os.Symlink("linked/x.jsonl", filepath.Join(dir, "s.jsonl"))); err != nil {
			t.Fatal(err)
		}
		write(t, dir, "real/x.jsonl", longSession())
		write(t, dir, "text", "text")
		checkRun(t, runCommand(t, dir, "", writing[tool]...), 0, writing[tool][0], "")
		if fi, err := os.Lstat(filepath.Join(dir, "s.jsonl")); err != nil || fi.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: the link is gone: %v", tool, err)
		}
		if got := readFile(t, filepath.Join(dir, "real/x.jsonl")); !strings.HasPrefix(got, longSession()) || len(got) == len(longSession()) {
			t.Errorf("%s: nothing was added behind the link", tool)
		}
	}
}

// Names from flags, headers and environments never lead out of the store, and
// nothing that exists is written over through a link.
func TestNothingOutsideTheStore(t *testing.T) {
	t.Parallel()
	evil := strings.Replace(strings.Replace(good, "019b0000-0000-7000-8000-000000000001", "../../../../escaped", 1), `"/p"`, `"../../../../etc/\u0000x/"`, 1)
	tests := [][]string{
		{"sess-new", "--store", "--id", "../../../escaped"},
		{"sess-new", "--store", "--id", "/escaped"},
		{"sess-new", "--store", "--id", ".."},
		{"sess-new", "--store", "--cwd", "../../../escaped"},
		{"sess-new", "--store", "--cwd", "/../..//../escaped/.."},
		{"sess-new", "--store", "--title", "../../../escaped"},
		{"sess-fork", "--store", "evil.jsonl"},
		{"sess-fork", "--store", "--branches", "evil.jsonl"},
		{"sess-fork", "--store", "--cwd", "../..", "evil.jsonl"},
		{"sess-fork", "-o", "link.jsonl", "evil.jsonl"},
		{"sess-new", "-o", "link.jsonl"},
	}
	for _, args := range tests {
		dir := t.TempDir()
		write(t, dir, "evil.jsonl", evil)
		check(t, os.Symlink("target", filepath.Join(dir, "link.jsonl")))
		r := limited(t, dir, args...)
		if r.status != 0 && r.status != 2 && r.status != 3 {
			t.Errorf("%v: status %d: %s", args, r.status, r.stderr)
		}
		for name := range files(t, dir) {
			if name != "evil.jsonl" && !strings.HasPrefix(name, "store/") {
				t.Errorf("%v wrote %s", args, name)
			}
		}
		for name := range files(t, filepath.Dir(dir)) {
			if strings.Contains(name, "escaped") && !strings.Contains(name, "/store/") {
				t.Errorf("%v wrote %s", args, name)
			}
		}
	}
}

//go:build unix

package store

import (
	"errors"
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// within fails the test if do has not returned after a time that only something
// that blocks can need.
func within(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s hangs", what)
	}
}

func fifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no FIFOs: %v", err)
	}
}

// TestSpecialFiles has files that would block whoever opened them.
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := write(t, dir, "real.jsonl", text("real", "/p", 1))
	fifo(t, filepath.Join(dir, "fifo.jsonl"))
	symlink(t, "fifo.jsonl", filepath.Join(dir, "link.jsonl"))
	symlink(t, "/dev/tty", filepath.Join(dir, "tty.jsonl"))
	names := []string{"fifo.jsonl", "link.jsonl", "tty.jsonl"}
	if l, err := net.Listen("unix", filepath.Join(dir, "sock.jsonl")); err == nil {
		defer l.Close()
		names = []string{"fifo.jsonl", "link.jsonl", "sock.jsonl", "tty.jsonl"}
	}
	within(t, "List", func() {
		rows, w := list(t, dir, Options{Count: true})
		same(t, "rows", rels(t, dir, rows), []string{"real.jsonl"})
		if len(w.list) != len(names) {
			t.Errorf("warnings %q", w.list)
			return
		}
		for i, name := range names {
			if w.list[i] != name+": not a regular file" {
				t.Errorf("warning %q, want one for %s", w.list[i], name)
			}
		}
	})
	within(t, "Recent", func() {
		if got, err := Recent(t.Context(), []string{dir}, Options{}); got != want || err != nil {
			t.Errorf("Recent: %q, %v", got, err)
		}
	})
	within(t, "Find", func() {
		if got, err := Open(dir).Find(t.Context(), "real"); got != want || err != nil {
			t.Errorf("Find: %q, %v", got, err)
		}
		if _, err := Open(dir).Find(t.Context(), "nosuch"); !errors.Is(err, ErrNotFound) || errors.Is(err, errIrregular) {
			t.Errorf("Find: %v", err)
		}
	})
}

// TestOpenSwapped has a FIFO take the place of a file between the look at the
// directory and the opening.
func TestOpenSwapped(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	fifo(t, path)
	within(t, "open", func() {
		f, _, err := open(path)
		if !errors.Is(err, errIrregular) {
			t.Errorf("got %v, %v", f, err)
		}
	})
}

package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/session"
)

func TestListUnreadable(t *testing.T) {
	t.Parallel()
	if os.Geteuid() <= 0 {
		t.Skip("root may read everything, and elsewhere modes say nothing")
	}
	dir := t.TempDir()
	write(t, dir, "--p--/a.jsonl", text("a", "/p", 1))
	closed := write(t, dir, "--p--/b.jsonl", text("b", "/p", 1))
	write(t, dir, "--q--/c.jsonl", text("c", "/p", 1))
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "--q--"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "--q--"), 0o700) })
	rows, w := list(t, dir, Options{Recursive: true})
	same(t, "rows", rels(t, dir, rows), []string{"--p--/a.jsonl"})
	same(t, "warnings", w.list, []string{"--q--: permission denied", "--p--/b.jsonl: permission denied"})
	if _, err := Open(dir).Find(t.Context(), "nosuch"); !errors.Is(err, ErrNotFound) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Find: %v", err)
	}
}

func TestListCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 20 {
		write(t, dir, fmt.Sprintf("%02d.jsonl", i), text("x", "/p", 1))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := &warnings{dir: dir}
	if rows, err := List(ctx, []string{dir}, Options{Warn: w.add}); !errors.Is(err, context.Canceled) || rows != nil {
		t.Errorf("List: %d rows, %v", len(rows), err)
	}
	if path, err := Recent(ctx, []string{dir}, Options{Warn: w.add}); !errors.Is(err, context.Canceled) {
		t.Errorf("Recent: %q, %v", path, err)
	}
	if path, err := Open(dir).Find(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("Find: %q, %v", path, err)
	}
	same(t, "warnings", w.list, nil)
}

func TestEach(t *testing.T) {
	t.Parallel()
	var calls, running, most atomic.Int64
	count := func(int) {
		calls.Add(1)
		now := running.Add(1)
		for {
			old := most.Load()
			if now <= old || most.CompareAndSwap(old, now) {
				break
			}
		}
		time.Sleep(time.Millisecond)
		running.Add(-1)
	}
	worker := func() func(int) { return count }
	each(t.Context(), 50, 3, worker)
	if calls.Load() != 50 || most.Load() > 3 {
		t.Errorf("%d calls, %d at once", calls.Load(), most.Load())
	}
	each(t.Context(), 0, 3, worker)
	ctx, cancel := context.WithCancel(t.Context())
	calls.Store(0)
	each(ctx, 50, 3, func() func(int) { return func(i int) { cancel(); count(i) } })
	if n := calls.Load(); n < 1 || n > 3 {
		t.Errorf("cancelled by the first, %d calls", n)
	}
}

func TestReaderStops(t *testing.T) {
	t.Parallel()
	f, _, err := open(write(t, t.TempDir(), "junk", strings.Repeat("junk\n", 100000)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	ctx, cancel := context.WithCancel(t.Context())
	r := disk.Reader{Ctx: ctx, R: f}
	if n, err := r.Read(make([]byte, 10)); n != 10 || err != nil {
		t.Fatalf("read %d, %v", n, err)
	}
	cancel()
	if _, err := session.ScanInfo(r); !errors.Is(err, context.Canceled) {
		t.Errorf("reading on: %v", err)
	}
}

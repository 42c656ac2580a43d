package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The wait for either lock is bounded, by Wait and by the context.
func TestLockWait(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		wait    time.Duration
		cancel  time.Duration
		want    error
		elapsed time.Duration
	}{
		"default":    {0, 0, ErrLocked, DefaultWait},
		"given":      {3 * time.Second, 0, ErrLocked, 3 * time.Second},
		"none":       {-1, 0, ErrLocked, 0},
		"cancelled":  {0, time.Second, context.Canceled, time.Second},
		"both, late": {time.Second, 2 * time.Second, ErrLocked, time.Second},
	}
	for name, tt := range tests {
		for _, by := range []string{"appender", "lock file", "empty lock file"} {
			t.Run(name+" "+by, func(t *testing.T) {
				t.Parallel()
				path := newLog(t, "")
				lock := lockFileName(path)
				switch by {
				case "appender":
					mustOpen(t, path, Options{})
				case "lock file":
					writeFile(t, lock, fmt.Sprintf("%d:%d\n", os.Getppid(), time.Now().UnixMilli()))
				case "empty lock file":
					writeFile(t, lock, "")
				}
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if tt.cancel > 0 {
						time.AfterFunc(tt.cancel, cancel)
					}
					start := time.Now()
					_, err := OpenAppender(ctx, path, Options{Wait: tt.wait})
					if !errors.Is(err, tt.want) || strings.Count(err.Error(), path) != 1 {
						t.Errorf("got %v, want %v and the name of the log once", err, tt.want)
					}
					if got := time.Since(start); got != tt.elapsed {
						t.Errorf("waited %v, want %v", got, tt.elapsed)
					}
				})
			})
		}
	}
}

func TestLockIsHandedOn(t *testing.T) {
	t.Parallel()
	path := newLog(t, "")
	first := mustOpen(t, path, Options{})
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(5*time.Second, func() { first.Close() })
		second, err := OpenAppender(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := second.Close(); err != nil {
			t.Error(err)
		}
	})
	wantAlone(t, path)
}

func TestOpenCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := newLog(t, "")
	a, err := OpenAppender(ctx, path, Options{})
	if err != nil {
		t.Fatalf("with nothing to wait for: %v", err)
	}
	defer a.Close()
	if _, err := OpenAppender(ctx, path, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	mkfifo(t, fifo)
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		filepath.Join(dir, "missing"): "no such file or directory",
		dir:                           "is a directory",
		fifo:                          "is a named pipe, not a regular file",
		os.DevNull:                    "not a regular file",
		loop:                          "too many links",
	} {
		_, err := OpenAppender(t.Context(), name, Options{})
		if err == nil || !strings.HasSuffix(err.Error(), want) || strings.Count(err.Error(), name) != 1 {
			t.Errorf("got %v, want %q and the name once", err, want)
		}
	}
	_, err := OpenAppender(t.Context(), filepath.Join(dir, "missing"), Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "missing")); err == nil {
		t.Error("made the log")
	}
}

func TestDeletedWhileWaiting(t *testing.T) {
	t.Parallel()
	path := newLog(t, "")
	first := mustOpen(t, path, Options{})
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(time.Second, func() {
			if err := errors.Join(os.Remove(path), first.Close()); err != nil {
				t.Error(err)
			}
		})
		_, err := OpenAppender(t.Context(), path, Options{})
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "deleted") {
			t.Errorf("got %v, want an error that says the log was deleted", err)
		}
	})
	wantAlone(t, path)
}

// Lock file and fragment belong to the log itself, not to a link to it.
func TestSymlink(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{\"a")
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no symbolic links:", err)
	}
	a := mustOpen(t, link, Options{Grace: -1})
	if _, err := os.Stat(lockFileName(path)); err != nil {
		t.Error(err)
	}
	if err := a.Append([]byte("1")); err != nil {
		t.Fatal(err)
	}
	a.Close()
	wantFile(t, path, "   \n1\n")
	wantFile(t, path+".torn", "{\"a\n")
	wantAlone(t, link)
}

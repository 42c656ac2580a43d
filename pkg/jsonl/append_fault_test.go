package jsonl

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
)

func TestAppendUndoFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		set  func(f *faultyFile)
		want error
	}{
		"truncate": {func(f *faultyFile) { f.truncate = func(disk.File, int64) error { return syscall.EPERM } }, syscall.EPERM},
		"seek":     {func(f *faultyFile) { f.seek = func(disk.File) (int64, error) { return 0, syscall.ESPIPE } }, syscall.ESPIPE},
		"read": {func(f *faultyFile) {
			wrote := f.write
			f.write = func(g disk.File, p []byte) (int, error) {
				f.readAt = func(disk.File, []byte, int64) (int, error) { return 0, syscall.EIO }
				return wrote(g, p)
			}
		}, syscall.EIO},
		// If what lies there is not what we wrote, it is not ours to cut.
		"other bytes": {func(f *faultyFile) {
			wrote := f.write
			f.write = func(g disk.File, p []byte) (int, error) {
				f.readAt = func(_ disk.File, p []byte, _ int64) (int, error) { return len(p), nil }
				return wrote(g, p)
			}
		}, ErrChanged},
		"stat": {func(f *faultyFile) {
			f.stat = func(g disk.File) (fs.FileInfo, error) {
				fi, err := g.Stat()
				if err == nil && fi.Size() > 3 {
					return nil, syscall.EIO
				}
				return fi, err
			}
		}, syscall.EIO},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newLog(t, "{}\n")
			a := faults(t, path, func(f *faultyFile) {
				f.write = shortBy(3, syscall.ENOSPC)
				tt.set(f)
			})
			err := a.Append([]byte(`{"b":2}`))
			if !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want both the cause and why it stayed", err)
			}
			if !strings.Contains(err.Error(), "torn at byte 3") || strings.Count(err.Error(), path) != 1 {
				t.Errorf("%v: does not say what is left, once", err)
			}
			wantFile(t, path, "{}\n{\"b\":")
			for _, again := range []error{a.Append([]byte("1")), a.Sync()} {
				if !errors.Is(again, err) {
					t.Errorf("afterwards: %v", again)
				}
			}
			wantFile(t, path, "{}\n{\"b\":")
		})
	}
}

// After a failed fsync the kernel forgets, so the Appender must not.
func TestSyncFailureStays(t *testing.T) {
	t.Parallel()
	path := newLog(t, "")
	failed := false
	a := faults(t, path, func(f *faultyFile) {
		f.sync = func(f disk.File) error {
			if failed {
				return f.Sync()
			}
			failed = true
			return syscall.EIO
		}
	})
	for range 2 {
		if err := a.Sync(); !errors.Is(err, syscall.EIO) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("got %v, want EIO", err)
		}
	}
	if err := a.Append([]byte("1")); !errors.Is(err, syscall.EIO) {
		t.Errorf("appended after a failed sync: %v", err)
	}
	wantFile(t, path, "")
}

// Whatever fails while a torn tail is mended, its bytes are in the log or in
// the file beside it, and nothing is appended.
func TestMendFails(t *testing.T) {
	t.Parallel()
	const before = "{}\n{\"torn"
	eio := func(disk.File, []byte) (int, error) { return 0, syscall.EIO }
	tests := map[string]struct {
		file string // of which
		set  func(f *faultyFile)
		log  string
	}{
		"saving":   {"x.jsonl.torn", func(f *faultyFile) { f.write = eio }, before},
		"syncing":  {"x.jsonl.torn", func(f *faultyFile) { f.sync = func(disk.File) error { return syscall.EIO } }, before},
		"closing":  {"x.jsonl.torn", func(f *faultyFile) { f.closed = func(f disk.File) error { f.Close(); return syscall.EIO } }, before},
		"blanking": {"x.jsonl", func(f *faultyFile) { f.writeAt = func(disk.File, []byte, int64) (int, error) { return 0, syscall.EIO } }, before},
		"partly": {"x.jsonl", func(f *faultyFile) {
			f.writeAt = func(f disk.File, p []byte, o int64) (int, error) { n, _ := f.WriteAt(p[:2], o); return n, syscall.EIO }
		}, "{}\n  torn"},
		"syncing blanks": {"x.jsonl", func(f *faultyFile) { f.sync = func(disk.File) error { return syscall.EIO } }, "{}\n      "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newLog(t, before)
			d := faultyDisk{hook: func(name string, f *faultyFile) {
				if name == tt.file {
					tt.set(f)
				}
			}}
			a, err := openAppender(t.Context(), d, path, Options{Grace: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			if err := a.Append([]byte("1")); !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want EIO", err)
			}
			wantFile(t, path, tt.log)
			if tt.log != before {
				wantFile(t, path+".torn", "{\"torn\n")
			}
		})
	}
}

func TestMendDirectorySyncFails(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{")
	a, err := openAppender(t.Context(), faultyDisk{syncErr: syscall.EIO}, path, Options{Grace: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.Append([]byte("1")); !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v, want EIO", err)
	}
	wantFile(t, path, "{") // the fragment is not blanked before its copy is safe
}

func TestOpenReadFails(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{}")
	d := faultyDisk{hook: func(_ string, f *faultyFile) {
		f.readAt = func(disk.File, []byte, int64) (int, error) { return 0, syscall.EIO }
	}}
	_, err := openAppender(t.Context(), d, path, Options{})
	if !errors.Is(err, syscall.EIO) || strings.Count(err.Error(), path) != 1 {
		t.Errorf("got %v, want EIO and the name once", err)
	}
	wantAlone(t, path) // the lock file is gone
}

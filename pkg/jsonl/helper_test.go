package jsonl

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
)

// newLog makes a log with the given bytes in a directory of its own.
func newLog(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	writeFile(t, path, content)
	return path
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t testing.TB, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Fatalf("%s holds\n%q, want\n%q", filepath.Base(path), got, want)
	}
}

// wantAlone checks that the only file in the directory of path is path.
func wantAlone(t testing.TB, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

func mustOpen(t testing.TB, path string, o Options) *Appender {
	t.Helper()
	a, err := OpenAppender(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// A faultyDisk is the real file system but for what a test replaces.
type faultyDisk struct {
	disk.OS
	onOpen  func(name string, flag int) error
	hook    func(name string, f *faultyFile) // may set the fields of f
	syncErr error                            // of syncDir
}

func (d faultyDisk) Open(name string, flag int, perm fs.FileMode) (disk.File, error) {
	if d.onOpen != nil {
		if err := d.onOpen(name, flag); err != nil {
			return nil, err
		}
	}
	f, err := d.OS.Open(name, flag, perm)
	if err != nil || d.hook == nil {
		return f, err
	}
	ff := &faultyFile{File: f}
	d.hook(filepath.Base(name), ff)
	return ff, nil
}

func (d faultyDisk) SyncDir(name string) error {
	if d.syncErr != nil {
		return d.syncErr
	}
	return d.OS.SyncDir(name)
}

// A faultyFile is a real file but for what a test replaces.
type faultyFile struct {
	disk.File
	write    func(disk.File, []byte) (int, error)
	writeAt  func(disk.File, []byte, int64) (int, error)
	readAt   func(disk.File, []byte, int64) (int, error)
	truncate func(disk.File, int64) error
	sync     func(disk.File) error
	seek     func(disk.File) (int64, error)
	stat     func(disk.File) (fs.FileInfo, error)
	closed   func(disk.File) error
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if f.write != nil {
		return f.write(f.File, p)
	}
	return f.File.Write(p)
}

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if f.writeAt != nil {
		return f.writeAt(f.File, p, off)
	}
	return f.File.WriteAt(p, off)
}

func (f *faultyFile) ReadAt(p []byte, off int64) (int, error) {
	if f.readAt != nil {
		return f.readAt(f.File, p, off)
	}
	return f.File.ReadAt(p, off)
}

func (f *faultyFile) Truncate(n int64) error {
	if f.truncate != nil {
		return f.truncate(f.File, n)
	}
	return f.File.Truncate(n)
}

func (f *faultyFile) Sync() error {
	if f.sync != nil {
		return f.sync(f.File)
	}
	return f.File.Sync()
}

func (f *faultyFile) Seek(off int64, whence int) (int64, error) {
	if f.seek != nil {
		return f.seek(f.File)
	}
	return f.File.Seek(off, whence)
}

func (f *faultyFile) Stat() (fs.FileInfo, error) {
	if f.stat != nil {
		return f.stat(f.File)
	}
	return f.File.Stat()
}

func (f *faultyFile) Close() error {
	if f.closed != nil {
		return f.closed(f.File)
	}
	return f.File.Close()
}

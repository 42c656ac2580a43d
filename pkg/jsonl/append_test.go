package jsonl

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
)

func TestAppend(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{}\n")
	a := mustOpen(t, path, Options{})
	if err := a.Append([]byte(`{"a":1.0}`), []byte("[]\r"), []byte(` "`+"\u2028"+`" `)); err != nil {
		t.Fatal(err)
	}
	if err := a.Append([]byte("12345678901234567890")); err != nil {
		t.Fatal(err)
	}
	want := "{}\n{\"a\":1.0}\n[]\r\n \"\u2028\" \n12345678901234567890\n"
	if got, err := io.ReadAll(io.NewSectionReader(a, 0, a.Size())); err != nil || string(got) != want {
		t.Errorf("ReadAt: %q, %v", got, err)
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	wantFile(t, path, want)
	wantAlone(t, path)
	for _, err := range []error{a.Append([]byte("1")), a.Sync()} {
		if !errors.Is(err, os.ErrClosed) || !strings.Contains(err.Error(), path) {
			t.Errorf("after Close: %v", err)
		}
	}
	wantFile(t, path, want)
}

func TestAppendInvalid(t *testing.T) {
	t.Parallel()
	const before = "{}\n{\"torn"
	path := newLog(t, before)
	a := mustOpen(t, path, Options{Grace: -1})
	for _, bad := range []string{"", " ", "{", "{}\n", "{\n}", "{} {}", "\n", strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)} {
		err := a.Append([]byte("{}"), []byte(bad))
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "line 2 of 2") {
			t.Errorf("%.20q: got %v, want ErrInvalid for line 2", bad, err)
		}
	}
	wantFile(t, path, before) // neither appended to nor mended
	if err := a.Append([]byte("{}")); err != nil {
		t.Errorf("a refused batch must not spoil the next: %v", err)
	}
}

// A batch is one write(2), or others could come between its lines.
func TestAppendIsOneWrite(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{}")
	writes := 0
	d := faultyDisk{hook: func(name string, f *faultyFile) {
		if name == "x.jsonl" {
			f.write = func(f disk.File, p []byte) (int, error) { writes++; return f.Write(p) }
		}
	}}
	a, err := openAppender(t.Context(), d, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	big := []byte(`"` + strings.Repeat("x", 1<<20) + `"`)
	if err := a.Append(big, []byte("1"), big); err != nil {
		t.Fatal(err)
	}
	if writes != 1 {
		t.Errorf("%d writes, want 1", writes)
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	for _, sync := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "new.jsonl")
		if err := Create(path, Content{"{}"}, sync); err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, "{}\n")
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v, want 0600", fi.Mode(), err)
		}
		err := Create(path, Content{"other"}, sync)
		if !errors.Is(err, fs.ErrExist) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("again: got %v, want ErrExist and the name once", err)
		}
		wantFile(t, path, "{}\n")
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3*blockSize)
	for _, c := range []Content{nil, {""}, {"a", "", "b"}, {long, "b", long}} {
		var b strings.Builder
		want := strings.Join(append(slices.Clone(c), ""), "\n")
		if n, err := c.WriteTo(&b); err != nil || n != int64(b.Len()) || b.String() != want {
			t.Errorf("%d lines: %d bytes, %v, want %d", len(c), n, err, len(want))
		}
		for _, room := range []int{0, 1, blockSize + 3} {
			w := &limitedWriter{room: room}
			n, err := c.WriteTo(w)
			if len(want) > room && !errors.Is(err, io.ErrShortWrite) || n != int64(min(room, len(want))) {
				t.Errorf("%d lines, room for %d bytes: %d, %v", len(c), room, n, err)
			}
		}
	}
}

// A limitedWriter has room for some bytes, and no error for the others.
type limitedWriter struct{ room int }

func (w *limitedWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.room)
	w.room -= n
	return n, nil
}

func TestCreateDoesNotFollowSymlinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links:", err)
	}
	if err := Create(link, Content{}, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want ErrExist", err)
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("made the target")
	}
}

func TestCreateFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		set    func(f *faultyFile)
		dirErr error
		want   error
	}{
		"short":          {func(f *faultyFile) { f.write = shortBy(1, nil) }, nil, io.ErrShortWrite},
		"full disk":      {func(f *faultyFile) { f.write = shortBy(1, syscall.ENOSPC) }, nil, syscall.ENOSPC},
		"sync":           {func(f *faultyFile) { f.sync = func(disk.File) error { return syscall.EIO } }, nil, syscall.EIO},
		"close":          {func(f *faultyFile) { f.closed = func(f disk.File) error { f.Close(); return syscall.EDQUOT } }, nil, syscall.EDQUOT},
		"directory sync": {func(*faultyFile) {}, syscall.EIO, syscall.EIO},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "new.jsonl")
			d := faultyDisk{hook: func(_ string, f *faultyFile) { tt.set(f) }, syncErr: tt.dirErr}
			err := create(d, path, Content{"{}"}, true)
			if !errors.Is(err, tt.want) || strings.Count(err.Error(), path) != 1 {
				t.Errorf("got %v, want %v and the name once", err, tt.want)
			}
			if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("left the partial file behind: %v", err)
			}
		})
	}
}

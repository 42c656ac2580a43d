package jsonl

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func upper(old io.Reader, w io.Writer) error {
	data, err := io.ReadAll(old)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, strings.ToUpper(string(data)))
	return err
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
		"sync":           {func(f *faultyFile) { f.sync = func(file) error { return syscall.EIO } }, nil, syscall.EIO},
		"close":          {func(f *faultyFile) { f.closed = func(f file) error { f.Close(); return syscall.EDQUOT } }, nil, syscall.EDQUOT},
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

func TestReplace(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{\"a\":1}\n{\"torn")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no symbolic links:", err)
	}
	during := func(old io.Reader, w io.Writer) error {
		if _, err := OpenAppender(t.Context(), path, Options{Wait: -1}); !errors.Is(err, ErrLocked) {
			t.Errorf("not locked: %v", err)
		}
		if _, err := os.Stat(lockFileName(path)); err != nil {
			t.Error(err)
		}
		err := upper(old, w)
		wantFile(t, path, "{\"a\":1}\n{\"torn")
		return err
	}
	if err := Replace(t.Context(), link, Options{}, during); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, "{\"A\":1}\n{\"TORN")
	wantAlone(t, path)
	wantAlone(t, link)
	fi, err := os.Stat(path)
	if err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v, want 0640", fi.Mode(), err)
	}
	if fi, err = os.Lstat(link); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", fi.Mode(), err)
	}
}

func TestReplaceFails(t *testing.T) {
	t.Parallel()
	own := errors.New("bad line")
	eio := func(file) error { return syscall.EIO }
	temp := func(set func(f *faultyFile)) faultyDisk {
		return faultyDisk{hook: func(name string, f *faultyFile) {
			if strings.HasSuffix(name, ".tmp") {
				set(f)
			}
		}}
	}
	plain := func(string) func(io.Reader, io.Writer) error { return upper }
	tests := map[string]struct {
		d       faultyDisk
		rewrite func(path string) func(io.Reader, io.Writer) error
		want    error
	}{
		"rewrite": {faultyDisk{}, func(string) func(io.Reader, io.Writer) error {
			return func(_ io.Reader, w io.Writer) error { _, err := io.WriteString(w, "x"); return errors.Join(err, own) }
		}, own},
		"write":    {temp(func(f *faultyFile) { f.write = shortBy(1, syscall.ENOSPC) }), plain, syscall.ENOSPC},
		"sync":     {temp(func(f *faultyFile) { f.sync = eio }), plain, syscall.EIO},
		"mode":     {temp(func(f *faultyFile) { f.chmod = eio }), plain, syscall.EIO},
		"close":    {temp(func(f *faultyFile) { f.closed = func(f file) error { f.Close(); return syscall.EIO } }), plain, syscall.EIO},
		"rename":   {faultyDisk{onName: syscall.EXDEV}, plain, syscall.EXDEV},
		"no space": {faultyDisk{onOpen: noTemp}, plain, syscall.ENOSPC},
		"foreign append": {faultyDisk{}, func(path string) func(io.Reader, io.Writer) error {
			return func(old io.Reader, w io.Writer) error { foreignAppend(t, path, "1\n"); return upper(old, w) }
		}, ErrChanged},
		"foreign edit": {faultyDisk{}, func(path string) func(io.Reader, io.Writer) error {
			return func(old io.Reader, w io.Writer) error {
				when := time.Now().Add(time.Hour)
				return errors.Join(os.Chtimes(path, when, when), upper(old, w))
			}
		}, ErrChanged},
		"foreign rename": {faultyDisk{}, func(path string) func(io.Reader, io.Writer) error {
			return func(old io.Reader, w io.Writer) error {
				data, err := os.ReadFile(path)
				other := path + ".other"
				return errors.Join(err, os.WriteFile(other, data, 0o600), os.Rename(other, path), upper(old, w))
			}
		}, ErrChanged},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newLog(t, "{\"a\":1}\n")
			err := replace(t.Context(), tt.d, path, Options{}, tt.rewrite(path))
			if !errors.Is(err, tt.want) || strings.Count(err.Error(), path) != 1 {
				t.Errorf("got %v, want %v and the name once", err, tt.want)
			}
			want := "{\"a\":1}\n"
			if name == "foreign append" {
				want += "1\n"
			}
			wantFile(t, path, want)
			wantAlone(t, path)
		})
	}
}

func noTemp(name string, _ int) error {
	if strings.HasSuffix(name, ".tmp") {
		return &fs.PathError{Op: "open", Path: name, Err: syscall.ENOSPC}
	}
	return nil
}

func TestReplaceDirectorySyncFails(t *testing.T) {
	t.Parallel()
	path := newLog(t, "a")
	err := replace(t.Context(), faultyDisk{syncErr: syscall.EIO}, path, Options{}, upper)
	if !errors.Is(err, syscall.EIO) || !strings.HasPrefix(err.Error(), "replaced ") {
		t.Errorf("got %v, want EIO and that the log was replaced", err)
	}
	wantFile(t, path, "A")
}

// Giving up halfway keeps the old bytes.
func TestReplaceCancelled(t *testing.T) {
	t.Parallel()
	path := newLog(t, "a")
	ctx, cancel := context.WithCancel(t.Context())
	err := Replace(ctx, path, Options{}, func(old io.Reader, w io.Writer) error {
		cancel()
		return upper(old, w)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	wantFile(t, path, "a")
	wantAlone(t, path)
}

func TestReplacePanics(t *testing.T) {
	t.Parallel()
	path := newLog(t, "a")
	func() {
		defer func() { _ = recover() }()
		_ = Replace(t.Context(), path, Options{}, func(io.Reader, io.Writer) error { panic("ours") })
	}()
	wantFile(t, path, "a")
	wantAlone(t, path)
}

// The new bytes are on disk before they take the old ones' name.
func TestReplaceOrder(t *testing.T) {
	t.Parallel()
	path := newLog(t, "a")
	var steps []string
	d := recordingDisk{faultyDisk{hook: func(name string, f *faultyFile) {
		if strings.HasSuffix(name, ".tmp") {
			f.write = func(f file, p []byte) (int, error) { steps = append(steps, "write"); return f.Write(p) }
			f.sync = func(f file) error { steps = append(steps, "sync"); return f.Sync() }
		}
	}}, &steps}
	if err := replace(t.Context(), d, path, Options{}, upper); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(steps, " "), "write sync rename syncdir"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

type recordingDisk struct {
	faultyDisk
	steps *[]string
}

func (d recordingDisk) rename(from, to string) error {
	*d.steps = append(*d.steps, "rename")
	return d.faultyDisk.rename(from, to)
}

func (d recordingDisk) syncDir(name string) error {
	*d.steps = append(*d.steps, "syncdir")
	return d.faultyDisk.syncDir(name)
}

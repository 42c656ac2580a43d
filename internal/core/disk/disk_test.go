package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/sess-tools/sess/internal/test/must"
)

// Every way of publishing keeps what has the name already, and the file.
func TestPublish(t *testing.T) {
	t.Parallel()
	unsupported := func(_, _ string) error { return errors.ErrUnsupported }
	for name, ways := range map[string][]func(from, to string) error{
		"exclusive rename": {renameExclusive, os.Link},
		"link":             {unsupported, os.Link},
		"plain rename":     {unsupported, unsupported, renameVacant},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
			write(t, from, "ours")
			taken := func(what string) {
				if err := publish(from, to, ways...); !errors.Is(err, fs.ErrExist) {
					t.Errorf("over %s: %v", what, err)
				}
				want(t, from, "ours")
			}
			write(t, to, "theirs")
			taken("a file")
			want(t, to, "theirs")
			os.Remove(to)
			must.Do(t, os.Mkdir(to, 0o700))
			taken("a directory")
			os.Remove(to)
			must.Do(t, os.Symlink("nowhere", to))
			taken("a dangling link")
			os.Remove(to)
			must.Do(t, publish(from, to, ways...))
			want(t, to, "ours")
			os.Remove(from) // which a link leaves
			if err := publish(from, filepath.Join(dir, "other"), ways...); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("without a file: %v", err)
			}
		})
	}
}

// A fault is a file system that notes its steps and fails one of them.
type fault struct {
	OS
	at    string
	steps *[]string
}

func (d fault) step(what string) error {
	*d.steps = append(*d.steps, what)
	if what == d.at {
		return syscall.EIO
	}
	return nil
}

func (d fault) Open(name string, flag int, perm fs.FileMode) (File, error) {
	if err := d.step("open"); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := d.OS.Open(name, flag, perm)
	return faultFile{f, d}, err
}

func (d fault) Rename(from, to string) error {
	return errors.Join(d.step("rename"), d.OS.Rename(from, to))
}

type faultFile struct {
	File
	d fault
}

func (f faultFile) Write(p []byte) (int, error) {
	if f.d.step("write") != nil {
		return f.File.Write(p[:1])
	}
	return f.File.Write(p)
}

func (f faultFile) Sync() error  { return f.d.step("sync") }
func (f faultFile) Close() error { return errors.Join(f.File.Close(), f.d.step("close")) }

// The new bytes are on disk before they take the old ones' name. What fails before
// that leaves the old bytes, and no other file.
func TestReplace(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"", "open", "write", "sync", "close"} {
		dir := t.TempDir()
		name, temp := filepath.Join(dir, "name"), filepath.Join(dir, "temp")
		write(t, name, "old")
		write(t, temp, "what a crash left")
		var steps []string
		err := Replace(fault{at: at, steps: &steps}, temp, name, []byte("new"), true)
		if at == "" {
			want(t, name, "new")
			if got := strings.Join(steps, " "); err != nil || got != "open write sync close rename" {
				t.Errorf("%s, %v", got, err)
			}
			continue
		}
		if at == "write" && !errors.Is(err, io.ErrShortWrite) || at != "write" && !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: %v", at, err)
		}
		want(t, name, "old")
		if _, err := os.Lstat(temp); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: left behind: %v", at, err)
		}
	}
	err := Replace(OS{}, filepath.Join(t.TempDir(), "temp"), t.TempDir()+"/no/name", nil, false)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A file that is made anew takes the place of the old one once all of it is durable. What
// fails before that leaves the old one, and no other file.
func TestAnew(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"", "open", "write", "sync", "close"} {
		dir := t.TempDir()
		name := filepath.Join(dir, "name")
		write(t, name, "old")
		var steps []string
		err := Anew(fault{at: at, steps: &steps}, name, strings.NewReader("new"), true)
		now := "old"
		if at == "" {
			now = "new"
			if got := strings.Join(steps, " "); err != nil || got != "open write sync close rename" {
				t.Errorf("%s, %v", got, err)
			}
		} else if err == nil {
			t.Errorf("%s: no error", at)
		}
		want(t, name, now)
		if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
			t.Errorf("%s: left behind: %v, %v", at, names, err)
		}
	}
	dir := t.TempDir()
	if err := Anew(OS{}, dir, strings.NewReader("new"), false); err == nil || err.Error() != "is a directory" {
		t.Errorf("a directory: %v", err)
	}
}

func TestCause(t *testing.T) {
	t.Parallel()
	inner := errors.New("inner")
	path := &fs.PathError{Op: "open", Path: "x", Err: inner}
	wrapped := fmt.Errorf("reading x: %w", path)
	for _, tt := range []struct{ in, out error }{
		{nil, nil},
		{inner, inner},
		{path, inner},
		{&os.LinkError{Op: "link", Old: "a", New: "b", Err: inner}, inner},
		{&fs.PathError{Op: "write", Path: "x", Err: os.NewSyscallError("splice", inner)}, inner},
		{wrapped, wrapped},
	} {
		if got := Cause(tt.in); got != tt.out {
			t.Errorf("Cause(%v) = %v", tt.in, got)
		}
	}
}

type closer struct{ err error }

func (c closer) Close() error { return c.err }

func TestClosing(t *testing.T) {
	t.Parallel()
	first := errors.New("first")
	for _, tt := range []struct{ err, closing, want error }{
		{nil, nil, nil},
		{first, syscall.EIO, first},
		{nil, syscall.EIO, syscall.EIO},
		{nil, &fs.PathError{Op: "close", Path: "x", Err: syscall.EINTR}, nil},
	} {
		if got := Closing(closer{tt.closing}, tt.err); !errors.Is(got, tt.want) {
			t.Errorf("Closing(%v, %v) = %v", tt.closing, tt.err, got)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(name, []byte(text), 0o600))
}

func want(t *testing.T, name, text string) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || string(got) != text {
		t.Errorf("%s: %q, %v; want %q", filepath.Base(name), got, err, text)
	}
}

// What is written early is written as it is, in order, whatever the sizes; an error of the
// file comes back at once.
func TestWriteBehind(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "f")
	f, err := os.Create(name)
	must.Do(t, err)
	e := &WriteBehind{W: f}
	var want []byte
	for i, n := range []int{0, 1, behindStep - 1, behindStep, 3*behindStep + 7, 5} {
		p := bytes.Repeat([]byte{byte('a' + i)}, n)
		want = append(want, p...)
		must.Do(t, e.WriteAll(p))
		n, err := e.Write(p)
		if want = append(want, p...); n != len(p) || err != nil {
			t.Fatalf("%d of %d bytes, %v", n, len(p), err)
		}
	}
	must.Do(t, errors.Join(f.Sync(), f.Close()))
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want %d; %v", len(got), len(want), err)
	}
	if err := e.WriteAll([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed file: %v", err)
	}
	if err := (&WriteBehind{W: full{f}}).WriteAll(make([]byte, 2*behindStep)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", err)
	}
}

// A full file takes half of what it gets.
type full struct{ *os.File }

func (full) Write(p []byte) (int, error) { return len(p) / 2, syscall.ENOSPC }

// Of many that claim one name one gets it, by a link and, where there are none, by an
// exclusive rename.
func TestClaim(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]func(*os.Root) func(from, to string) error{
		"link":   func(r *os.Root) func(from, to string) error { return r.Link },
		"rename": func(*os.Root) func(_, _ string) error { return func(_, _ string) error { return fs.ErrPermission } },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			root, err := os.OpenRoot(dir)
			must.Do(t, err)
			defer root.Close()
			for round := range 50 {
				to := "to" + string(rune('A'+round))
				var won atomic.Int32
				var wg sync.WaitGroup
				for i := range 8 {
					from := string(rune('a' + i))
					write(t, filepath.Join(dir, from), from)
					wg.Go(func() {
						switch err := claim(root, from, to, link(root)); {
						case err == nil:
							won.Add(1)
						case errors.Is(err, errors.ErrUnsupported):
							won.Store(-1)
						case !errors.Is(err, fs.ErrExist):
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if n := won.Load(); n < 0 {
					t.Skip("this file system has no exclusive rename")
				} else if n != 1 {
					t.Fatalf("%d won %s", n, to)
				}
			}
			if err := claim(root, "none", "new", link(root)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("without a file: %v", err)
			}
		})
	}
}

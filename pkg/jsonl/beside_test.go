package jsonl

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
)

// Whoever knows the name of a session could have made files beside it. None of them is
// written to: what is made has a name that cannot be known, and was not there.
func TestReplaceWritesIntoNothingThatIsThere(t *testing.T) {
	t.Parallel()
	path, a := replaced(t)
	trap := filepath.Join(filepath.Dir(path), ".s.jsonl.new")
	writeFile(t, trap, "precious")
	names := map[string]bool{}
	for range 2 {
		a.d = faultyDisk{onOpen: func(name string, flag int) error {
			if strings.Contains(name, ".new") {
				if flag&(os.O_CREATE|os.O_EXCL) != os.O_CREATE|os.O_EXCL || names[name] {
					t.Errorf("%s is opened with %#x, and before: %v", name, flag, names[name])
				}
				names[name] = true
			}
			return nil
		}}
		if err := a.Replace(content("{}\n"), false); err != nil {
			t.Fatal(err)
		}
		a.Close()
		a = mustOpen(t, path, Options{Grace: -1})
	}
	wantFile(t, trap, "precious")
	wantFile(t, path, "{}\n")
	if len(names) != 2 {
		t.Errorf("%d new files", len(names))
	}
}

// A new log that somebody has put another file in the place of does not get the name.
func TestReplaceSeesAnotherFile(t *testing.T) {
	t.Parallel()
	path, a := replaced(t)
	err := a.Replace(writing(func(io.Writer) error {
		temps, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*.new-*"))
		if err != nil || len(temps) != 1 {
			t.Fatalf("%q, %v", temps, err)
		}
		return errors.Join(os.Remove(temps[0]), os.WriteFile(temps[0], []byte("forged"), 0o600))
	}), false)
	if !errors.Is(err, ErrChanged) {
		t.Errorf("got %v", err)
	}
	a.Close()
	wantFile(t, path, "{\"n\":1}\n")
}

// Torn bytes go to no file that others can read, or that has another name.
func TestTornBytesStayPrivate(t *testing.T) {
	t.Parallel()
	if !disk.HasModes {
		t.Skip("no permissions")
	}
	for name, put := range map[string]func(torn string) error{
		"readable": func(torn string) error {
			return errors.Join(os.WriteFile(torn, []byte("x\n"), 0o600), os.Chmod(torn, 0o666))
		},
		"hard link": func(torn string) error {
			return errors.Join(os.WriteFile(torn+"0", []byte("x\n"), 0o600), os.Link(torn+"0", torn))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newLog(t, "{}\n{\"secret")
			torn := TornFile(path)
			if err := put(torn); err != nil {
				t.Fatal(err)
			}
			a := mustOpen(t, path, Options{Grace: -1})
			if err := a.Append([]byte("1")); err != nil {
				t.Fatal(err)
			}
			wantFile(t, torn, "x\n")
			saved := a.Mended().SavedAs
			if !strings.HasPrefix(saved, torn+"-") {
				t.Fatalf("saved as %s", saved)
			}
			wantFile(t, saved, "{\"secret\n")
			if fi, err := os.Stat(saved); err != nil || fi.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", fi.Mode(), err)
			}
		})
	}
}

// A program that has the log open for writing would go on in the old file.
func TestReplaceRefusesAnOpenLog(t *testing.T) {
	t.Parallel()
	path, a := replaced(t)
	a.holders = func(string, fs.FileInfo) []disk.Holder { return []disk.Holder{{PID: 12, Name: "node"}} }
	err := a.Replace(content("{}\n"), false)
	if !errors.Is(err, ErrOpen) || !strings.Contains(err.Error(), "process 12 (node)") {
		t.Errorf("got %v", err)
	}
	a.Close()
	wantLog(t, path, "{\"n\":1}\n")
}

// A slowWriter writes one line to the old log, half of it before the rename and half of it
// when the old log is looked at for the third time.
type slowWriter struct {
	disk.OS
	path string
	f    *os.File
}

func (d *slowWriter) Rename(from, to string) (err error) {
	if d.f, err = os.OpenFile(to, os.O_WRONLY|os.O_APPEND, 0); err == nil {
		_, err = d.f.WriteString("{\"n\":2}\n{\"n\":")
	}
	return errors.Join(err, d.OS.Rename(from, to))
}

func TestReplaceTakesNoHalfLine(t *testing.T) {
	t.Parallel()
	for _, finished := range []bool{true, false} {
		path, a := replaced(t)
		d := &slowWriter{path: path}
		a.d = d
		looks := 0
		a.holders = func(string, fs.FileInfo) []disk.Holder {
			if looks++; looks == 5 && finished {
				if _, err := d.f.WriteString("3}\n"); err != nil {
					t.Error(err)
				}
			}
			return nil
		}
		if err := a.Replace(content("{\"n\":1}\n"), false); err != nil {
			t.Fatal(err)
		}
		a.Close()
		d.f.Close()
		want := "{\"n\":1}\n{\"n\":2}\n"
		if finished {
			want += "{\"n\":3}\n"
		} else {
			wantFile(t, TornFile(path), "{\"n\":\n")
		}
		wantLog(t, path, want)
	}
}

// Who opens the log between the last look and the rename, and keeps it open, is told of.
func TestReplaceTellsOfALateHolder(t *testing.T) {
	t.Parallel()
	path, a := replaced(t)
	looks := 0
	a.holders = func(string, fs.FileInfo) []disk.Holder {
		if looks++; looks < 3 {
			return nil
		}
		return []disk.Holder{{PID: 12}}
	}
	err := a.Replace(content("{}\n"), false)
	if !errors.Is(err, ErrOpen) || !strings.Contains(err.Error(), "replaced "+path) {
		t.Errorf("got %v", err)
	}
	a.Close()
	wantLog(t, path, "{}\n")
}

// The batch is in the log whatever comes of looking at its name afterwards.
func TestAppendStandsWhenTheLookFails(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{}\n")
	looked := false
	a := faults(t, path, func(f *faultyFile) {
		wrote := false
		f.write = func(g disk.File, p []byte) (int, error) { wrote = true; return g.Write(p) }
		f.stat = func(g disk.File) (fs.FileInfo, error) {
			if wrote {
				looked = true
				return nil, syscall.EIO
			}
			return g.Stat()
		}
	})
	if err := a.Append([]byte("1")); err != nil || !looked {
		t.Errorf("got %v, looked: %v", err, looked)
	}
	wantFile(t, path, "{}\n1\n")
}

func TestAppendStandsWhenTheDirectoryMoves(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	dir := filepath.Join(top, "d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "x.jsonl")
	writeFile(t, path, "{}\n")
	a := mustOpen(t, path, Options{})
	if err := os.Rename(dir, filepath.Join(top, "e")); err != nil {
		t.Fatal(err)
	}
	if err := a.Append([]byte("1")); err != nil {
		t.Error(err)
	}
	wantFile(t, filepath.Join(top, "e", "x.jsonl"), "{}\n1\n")
}

// A stubborn disk fails once to remove a lock file.
type stubborn struct {
	disk.OS
	failed *bool
}

func (d stubborn) Remove(name string) error {
	if !*d.failed {
		*d.failed = true
		return syscall.EIO
	}
	return d.OS.Remove(name)
}

// A lock file does not stay because removing it failed once, or because it cannot be read.
func TestLockFileDoesNotStay(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{}\n")
	failed := false
	a, err := openAppender(context.Background(), stubborn{failed: &failed}, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil || !failed {
		t.Errorf("%v, failed: %v", err, failed)
	}
	wantAlone(t, path)
}

// What cannot be read is told by the directory: the file that was made is ours, another one is not.
func TestLockFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 || !disk.HasModes {
		t.Skip("every file can be read")
	}
	for _, ours := range []bool{true, false} {
		path := newLog(t, "{}\n")
		a := mustOpen(t, path, Options{})
		lock := lockFileName(path)
		if !ours {
			if err := errors.Join(os.Remove(lock), os.WriteFile(lock, []byte("1:1\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(lock, 0); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(lock); errors.Is(err, fs.ErrNotExist) != ours {
			t.Errorf("ours: %v, %v", ours, err)
		}
	}
}

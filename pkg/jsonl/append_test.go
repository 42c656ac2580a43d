package jsonl

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
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
			f.write = func(f file, p []byte) (int, error) { writes++; return f.Write(p) }
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

// faults makes an Appender on a log of the given content whose descriptor for
// appending is as set tells; that for blanking is as real as can be.
func faults(t *testing.T, path string, set func(f *faultyFile)) *Appender {
	t.Helper()
	d := faultyDisk{hook: func(name string, f *faultyFile) {
		if name == "x.jsonl" {
			set(f)
		}
	}}
	a, err := openAppender(t.Context(), d, path, Options{Grace: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// shortBy writes all but the last n bytes of the first batch and fails.
func shortBy(n int, err error) func(file, []byte) (int, error) {
	first := true
	return func(f file, p []byte) (int, error) {
		if !first {
			return f.Write(p)
		}
		first = false
		got, werr := f.Write(p[:len(p)-n])
		return got, errors.Join(werr, err)
	}
}

func TestAppendShortWriteIsUndone(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]error{"ENOSPC": syscall.ENOSPC, "EIO": syscall.EIO, "no error": nil} {
		for _, before := range []string{"", "{}\n", "{}"} {
			t.Run(name+" after "+before, func(t *testing.T) {
				t.Parallel()
				path := newLog(t, before)
				a := faults(t, path, func(f *faultyFile) { f.write = shortBy(3, fault) })
				want := fault
				if want == nil {
					want = io.ErrShortWrite
				}
				err := a.Append([]byte(`{"b":2}`))
				if !errors.Is(err, want) || strings.Count(err.Error(), path) != 1 {
					t.Fatalf("got %v, want %v and the name of the log once", err, want)
				}
				wantFile(t, path, before)
				if a.Mended() != (Mend{}) {
					t.Errorf("mended %v", a.Mended())
				}
				if err := a.Append([]byte(`{"b":2}`)); err != nil { // space was made
					t.Fatal(err)
				}
				if before == "{}" {
					before = "{}\n"
				}
				wantFile(t, path, before+"{\"b\":2}\n")
			})
		}
	}
}

// Bytes that somebody else wrote behind our short write must not be cut off.
func TestAppendShortWriteBeforeForeignLine(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{}\n")
	const foreign = `{"foreign":1}` + "\n"
	a := faults(t, path, func(f *faultyFile) {
		short := shortBy(3, syscall.ENOSPC)
		f.write = func(f file, p []byte) (int, error) {
			n, err := short(f, p)
			foreignAppend(t, path, foreign)
			return n, err
		}
	})
	if err := a.Append([]byte(`{"b":2}`)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	wantFile(t, path, "{}\n     "+foreign)
}

func foreignAppend(t *testing.T, path, s string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(s)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Error(err)
	}
}

// A line that fell behind a piece of somebody else's is taken back and written
// again in a line of its own.
func TestAppendBehindForeignPiece(t *testing.T) {
	t.Parallel()
	for piece, want := range map[string]string{
		`{"f":1}`:           "{}\n{\"f\":1}\n{\"b\":2}\n", // its line feed is still to come
		`{"f":`:             "{}\n     \n{\"b\":2}\n",
		"{\"f\":1}\n":       "{}\n{\"f\":1}\n{\"b\":2}\n",
		"{\"f\":1}\n{\"g":   "{}\n{\"f\":1}\n   \n{\"b\":2}\n",
		"{\"f\":1}\n\r\n\n": "{}\n{\"f\":1}\n\r\n\n{\"b\":2}\n",
	} {
		t.Run(piece, func(t *testing.T) {
			t.Parallel()
			path := newLog(t, "{}\n")
			first := true
			a := faults(t, path, func(f *faultyFile) {
				f.write = func(f file, p []byte) (int, error) {
					if first {
						first = false
						foreignAppend(t, path, piece)
					}
					return f.Write(p)
				}
			})
			if err := a.Append([]byte(`{"b":2}`)); err != nil {
				t.Fatal(err)
			}
			wantFile(t, path, want)
			if a.Size() != int64(len(want)) {
				t.Errorf("size is %d, want %d", a.Size(), len(want))
			}
		})
	}
}

// Against a writer that gets in between every time, Append gives up cleanly.
func TestAppendGivesUp(t *testing.T) {
	t.Parallel()
	path := newLog(t, "")
	a := faults(t, path, func(f *faultyFile) {
		f.write = func(f file, p []byte) (int, error) {
			foreignAppend(t, path, "1")
			return f.Write(p)
		}
		f.truncate = func(f file, n int64) error {
			err := f.Truncate(n)
			foreignAppend(t, path, "\n")
			return err
		}
	})
	if err := a.Append([]byte(`2`)); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want ErrChanged", err)
	}
	wantFile(t, path, strings.Repeat("1\n", appendTries))
}

func TestAppendUndoFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		set  func(f *faultyFile)
		want error
	}{
		"truncate": {func(f *faultyFile) { f.truncate = func(file, int64) error { return syscall.EPERM } }, syscall.EPERM},
		"seek":     {func(f *faultyFile) { f.seek = func(file) (int64, error) { return 0, syscall.ESPIPE } }, syscall.ESPIPE},
		"read": {func(f *faultyFile) {
			wrote := f.write
			f.write = func(g file, p []byte) (int, error) {
				f.readAt = func(file, []byte, int64) (int, error) { return 0, syscall.EIO }
				return wrote(g, p)
			}
		}, syscall.EIO},
		// If what lies there is not what we wrote, it is not ours to cut.
		"other bytes": {func(f *faultyFile) {
			wrote := f.write
			f.write = func(g file, p []byte) (int, error) {
				f.readAt = func(_ file, p []byte, _ int64) (int, error) { return len(p), nil }
				return wrote(g, p)
			}
		}, ErrChanged},
		"stat": {func(f *faultyFile) {
			f.stat = func(g file) (fs.FileInfo, error) {
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
		f.sync = func(f file) error {
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
	eio := func(file, []byte) (int, error) { return 0, syscall.EIO }
	tests := map[string]struct {
		file string // of which
		set  func(f *faultyFile)
		log  string
	}{
		"saving":   {"x.jsonl.torn", func(f *faultyFile) { f.write = eio }, before},
		"syncing":  {"x.jsonl.torn", func(f *faultyFile) { f.sync = func(file) error { return syscall.EIO } }, before},
		"closing":  {"x.jsonl.torn", func(f *faultyFile) { f.closed = func(f file) error { f.Close(); return syscall.EIO } }, before},
		"blanking": {"x.jsonl", func(f *faultyFile) { f.writeAt = func(file, []byte, int64) (int, error) { return 0, syscall.EIO } }, before},
		"partly": {"x.jsonl", func(f *faultyFile) {
			f.writeAt = func(f file, p []byte, o int64) (int, error) { n, _ := f.WriteAt(p[:2], o); return n, syscall.EIO }
		}, "{}\n  torn"},
		"syncing blanks": {"x.jsonl", func(f *faultyFile) { f.sync = func(file) error { return syscall.EIO } }, "{}\n      "},
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
	d := faultyDisk{hook: func(name string, f *faultyFile) {
		f.readAt = func(file, []byte, int64) (int, error) { return 0, syscall.EIO }
	}}
	_, err := openAppender(t.Context(), d, path, Options{})
	if !errors.Is(err, syscall.EIO) || strings.Count(err.Error(), path) != 1 {
		t.Errorf("got %v, want EIO and the name once", err)
	}
	wantAlone(t, path) // the lock file is gone
}

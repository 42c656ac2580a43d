package jsonl

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
)

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
func shortBy(n int, err error) func(disk.File, []byte) (int, error) {
	first := true
	return func(f disk.File, p []byte) (int, error) {
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
		f.write = func(f disk.File, p []byte) (int, error) {
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
				f.write = func(f disk.File, p []byte) (int, error) {
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
		f.write = func(f disk.File, p []byte) (int, error) {
			foreignAppend(t, path, "1")
			return f.Write(p)
		}
		f.truncate = func(f disk.File, n int64) error {
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

package jsonl

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/disk"
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

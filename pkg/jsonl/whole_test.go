package jsonl

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// While a log is made its name is not there, and nobody who looks sees a part of it.
func TestCreateAppearsWhole(t *testing.T) {
	t.Parallel()
	for _, sync := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), strings.Repeat("n", 250))
		err := Create(path, writing(func(w io.Writer) error {
			if _, err := io.WriteString(w, "{\"n\":1}\n"); err != nil {
				return err
			}
			if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("half a log has the name: %v", err)
			}
			_, err := io.WriteString(w, "{\"n\":2}\n")
			return err
		}), sync)
		if err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, "{\"n\":1}\n{\"n\":2}\n")
		wantAlone(t, path)
	}
}

// A name that is taken is not waited for: the content, which may be a stream, is not read.
func TestCreateTakenReadsNothing(t *testing.T) {
	t.Parallel()
	path := newLog(t, "theirs")
	err := Create(path, writing(func(io.Writer) error { t.Error("the content was read"); return nil }), false)
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	// Who takes the name meanwhile keeps it.
	late := filepath.Join(t.TempDir(), "late")
	err = Create(late, writing(func(io.Writer) error { return os.WriteFile(late, []byte("theirs"), 0o600) }), true)
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	wantFile(t, late, "theirs")
	wantAlone(t, late)
}

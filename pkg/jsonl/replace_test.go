package jsonl

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
)

// A writing is content that a function writes.
type writing func(w io.Writer) error

func (f writing) WriteTo(w io.Writer) (int64, error) { return 0, f(w) }

func content(s string) writing {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func replaced(t *testing.T) (path string, a *Appender) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte("{\"n\":1}\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	a, err := OpenAppender(context.Background(), path, Options{Grace: -1})
	if err != nil {
		t.Fatal(err)
	}
	return path, a
}

func wantLog(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("the log is %q, %v, want %q", got, err, want)
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if err != nil || len(names) > 0 {
		t.Errorf("left behind: %q, %v", names, err)
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	path, a := replaced(t)
	if err := a.Replace(content("{\"n\":0}\n{\"n\":1}\n"), true); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	if err := a.Append([]byte("{}")); err == nil {
		t.Error("a replaced log can be appended to")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	wantLog(t, path, "{\"n\":0}\n{\"n\":1}\n")
	again, err := OpenAppender(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err) // the locks are gone
	}
	again.Close()
}

// Another program writes, without the lock, while the new log is made.
func TestReplaceChanged(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(path string) error{
		"grown": func(path string) error { return appendTo(path, "{\"n\":2}\n") },
		"replaced": func(path string) error {
			if err := os.WriteFile(path+"2", []byte("{\"n\":2}\n"), 0o600); err != nil {
				return err
			}
			return os.Rename(path+"2", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, a := replaced(t)
			var there []byte
			err := a.Replace(writing(func(io.Writer) (err error) {
				if err = meanwhile(path); err == nil {
					there, err = os.ReadFile(path)
				}
				return err
			}), false)
			if !errors.Is(err, ErrChanged) {
				t.Errorf("got %v", err)
			}
			a.Close()
			wantLog(t, path, string(there))
		})
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// A lateWriter adds to the log at the last moment.
type lateWriter struct {
	disk.OS
	text string
}

func (d lateWriter) Rename(from, to string) error {
	if err := appendTo(to, d.text); err != nil {
		return err
	}
	return d.OS.Rename(from, to)
}

func TestReplaceTakesLateLines(t *testing.T) {
	t.Parallel()
	path, a := replaced(t)
	a.d = lateWriter{text: "{\"n\":2}\n"}
	if err := a.Replace(content("{\"n\":0}\n{\"n\":1}\n"), false); err != nil {
		t.Fatal(err)
	}
	a.Close()
	wantLog(t, path, "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n")
}

func TestReplaceFails(t *testing.T) {
	t.Parallel()
	path, a := replaced(t)
	broken := errors.New("broken")
	err := a.Replace(writing(func(w io.Writer) error { return errors.Join(content("half")(w), broken) }), true)
	if !errors.Is(err, broken) || strings.Count(err.Error(), "s.jsonl") != 1 {
		t.Errorf("got %v", err)
	}
	a.Close()
	wantLog(t, path, "{\"n\":1}\n")
}

// A torn last line is saved before it goes.
func TestReplaceTorn(t *testing.T) {
	t.Parallel()
	path, a := replaced(t)
	a.Close()
	if err := appendTo(path, `{"n":`); err != nil {
		t.Fatal(err)
	}
	a, err := OpenAppender(context.Background(), path, Options{Grace: -1})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Replace(content("{\"n\":0}\n"), false); err != nil {
		t.Fatal(err)
	}
	if a.Mended().Kind != MendBlank {
		t.Errorf("mended %+v", a.Mended())
	}
	a.Close()
	wantLog(t, path, "{\"n\":0}\n")
	if saved, err := os.ReadFile(TornFile(path)); string(saved) != "{\"n\":\n" {
		t.Errorf("saved %q, %v", saved, err)
	}
}

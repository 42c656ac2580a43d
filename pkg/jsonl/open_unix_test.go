//go:build unix && !solaris && !aix

package jsonl

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// A named pipe is not even opened: that could wake or block somebody.
func TestOpenLooksFirst(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/fifo"
	mkfifo(t, path)
	d := faultyDisk{onOpen: func(name string, _ int) error {
		t.Errorf("opened %s", name)
		return os.ErrInvalid
	}}
	if _, err := openAppender(t.Context(), d, path, Options{}); err == nil {
		t.Error("no error")
	}
}

// A log that becomes a named pipe between the look and the opening is neither
// waited for nor taken.
func TestOpenLooksAgain(t *testing.T) {
	t.Parallel()
	path := newLog(t, "")
	d := faultyDisk{onOpen: func(name string, _ int) error {
		err := os.Remove(name)
		mkfifo(t, name)
		return err
	}}
	f, err := openRegular(d, path, os.O_RDONLY) // blocks if it waits for a writer
	if err == nil || !strings.Contains(err.Error(), "named pipe") {
		t.Errorf("got %v, want a refusal", err)
	}
	if f != nil {
		t.Error(errors.Join(errors.New("got a file as well"), f.Close()))
	}
}

// Blanking goes by the path, so it has to make sure of the file it got.
func TestBlankOnlyTheLockedLog(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{\"torn")
	a := mustOpen(t, path, Options{Grace: -1})
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, "{\"another\":1}\n")
	if err := a.Append([]byte("1")); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want ErrChanged", err)
	}
	wantFile(t, path, "{\"another\":1}\n")
	wantFile(t, path+".old", "{\"torn")
}

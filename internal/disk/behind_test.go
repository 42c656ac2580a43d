package disk

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What is written early is written as it is, in order, whatever the sizes; an error of the
// file comes back at once.
func TestWriteBehind(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "f")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	e := &WriteBehind{W: f}
	var want []byte
	for i, n := range []int{0, 1, behindStep - 1, behindStep, 3*behindStep + 7, 5} {
		p := bytes.Repeat([]byte{byte('a' + i)}, n)
		want = append(want, p...)
		if err := e.WriteAll(p); err != nil {
			t.Fatal(err)
		}
		n, err := e.Write(p)
		if want = append(want, p...); n != len(p) || err != nil {
			t.Fatalf("%d of %d bytes, %v", n, len(p), err)
		}
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
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

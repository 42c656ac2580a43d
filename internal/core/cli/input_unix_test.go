//go:build unix

package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/must"
)

func fifo(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	return name
}

// A named pipe nobody writes to must not hang a tool for ever.
func TestPipeWithoutWriter(t *testing.T) {
	t.Parallel()
	name := fifo(t)
	_, err := openFile(name, 50*time.Millisecond)
	if want := "opening " + name + ": a named pipe, and nobody writes to it"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	w, err := os.OpenFile(name, os.O_WRONLY, 0) // ends the call left behind
	must.Do(t, err)
	w.Close()
}

// A writer that comes later is waited for, and read to its end.
func TestPipeWithWriter(t *testing.T) {
	t.Parallel()
	name := fifo(t)
	go func() {
		time.Sleep(20 * time.Millisecond)
		os.WriteFile(name, []byte("from a pipe"), 0o600)
	}()
	r, err := openFile(name, time.Minute)
	must.Do(t, err)
	defer r.Close()
	if data, err := io.ReadAll(r); err != nil || string(data) != "from a pipe" {
		t.Errorf("read %q, %v", data, err)
	}
}

// The reading end of a pipe stands for process substitution, <(command).
func TestDescriptorOfPipe(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skip("no /dev/fd")
	}
	r, w, err := os.Pipe()
	must.Do(t, err)
	if _, err := w.WriteString("written before"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	in, err := openFile(fmt.Sprintf("/dev/fd/%d", r.Fd()), time.Minute)
	must.Do(t, err)
	defer in.Close()
	if data, err := io.ReadAll(in); err != nil || string(data) != "written before" {
		t.Errorf("read %q, %v", data, err)
	}
}

func TestDevices(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("no /dev/zero")
	}
	if _, err := openFile("/dev/zero", time.Minute); err == nil || !strings.Contains(err.Error(), "reading /dev/zero: is a device") {
		t.Errorf("/dev/zero: %v", err)
	}
	r, err := openFile(os.DevNull, time.Minute)
	must.Do(t, err)
	r.Close()
	zero, err := os.Open("/dev/zero")
	must.Do(t, err)
	defer zero.Close()
	s := &Streams{in: &input{r: zero}}
	if _, err := s.OpenInput("-"); err == nil || !strings.Contains(err.Error(), "standard input: is a device") {
		t.Errorf("standard input: %v", err)
	}
}

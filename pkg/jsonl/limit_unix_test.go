//go:build unix

package jsonl

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

// A real file size limit: the kernel writes a part and refuses the rest. It also
// sends SIGXFSZ, which the Go runtime ignores.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{}\n")
	if out, err := child(t, "limit", path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	wantFile(t, path, "{}\n1\n")
	wantAlone(t, path)
}

func childLimit(t *testing.T, path string) {
	a := mustOpen(t, path, Options{})
	limit := syscall.Rlimit{Cur: 1000, Max: 1000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	err := a.Append([]byte(`"` + strings.Repeat("x", 5000) + `"`))
	if !errors.Is(err, syscall.EFBIG) {
		t.Fatalf("got %v, want EFBIG", err)
	}
	wantFile(t, path, "{}\n")
	if err := a.Append([]byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

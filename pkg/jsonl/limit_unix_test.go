//go:build unix && !solaris && !aix

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
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	limit := old
	limit.Cur = 1000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	defer func() { // or coverage data could not be written
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
			t.Error(err)
		}
	}()
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

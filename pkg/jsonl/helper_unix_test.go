//go:build unix && !solaris && !aix

package jsonl

import (
	"syscall"
	"testing"
)

func mkfifo(t *testing.T, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
}

//go:build amd64 || arm64

package session

import (
	"syscall"
	"testing"
	"unsafe"
)

// In a text of more than 4 GiB, a span does not say where a member is.
func TestSpanOfLongText(t *testing.T) {
	t.Parallel()
	memory, err := syscall.Mmap(-1, 0, 1<<32+1, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Munmap(memory) }()
	copy(memory, `{"message":1}`) // what is behind it is never looked at, and takes no room
	if got := (span{1, 2}).of(unsafe.String(&memory[0], len(memory)), "message"); got != "1" {
		t.Errorf("%q", got)
	}
}

//go:build unix

package store

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sess-tools/sess/pkg/convo"
)

// TestBlobsSpecial: what is no file is never waited for.
func TestBlobsSpecial(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	blob := convo.NewBlob([]byte("x"))
	path := filepath.Join(dir, blob.Sum)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no FIFO: %v", err)
	}
	if data, err := OpenBlobs(dir).Get(blob.Sum); err == nil {
		t.Errorf("read %q from a FIFO", data)
	}
}

//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sess-tools/sess/pkg/convo"
)

func TestBlobsReadOnly(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("modes do not bind root")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := OpenBlobs(dir).Put(convo.NewBlob([]byte("x"))); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

// TestBlobsSpecial: what is no file is never waited for, and gives way.
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
	if err := OpenBlobs(dir).Put(blob); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}

// TestBlobsLink: a link to another file is replaced, not written through.
func TestBlobsLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	blob := convo.NewBlob([]byte("x"))
	other := write(t, dir, "other", "mine")
	if err := os.Mkdir(filepath.Join(dir, "blobs"), 0o700); err != nil {
		t.Fatal(err)
	}
	symlink(t, other, filepath.Join(dir, "blobs", blob.Sum))
	if err := OpenBlobs(filepath.Join(dir, "blobs")).Put(blob); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(other); err != nil || string(data) != "mine" {
		t.Errorf("%q, %v", data, err)
	}
}

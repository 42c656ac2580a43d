package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/convo"
)

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "blobs")
	b, blob := OpenBlobs(dir), convo.NewBlob([]byte("an image\n\x00\xff"))
	if _, err := b.Get(blob.Sum); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v from a directory that is not there", err)
	}
	if err := b.Put(blob); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, blob.Sum)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if top, err := os.Stat(dir); err != nil || info.Mode().Perm()&0o077 != 0 || top.Mode().Perm()&0o077 != 0 {
		t.Errorf("modes %v and %v, %v", info.Mode(), top.Mode(), err)
	}
	touch(t, path, 1)
	if err := b.Put(blob); err != nil {
		t.Fatal(err)
	}
	if again, err := os.Stat(path); err != nil || !os.SameFile(info, again) || again.ModTime().Equal(info.ModTime()) {
		t.Errorf("the file was written again, %v", err)
	}
	for _, wrong := range []string{"", "an image", "an image\n\x00\xfe", strings.Repeat("x", 1000)} {
		write(t, dir, blob.Sum, wrong)
		if err := b.Put(blob); err != nil {
			t.Fatal(err)
		}
		if got, err := b.Get(blob.Sum); err != nil || string(got) != string(blob.Data) {
			t.Errorf("%q, %v after %q", got, err, wrong)
		}
	}
	if got := names(t, dir); got != blob.Sum {
		t.Errorf("the directory holds %s", got)
	}
}

func TestBlobsNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := write(t, dir, "secret", "s")
	b := OpenBlobs(filepath.Join(dir, "blobs"))
	for _, name := range []string{
		"", ".", "..", "../secret", secret, strings.Repeat("a", 63), strings.Repeat("A", 64),
		strings.Repeat("a", 65), strings.Repeat("../", 21) + "a", strings.Repeat("a", 63) + "\x00", strings.Repeat("ª", 32),
	} {
		if data, err := b.Get(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("Get(%q): %q, %v", name, data, err)
		}
		if err := b.Put(convo.Blob{Sum: name, Data: []byte("x")}); err == nil {
			t.Errorf("Put took %q", name)
		}
	}
	if got := names(t, dir); got != "secret" {
		t.Errorf("the directory holds %s", got)
	}
}

// TestBlobsRefused: a blob that cannot be stored is an error that names it once,
// and leaves nothing behind.
func TestBlobsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	blob := convo.NewBlob([]byte("x"))
	inTheWay := write(t, dir, "file", "")
	if err := os.MkdirAll(filepath.Join(dir, "taken", blob.Sum, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{inTheWay, filepath.Join(dir, "taken")} {
		err := OpenBlobs(sub).Put(blob)
		if err == nil || strings.Count(err.Error(), blob.Sum) != 1 || strings.Count(err.Error(), sub) != 1 {
			t.Errorf("%v", err)
		}
	}
	if got := names(t, filepath.Join(dir, "taken")); got != blob.Sum {
		t.Errorf("the directory holds %s", got)
	}
}

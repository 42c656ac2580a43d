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
	dir := t.TempDir()
	b, blob := OpenBlobs(dir), convo.NewBlob([]byte("an image\n\x00\xff"))
	for _, places := range []Blobs{b, OpenBlobs(filepath.Join(dir, "none"))} {
		if _, err := places.Get(blob.Sum); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v for a blob that is not there", err)
		}
	}
	write(t, dir, blob.Sum, string(blob.Data))
	if got, err := b.Get(blob.Sum); err != nil || string(got) != string(blob.Data) {
		t.Errorf("%q, %v", got, err)
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
	}
	if got := names(t, dir); got != "secret" {
		t.Errorf("the directory holds %s", got)
	}
}

package store

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/pkg/convo"
)

// Blobs is a directory of blobs, each in a file named by its SHA-256, as
// oh-my-pi keeps them. It is a name, not a handle.
type Blobs struct{ dir string }

// OpenBlobs returns the blobs in the directory dir, which need not exist yet.
func OpenBlobs(dir string) Blobs { return Blobs{dir: dir} }

// Put stores a blob, durably: the file gets its name, with mode 0600, when all
// of it is on disk. A file that holds the data already is left alone, one that
// holds other data is replaced. A missing directory is made with mode 0700.
func (b Blobs) Put(blob convo.Blob) error {
	if convo.NewBlob(blob.Data).Sum != blob.Sum {
		return fmt.Errorf("storing blob %.80q: it is not named by its data", blob.Sum)
	}
	if old, err := b.Get(blob.Sum); err == nil && bytes.Equal(old, blob.Data) {
		return nil
	}
	if err := b.write(blob); err != nil {
		return fmt.Errorf("storing blob %s in %s: %w", blob.Sum, b.dir, disk.Cause(err))
	}
	return nil
}

func (b Blobs) write(blob convo.Blob) error {
	if err := makeDir(b.dir, true); errors.Is(err, fs.ErrExist) {
		return errors.New("not a directory")
	} else if err != nil {
		return err
	}
	temp := filepath.Join(b.dir, "."+blob.Sum[:16]+"."+rand.Text()[:12]+".tmp")
	if err := disk.Replace(disk.OS{}, temp, filepath.Join(b.dir, blob.Sum), blob.Data, true); err != nil {
		return err
	}
	return disk.SyncDir(b.dir)
}

// Get returns the data of the blob called sum, which is not compared with its
// name. A name that is no SHA-256 in lower-case hex digits is refused, and never
// part of a path. The error of a blob that is not there matches fs.ErrNotExist.
func (b Blobs) Get(sum string) ([]byte, error) {
	if !convo.ValidBlobSum(sum) {
		return nil, fmt.Errorf("reading blob %.80q: %w", sum, fs.ErrInvalid)
	}
	f, _, err := open(filepath.Join(b.dir, sum))
	if err != nil {
		return nil, err
	}
	defer f.close()
	data, err := io.ReadAll(f)
	return data, disk.Cause(err)
}

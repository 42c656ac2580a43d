package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// Draft returns the name of the draft of the session that is to be at path: a
// dot, the name, ".draft", in the same directory. The dot and the ending keep
// it out of every listing, ours, pi's and oh-my-pi's. It is "" for a path that
// has no name at its end.
func Draft(path string) string {
	dir, name := filepath.Split(path)
	if name == "" || name == "." || name == ".." {
		return ""
	}
	return dir + "." + name + ".draft"
}

// Locate returns the file that holds the session with the given path: path
// itself or, where nothing has that name, its draft. The error is that of
// looking at path, and matches fs.ErrNotExist if there is neither.
//
// A draft may be published before the caller opens it. Then opening it fails
// with fs.ErrNotExist, and Locate has to be asked once more.
func Locate(path string) (file string, err error) {
	if _, err = os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	if hasDraft(path) {
		return Draft(path), nil
	}
	_, err = os.Lstat(path) // it may have been published between the two looks
	return path, err
}

func hasDraft(path string) bool {
	draft := Draft(path)
	if draft == "" {
		return false
	}
	info, err := os.Lstat(draft)
	return err == nil && info.Mode().IsRegular()
}

// CreateDraft makes the draft of the session that is to be at path of content,
// as jsonl.Create does. The error matches fs.ErrExist if the session or its
// draft exists already.
func CreateDraft(path string, content io.WriterTo, sync bool) error {
	draft := Draft(path)
	if draft == "" {
		return fmt.Errorf("creating a draft of %q: not the name of a file", path)
	}
	if err := Vacant(path); err != nil {
		return fmt.Errorf("creating %s: %w", path, err)
	}
	return jsonl.Create(draft, content, sync)
}

// CreateDraft is as Create, but makes a draft. It returns the path the session
// will have, which [Locate] understands until then.
func (s Store) CreateDraft(cwd, timestamp, id string, content io.WriterTo, sync bool) (path string, err error) {
	return s.create(cwd, timestamp, id, content, sync, CreateDraft)
}

// Vacant returns an error that matches fs.ErrExist if something other than the
// draft itself has the name path, or whatever the file system says.
func Vacant(path string) error {
	final, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return disk.Cause(err)
	}
	if draft, err := os.Lstat(Draft(path)); err == nil && os.SameFile(draft, final) {
		return nil // a publication that died between its two steps
	}
	return fs.ErrExist
}

// Publish gives the draft of path its name. It must be called under the draft's lock, and the
// content must have been synced if it is to be durable; with sync the new name is durable when
// Publish returns.
//
// An existing file is never replaced: the error matches fs.ErrExist then, and
// the draft is as it was. At every moment one of the two names leads to the
// whole session. On a file system that has neither an exclusive rename nor hard
// links, a file that is made at the very moment of the rename could be lost.
//
// If only removing the draft's name or making the new one durable failed, the session is
// published, and the error says so.
func Publish(path string, sync bool) error {
	draft := Draft(path)
	err := disk.Publish(draft, path)
	if err != nil && (!errors.Is(err, fs.ErrExist) || Vacant(path) != nil) {
		return fmt.Errorf("publishing %s as %s: %w", draft, path, disk.Cause(err))
	}
	if err := disk.Discard(disk.OS{}, draft); err != nil { // a second name, if it was not renamed
		return fmt.Errorf("published %s, but %w", path, err)
	}
	if !sync {
		return nil
	}
	if err := disk.SyncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("published %s, but syncing its directory: %w", path, disk.Cause(err))
	}
	return nil
}

// Blobs is a directory of blobs, each in a file named by its SHA-256, as
// oh-my-pi keeps them. It is a name, not a handle.
type Blobs struct{ dir string }

// OpenBlobs returns the blobs in the directory dir, which need not exist yet.
func OpenBlobs(dir string) Blobs { return Blobs{dir: dir} }

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

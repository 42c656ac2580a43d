package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/pkg/jsonl"
)

// A Store is a directory of sessions, one directory level per working
// directory. It is a name, not a handle: nothing is held open.
type Store struct{ dir string }

// Open returns the store in the directory dir, which need not exist yet. A
// symbolic link to a directory will do.
func Open(dir string) Store { return Store{dir: dir} }

// Dir returns the directory of the store.
func (s Store) Dir() string { return s.dir }

// Project returns the directory that holds the sessions of the working
// directory cwd. It need not exist, and may hold those of others whose names
// are encoded alike.
func (s Store) Project(cwd string) string { return filepath.Join(s.dir, EncodeCWD(cwd)) }

// PathFor returns where the session with this working directory, header
// timestamp and id belongs. The path is two elements below the store's
// directory whatever the arguments are. The error is FileName's, or says that
// cwd cannot be part of a file name.
func (s Store) PathFor(cwd, timestamp, id string) (string, error) {
	if strings.ContainsRune(cwd, 0) {
		return "", fmt.Errorf("naming the session's directory: NUL byte in the working directory %.60q", cwd)
	}
	name, err := FileName(timestamp, id)
	if err != nil {
		return "", err
	}
	return filepath.Join(s.Project(cwd), name), nil
}

// Create makes a new session of content where PathFor puts it, as jsonl.Create
// does, and returns its path. Missing directories are made with mode 0700, the file with 0600. With
// sync, the file and the directories that lead to it survive a power failure
// once Create has returned.
//
// A file that exists is never touched: the error matches fs.ErrExist.
func (s Store) Create(cwd, timestamp, id string, content io.WriterTo, sync bool) (path string, err error) {
	path, err = s.PathFor(cwd, timestamp, id)
	if err != nil {
		return "", err
	}
	if err := makeDir(filepath.Dir(path), sync); err != nil {
		return "", fmt.Errorf("making the session's directory: %w", err)
	}
	if err := jsonl.Create(path, content, sync); err != nil {
		return "", err
	}
	return path, nil
}

// makeDir makes the directory dir and those above it that are missing. It does
// not leave that to os.MkdirAll, which does not say what it made, because with
// sync every new name has to be made durable in its parent.
func makeDir(dir string, sync bool) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrNotExist}
	}
	if err := makeDir(parent, sync); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		if info, statErr := os.Stat(dir); errors.Is(err, fs.ErrExist) && statErr == nil && info.IsDir() {
			return nil // somebody else made it meanwhile, and sees to it
		}
		return err
	}
	if !sync {
		return nil
	}
	return jsonl.SyncDir(parent)
}

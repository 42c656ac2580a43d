package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// CreateWhole is as Create with sync, for content that comes from elsewhere and may
// be large: the path appears when all of it is on disk. A process that is killed
// before that leaves a hidden file.
func (s Store) CreateWhole(cwd, timestamp, id string, content io.WriterTo) (path string, err error) {
	if path, err = s.PathFor(cwd, timestamp, id); err != nil {
		return "", err
	}
	dir, base := filepath.Split(path)
	if err := makeDir(filepath.Dir(path), true); err != nil {
		return "", fmt.Errorf("making the session's directory: %w", err)
	}
	temp := dir + "." + base + ".new-" + rand.Text()
	if err := jsonl.Create(temp, content, true); err != nil {
		return "", err
	}
	if err := disk.Publish(temp, path); err != nil {
		return "", errors.Join(fmt.Errorf("creating %s: %w", path, disk.Cause(err)), os.Remove(temp))
	}
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return path, disk.SyncDir(filepath.Dir(path))
}

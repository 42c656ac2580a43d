package sibling

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/sess-tools/sess/internal/clikit"
)

// Find returns the path of the program called name: in the directory of this
// program, by the name it was started by or the file that leads to, else in PATH.
func Find(name string) (string, error) {
	var dirs []string
	if self, err := os.Executable(); err == nil {
		dirs = append(dirs, filepath.Dir(self))
		if file, err := filepath.EvalSymlinks(self); err == nil {
			dirs = append(dirs, filepath.Dir(file))
		}
	}
	return findIn(dirs, name)
}

func findIn(dirs []string, name string) (string, error) {
	for _, dir := range dirs {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	cause := err
	switch e, ok := errors.AsType[*exec.Error](err); {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		cause = errors.New("it is neither beside this program nor in PATH")
	case ok:
		cause = e.Err
	}
	return "", clikit.WithHint(fmt.Errorf("finding %s: %w", name, cause), "the tools belong into one directory")
}

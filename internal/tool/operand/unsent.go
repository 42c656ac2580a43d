package operand

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/internal/tool/clikit"
)

// Keep saves a text that was paid for and cannot be added to the session, in a new file
// NAME.unsent-*EXT beside it or, if that cannot be, where temporary files are. Only its
// owner can read it. The error says where what, such as "the summary", is now. Without
// any place it is printed, and the name is "".
func (src *Source) Keep(what, ext, text string) (name string, kept error) {
	return Keep(src.streams, src.Path, what, ext, text)
}

// Keep is [Source.Keep] for the session at a path; "" is one that is no file.
func Keep(s *clikit.Streams, path, what, ext, text string) (name string, kept error) {
	name, failed := save(path, ext, text)
	switch {
	case name == "":
		// The last place where it is not lost is the screen.
		fmt.Fprint(s.Err, text)
		return "", fmt.Errorf("%s could be kept nowhere, so it stands above: %w", what, failed)
	case failed != nil:
		return name, fmt.Errorf("%s is kept in %s, because %w", what, name, failed)
	}
	return name, fmt.Errorf("%s is kept in %s", what, name)
}

// save returns the name of the file. If it is not beside the session, failed says why.
func save(path, ext, text string) (name string, failed error) {
	base := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	dirs := []string{filepath.Dir(path), os.TempDir()}
	if path == "" {
		base, dirs = "session", dirs[1:]
	}
	for _, dir := range dirs {
		name, err := create(dir, base+".unsent-*"+ext, text)
		if err == nil {
			return name, failed
		}
		failed = cmp.Or(failed, err)
	}
	return "", failed
}

// create makes a new file with a content. Only its owner can read it.
func create(dir, pattern, content string) (string, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return "", fmt.Errorf("making a file in %s: %w", dir, errors.Unwrap(err))
	}
	_, err = f.WriteString(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, disk.Close(f)); err != nil {
		_ = os.Remove(f.Name())
		return "", fmt.Errorf("writing to %s: %w", dir, err)
	}
	if name := filepath.Clean(f.Name()); name[0] != '-' {
		return name, nil
	}
	return f.Name(), nil // as ./-x, which no command takes for a flag
}

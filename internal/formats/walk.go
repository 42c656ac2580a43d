package formats

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/disk"
)

// Walk yields the paths of the regular files in dir, and in the directories at most
// depth levels below it, whose base name match accepts, in lexical order. Names that begin with a dot are left out.
// Directories behind symbolic links are not entered; a link to a file counts as
// that file. What cannot be read, and what has a fitting name but is no file, is
// yielded with an error that names it; the walk goes on, unless ctx ends.
func Walk(ctx context.Context, dir string, depth int, match func(base string) bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { walk(ctx, dir, depth, match, yield) }
}

func walk(ctx context.Context, dir string, depth int, match func(string) bool, yield func(string, error) bool) bool {
	entries, err := os.ReadDir(dir)
	if err != nil && !yield(dir, fmt.Errorf("reading %s: %w", dir, disk.Cause(err))) {
		return false
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			yield(dir, err)
			return false
		}
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Name()[0] == '.':
		case e.IsDir():
			if depth > 0 && !walk(ctx, path, depth-1, match, yield) {
				return false
			}
		case match(e.Name()):
			if !yield(path, irregular(path, e)) {
				return false
			}
		}
	}
	return true
}

// irregular says why the entry at path is not read, nil if it is.
func irregular(path string, e fs.DirEntry) error {
	if e.Type().IsRegular() {
		return nil
	}
	fi, err := os.Stat(path)
	if err == nil && !fi.Mode().IsRegular() {
		err = errIrregular
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, disk.Cause(err))
	}
	return nil
}

package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sess-tools/sess/internal/disk"
)

// Recent returns the path of the session in dirs that was written to last: the
// one with the newest modification time of its file, as in pi's "continue",
// among those that have a valid header. Of files with the same time it is the
// one with the later name. Of o, Recursive, CWD and Warn apply.
//
// No more headers are read than it takes, so Warn does not hear of every file
// that is no session. The error matches ErrNotFound if there is none, or is
// that of ctx.
func Recent(ctx context.Context, dirs []string, o Options) (string, error) {
	here := SameDir(o.CWD)
	for _, path := range newestFirst(sessionFiles(dirs, o.Recursive, o.warn), o.warn) {
		h, err := header(ctx, path)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		switch {
		case err != nil:
			o.warn(path, err)
		case here(h.CWD):
			return path, nil
		}
	}
	if o.CWD != "" {
		return "", fmt.Errorf("finding the most recent session of %s: %w", o.CWD, ErrNotFound)
	}
	return "", fmt.Errorf("finding the most recent session: %w", ErrNotFound)
}

// newestFirst returns paths by the modification time of their files.
func newestFirst(paths []string, warn func(string, error)) []string {
	type written struct {
		path string
		at   time.Time
	}
	files := make([]written, 0, len(paths))
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			warn(path, disk.Cause(err))
			continue
		}
		files = append(files, written{path, info.ModTime()})
	}
	slices.SortFunc(files, func(a, b written) int {
		if c := b.at.Compare(a.at); c != 0 {
			return c
		}
		return comparePaths(a.path, b.path)
	})
	out := paths[:0]
	for _, f := range files {
		out = append(out, f.path)
	}
	return out
}

// SameDir returns a function that reports whether a working directory, as the
// header of a session has it, is dir, with symbolic links resolved on both sides.
// If dir is "", every directory is. It must not be called concurrently.
func SameDir(dir string) func(string) bool {
	if dir == "" {
		return func(string) bool { return true }
	}
	dir = resolve(dir)
	known := map[string]bool{"": false}
	return func(other string) bool {
		same, ok := known[other]
		if !ok {
			// A relative path in a header says nothing about this process.
			same = filepath.IsAbs(other) && (filepath.Clean(other) == dir || resolve(other) == dir)
			known[other] = same
		}
		return same
	}
}

// Files returns the paths of the files in dirs that may be sessions, that which was
// written to last first. None is opened. Of o, Recursive and Warn apply.
func Files(dirs []string, o Options) []string {
	return newestFirst(sessionFiles(dirs, o.Recursive, o.warn), o.warn)
}

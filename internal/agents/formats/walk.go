package formats

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/core/disk"
)

// Walk yields the paths of the regular files in dir, and in the directories at most
// depth levels below it, whose base name match accepts, in lexical order. Names that begin with a dot are left out.
// A symbolic link counts as the file or the directory that it leads to, unless the walk has that in its own place, or
// by a link before: each file is yielded once, and circles end. What cannot be read, and what has a fitting name but is
// no file, is yielded with an error that names it; the walk goes on, unless ctx ends.
func Walk(ctx context.Context, dir string, depth int, match func(base string) bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		walk(ctx, dir, depth, func(string) bool { return false }, func(path string) bool { return match(filepath.Base(path)) }, yield)
	}
}

// WalkIn is Walk of the directories that enter accepts, hidden ones, too, if it does; match is asked of paths.
func WalkIn(ctx context.Context, dir string, enter, match func(path string) bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { walk(ctx, dir, 0, enter, match, yield) }
}

// walk is Walk that also looks into the directories further down that enter accepts, and into hidden ones that it accepts; match is asked of
// paths.
func walk(ctx context.Context, dir string, depth int, enter, match func(string) bool, yield func(string, error) bool) {
	w := &walker{ctx: ctx, enter: enter, match: match, real: map[string]string{}, linked: map[string]bool{}}
	top := &found{path: dir}
	w.dir(top, target(dir), depth)
	for len(w.links) > 0 && ctx.Err() == nil { // when all that is no link has its place
		l := w.links[0]
		w.links = w.links[1:]
		w.follow(l)
	}
	if top.yield(yield) && ctx.Err() != nil {
		yield(dir, ctx.Err())
	}
}

// A walker looks at the files and directories of one walk.
type walker struct {
	ctx          context.Context
	enter, match func(string) bool

	real   map[string]string // the paths of the directories that were looked into, by those without links
	linked map[string]bool   // the files that links lead to, by their paths without links
	links  []link            // still to be followed
}

// found is the file, the directory with its content, or the error at a path.
type found struct {
	path string
	file bool
	err  error
	in   []*found
}

// A link is a symbolic link that a walk met, and how many levels below its directory are looked at.
type link struct {
	at    *found
	depth int
}

// target returns where a path leads without links, and the path itself if that cannot be told.
func target(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// dir looks into the directory at a path, which is actual without links, once.
func (w *walker) dir(at *found, actual string, depth int) {
	if _, there := w.real[actual]; there { // a link leads to one that this is in
		return
	}
	w.real[actual] = at.path
	entries, err := os.ReadDir(at.path)
	if err != nil {
		at.err = fmt.Errorf("reading %s: %w", at.path, disk.Cause(err))
	}
	for _, e := range entries {
		if w.ctx.Err() != nil {
			return
		}
		name := e.Name()
		one := &found{path: filepath.Join(at.path, name)}
		switch isDir, isLink := e.IsDir(), e.Type()&fs.ModeSymlink != 0; {
		case name[0] == '.' && !((isDir || isLink) && w.enter(one.path)):
			continue
		case isLink:
			w.links = append(w.links, link{one, depth})
		case isDir && w.enters(one.path, depth):
			w.dir(one, filepath.Join(actual, name), depth-1)
		case isDir || !w.match(one.path):
			continue
		case !e.Type().IsRegular():
			one.err = irregular(one.path)
		default:
			one.file = true
		}
		at.in = append(at.in, one)
	}
}

// enters reports whether a directory at a path is looked into, depth levels being left.
func (w *walker) enters(path string, depth int) bool { return depth > 0 || w.enter(path) }

// follow looks at what a link leads to.
func (w *walker) follow(l link) {
	at := l.at
	fi, err := os.Stat(at.path)
	switch {
	case err == nil && fi.IsDir():
		if w.enters(at.path, l.depth) {
			w.dir(at, target(at.path), l.depth-1)
		}
	case !w.match(at.path):
	case err != nil:
		at.err = fmt.Errorf("reading %s: %w", at.path, disk.Cause(err))
	case !fi.Mode().IsRegular():
		at.err = irregular(at.path)
	default:
		actual := target(at.path)
		dir, there := w.real[filepath.Dir(actual)]
		name := filepath.Base(actual)
		there = there && name[0] != '.' && w.match(filepath.Join(dir, name)) // in its own place
		at.file = !there && !w.linked[actual]
		w.linked[actual] = true
	}
}

// irregular is the error of a path with neither a file nor a directory.
func irregular(path string) error { return fmt.Errorf("reading %s: %w", path, errIrregular) }

// yield yields what was found, in the order of the paths, and reports whether all was taken.
func (f *found) yield(yield func(string, error) bool) bool {
	if (f.file || f.err != nil) && !yield(f.path, f.err) {
		return false
	}
	for _, in := range f.in {
		if !in.yield(yield) {
			return false
		}
	}
	return true
}

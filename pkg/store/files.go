package store

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/session"
)

// errIrregular says why a FIFO, socket or device is not read.
var errIrregular = errors.New("not a regular file")

// finder collects the files that may be sessions.
type finder struct {
	warn  func(path string, err error)
	seen  map[string]bool // directories with symbolic links resolved
	files []string
	inner map[string]bool // those of files that are in the directory of a session
}

// sessionFiles returns the regular files *.jsonl in dirs, and with recursive
// also those one level below, in the order of dirs and then of names, each
// directory once however many ways lead to it. Names that begin with a dot are
// temporary files, locks and drafts.
func sessionFiles(dirs []string, recursive bool, warn func(string, error)) []string {
	return find(dirs, recursive, false, warn).files
}

// find is sessionFiles that with inner also finds the files in the directories of sessions, see [ParentFile].
func find(dirs []string, recursive, inner bool, warn func(string, error)) *finder {
	f := &finder{warn: warn, seen: map[string]bool{}, inner: map[string]bool{}}
	for _, dir := range dirs {
		for _, sub := range f.dir(dir, recursive) {
			if inner {
				f.below(sub, isParent(sub))
			} else {
				f.dir(sub, false)
			}
		}
	}
	return f
}

// below adds the files of a directory, and those at any depth in the directories of sessions in it; inside is true if
// it is in one.
func (f *finder) below(dir string, inside bool) {
	if f.seen[resolve(dir)] {
		return
	}
	from := len(f.files)
	subs := f.dir(dir, true)
	for _, path := range f.files[from:] {
		f.inner[path] = inside
	}
	for _, sub := range subs {
		if inside || isParent(sub) {
			f.below(sub, true)
		}
	}
}

// ParentFile returns the file of the session that the one at path is a part of, "" if it is of none: oh-my-pi, and an
// extension of pi, keep the sessions of sub-agents in a directory named like the file, without the extension.
func ParentFile(path string) string {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if isParent(dir) {
			return dir + ext
		}
	}
	return ""
}

// Parts returns the files in the directory of the session of a file, of which [ParentFile] returns that file. warn is told of directories that
// cannot be read.
func Parts(path string, warn func(path string, err error)) []string {
	dir := strings.TrimSuffix(path, ext)
	if dir == path || !isParent(dir) {
		return nil
	}
	f := &finder{warn: warn, seen: map[string]bool{}, inner: map[string]bool{}}
	f.below(dir, true)
	return f.files
}

// isParent reports whether a directory is that of a session, as agents call them: TIMESTAMP_ID.
func isParent(dir string) bool {
	if !strings.Contains(filepath.Base(dir), "_") {
		return false
	}
	info, err := os.Stat(dir + ext)
	return err == nil && info.Mode().IsRegular()
}

// segmented reports whether a name is that of a segmented store, beside the file it
// was made of, or of one on its way in or out (docs/formats/store-v2.md).
func segmented(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".v2") || strings.Contains(name, ".v2.")
}

// dir adds the files of one directory. With descend it returns the directories
// in it, real ones before symbolic links so that a link to a sibling yields.
func (f *finder) dir(dir string, descend bool) (subs []string) {
	// A directory that was read as the child of another may still have
	// children to give.
	key := resolve(dir)
	first := !f.seen[key]
	f.seen[key] = true
	if !first && !descend {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.warn(dir, disk.Cause(err))
	}
	var links []string
	// The path of each begins with dir as it was given, as those of find(1) do: of
	// files in the directory "." none can be taken for a flag or an address.
	inside := strings.TrimRight(dir, string(os.PathSeparator)) + string(os.PathSeparator)
	for _, e := range entries {
		path, mode := inside+e.Name(), e.Type()
		isFile := strings.HasSuffix(e.Name(), ext)
		if e.Name()[0] == '.' || !isFile && (!descend || segmented(e.Name())) {
			continue
		}
		link := mode&fs.ModeSymlink != 0
		if link {
			info, err := os.Stat(path)
			if err != nil {
				if isFile && first {
					f.warn(path, disk.Cause(err))
				}
				continue
			}
			mode = info.Mode().Type()
		}
		switch {
		case mode.IsDir() && !descend:
		case mode.IsDir() && link:
			links = append(links, path)
		case mode.IsDir():
			subs = append(subs, path)
		case !isFile || !first:
		case mode.IsRegular():
			f.files = append(f.files, path)
		default:
			f.warn(path, errIrregular)
		}
	}
	return append(subs, links...)
}

// facts are the facts about a file beside its content.
type facts struct {
	regular bool
	size    int64 // bytes
	modTime time.Time
}

// open opens a session file that sessionFiles found, and looks again at its kind, since the name
// may have changed hands.
func open(path string) (*file, facts, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, facts{}, disk.Cause(err)
	}
	is, err := f.stat()
	if err == nil && !is.regular {
		err = errIrregular
	}
	if err != nil {
		f.close()
		return nil, facts{}, disk.Cause(err)
	}
	return f, is, nil
}

// A Content is what a session file held when it was opened.
type Content struct {
	io.Reader
	file *file
}

// OpenFile opens a session file that [Files] found: not one that could wait, and no
// further than it goes now.
func OpenFile(path string) (*Content, error) {
	f, is, err := open(path)
	if err != nil {
		return nil, err
	}
	return &Content{io.LimitReader(f, is.size), f}, nil
}

// Close closes the file.
func (c *Content) Close() error {
	c.file.close()
	return nil
}

// header reads the header of the session in path.
func header(ctx context.Context, path string) (session.Header, error) {
	f, _, err := open(path)
	if err != nil {
		return session.Header{}, err
	}
	defer f.close()
	h, err := session.ReadHeader(disk.Reader{Ctx: ctx, R: f})
	return h, disk.Cause(err)
}

// resolve returns dir as an absolute path without symbolic links, or as far as
// that can be had.
func resolve(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		return target
	}
	return filepath.Clean(dir)
}

// Names calls visit for the sessions whose file names give their ids, until it returns
// false or ctx ends: those of the working directory cwd first, then those of the project
// that changed last, and so on, in each the newest first by their names. No file is
// opened: a name may lie, and who uses the id finds that out.
func (s Store) Names(ctx context.Context, cwd string, visit func(Candidate) bool) {
	f := finder{warn: func(string, error) {}, seen: map[string]bool{}}
	visited := func() bool {
		defer func() { f.files = f.files[:0] }()
		for _, path := range slices.Backward(f.files) {
			if ctx.Err() != nil {
				return false
			}
			if id, ok := idOf(path); ok && !visit(Candidate{ID: id, Path: path}) {
				return false
			}
		}
		return true
	}
	f.dir(s.Project(cwd), false)
	if !visited() {
		return
	}
	projects := byChange(f.dir(s.dir, true))
	for i := 0; visited() && i < len(projects); i++ {
		f.dir(projects[i], false)
	}
}

// byChange sorts directories: the one that changed last is the first.
func byChange(dirs []string) []string {
	times := make(map[string]time.Time, len(dirs))
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil {
			times[dir] = info.ModTime()
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(times[b].Compare(times[a]), cmp.Compare(b, a)) })
	return dirs
}

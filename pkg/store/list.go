package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/titles"
)

// defaultWorkers is how many files are read at once. More than there are
// processors, since a cold cache makes them wait for the disk.
const defaultWorkers = 8

// A Row is one session of a listing.
type Row struct {
	Path    string    // below the directory it was found in, as that was given
	Size    int64     // of the file, in bytes
	ModTime time.Time // of the file

	// Info is what the session says of itself. Modified is never zero: where
	// the session has no time, it is ModTime.
	session.Info
}

// Title returns the title of the session and where it comes from, see [titles.Of].
func (r Row) Title() (title, from string) { return titles.Of(r.Name, r.Prompts) }

// Options says which sessions are read, and how. The zero value is ready for use.
type Options struct {
	// Recursive adds the sessions of the directories one level below the given
	// ones: with the directory of a [Store], those of all projects. Deeper ones
	// belong to sessions rather than to people.
	Recursive bool

	// Subagents adds the sessions in the directories of sessions, see [ParentFile], of which that session is the
	// parent if they name none. Files there that are no sessions are not told to Warn.
	Subagents bool

	// CWD keeps only the sessions whose header has this working directory, with
	// symbolic links resolved on both sides; those whose header has none, or a
	// relative one, are not among them. "" keeps all.
	CWD string

	// Skip, if it is set, says of the path of a file that it is left out and not read.
	Skip func(path string) bool

	// Count reads every file to its end. Without it files above 1 MiB are read
	// at both ends only: their counts are lower bounds, and a name given in the
	// middle is missed; Exact is false then.
	Count bool

	// Omit is what of the rows may be left empty. Without all of it a listing takes
	// a third less time.
	Omit session.Details

	// Workers bounds the files read at once; 0 stands for 8.
	Workers int

	// Order is the order of the rows.
	Order Order

	// Newest, if it is not 0, is how many rows are wanted in the order ByModified: those behind them may be left out. Files
	// are then read in the order in which they were written to, without those that have nothing since the last of these
	// rows. Old returns the test for such files, and has to be set.
	Newest int
	Old    func(since time.Time) func(path string) bool

	// Warn, if it is set, is called for every file and directory that is left out.
	// err does not repeat the path. It matches session.ErrNotSession or
	// session.ErrVersion for files that are no session of ours, fs.ErrNotExist
	// for a directory that is missing. The calls come one at a time, in a fixed
	// order, before the function that was given the options returns.
	Warn func(path string, err error)
}

func (o Options) warn(path string, err error) {
	if o.Warn != nil {
		o.Warn(path, err)
	}
}

// leastRead is how many files are read at once that may have the newest rows.
const leastRead = 64

// List returns the sessions in dirs. What cannot be read, or is no session, is
// left out and told to Warn; a directory that does not exist is no exception.
// The only error is that of ctx.
func List(ctx context.Context, dirs []string, o Options) ([]Row, error) {
	found := find(dirs, o.Recursive, o.Subagents, o.warn)
	paths := found.files
	if o.Skip != nil {
		paths = slices.DeleteFunc(paths, o.Skip)
	}
	if o.Newest > 0 {
		paths = newestFirst(paths, o.warn)
	}
	rows, errs := make([]Row, len(paths)), make([]error, len(paths))
	clear(rows) // or the collector is the first to touch this memory, and each page costs an interrupt of all processors
	keep, here := rows[:0], SameDir(o.CWD)
	for from, to := 0, 0; to < len(paths); from = to {
		if to = len(paths); o.Newest > 0 {
			to = min(to, max(2*from, o.Newest, leastRead))
		}
		each(ctx, to-from, o.Workers, func() func(i int) {
			r := rowReader{limits: usual, count: o.Count, info: session.InfoReader{Omit: o.Omit}}
			return func(i int) { rows[from+i], errs[from+i] = r.read(ctx, paths[from+i]) }
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i, row := range rows[from:to] {
			path, err := paths[from+i], errs[from+i]
			inner := found.inner[path]
			if inner && row.ParentSession == "" {
				row.ParentSession = ParentFile(path)
			}
			switch {
			case inner && errors.Is(err, session.ErrNotSession):
			case err != nil:
				o.warn(path, err)
			case here(row.CWD):
				keep = append(keep, row)
			}
		}
		if o.Newest > 0 && len(keep) >= o.Newest {
			Sort(keep, ByModified)
			paths = append(paths[:to], slices.DeleteFunc(paths[to:], o.Old(keep[o.Newest-1].Modified))...)
		}
	}
	clear(rows[len(keep):])
	Sort(keep, o.Order)
	return keep, nil
}

// each lets workers do 0 to n-1, each of them one at a time, and returns when all
// is done. When ctx ends nothing further is begun.
func each(ctx context.Context, n, workers int, worker func() func(i int)) {
	if workers <= 0 {
		workers = defaultWorkers
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, workers) {
		do := worker()
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	wg.Wait()
}

// Stat returns the row of one session. With count it is read to its end
// whatever its size. The error matches session.ErrNotSession or
// session.ErrVersion for a file that is no session of ours.
func Stat(ctx context.Context, path string, count bool) (Row, error) {
	r := rowReader{limits: usual, count: count}
	return r.read(ctx, path)
}

// An Order is an order of sessions in a listing.
type Order int

// The orders. All but ByName put the newest or largest first.
const (
	ByModified Order = iota // time of the newest user or assistant message
	ByCreated               // time of the header
	BySize                  // bytes
	ByMessages              // messages on all branches
	ByName                  // in byte order; those without a name last
	ByWritten               // when the file was written to
)

var orderNames = []string{"modified", "created", "size", "messages", "title", "written"}

// ParseOrder returns the order called modified, created, size, messages, title or
// written. The error names them all.
func ParseOrder(word string) (Order, error) {
	i := slices.Index(orderNames, word)
	if i < 0 {
		return 0, fmt.Errorf("unknown order %q: use %s", word, strings.Join(orderNames, ", "))
	}
	return Order(i), nil
}

// Sort puts rows in order. Rows that are equal are put in descending order of
// their file names, as pi 1.5 does, which is the newest first where names are
// ours, and then of their paths.
func Sort(rows []Row, o Order) {
	slices.SortFunc(rows, func(a, b Row) int {
		if c := o.compare(a, b); c != 0 {
			return c
		}
		return comparePaths(a.Path, b.Path)
	})
}

func (o Order) compare(a, b Row) int {
	switch o {
	case ByCreated:
		return b.Created.Compare(a.Created)
	case BySize:
		return cmp.Compare(b.Size, a.Size)
	case ByMessages:
		return cmp.Compare(b.Messages, a.Messages)
	case ByWritten:
		return cmp.Or(b.WrittenAt().Compare(a.WrittenAt()), b.Modified.Compare(a.Modified))
	case ByName:
		if (a.Name == "") != (b.Name == "") {
			return -cmp.Compare(a.Name, b.Name)
		}
		return cmp.Or(cmp.Compare(a.Name, b.Name), b.Modified.Compare(a.Modified))
	default:
		return b.Modified.Compare(a.Modified)
	}
}

// WrittenAt is when the file was written to; of a session that shares its file, when the newest message was.
func (r Row) WrittenAt() time.Time { return cmp.Or(r.ModTime, r.Modified) }

// comparePaths puts the later file name first.
func comparePaths(a, b string) int {
	return cmp.Or(cmp.Compare(filepath.Base(b), filepath.Base(a)), cmp.Compare(b, a))
}

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
		err  error
	}
	look := func(_ context.Context, paths []string) []written {
		part := make([]written, len(paths))
		for i, path := range paths {
			info, err := os.Stat(path)
			if part[i] = (written{path: path, err: err}); err == nil {
				part[i].at = info.ModTime()
			}
		}
		return part
	}
	const together = 256 // so many take longer than to begin a goroutine
	files := make([]written, 0, len(paths))
	for part := range parallel.Map(context.Background(), runtime.GOMAXPROCS(0), slices.Chunk(paths, together), look) {
		for _, f := range part {
			if f.err != nil {
				warn(f.path, disk.Cause(f.err))
				continue
			}
			files = append(files, f)
		}
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
// If dir is "", every directory is. One of another system, see [Foreign], is compared as it is written. It may be called
// concurrently.
func SameDir(dir string) func(string) bool {
	if dir == "" {
		return func(string) bool { return true }
	}
	if Foreign(dir) {
		name := spelled(dir)
		return func(other string) bool { return Foreign(other) && spelled(other) == name }
	}
	dir = resolve(dir)
	var known sync.Map
	return func(other string) bool {
		same, ok := known.Load(other)
		if !ok {
			// A relative path in a header says nothing about this process.
			same = filepath.IsAbs(other) && (filepath.Clean(other) == dir || resolve(other) == dir)
			known.Store(other, same)
		}
		return same == true
	}
}

// Foreign reports whether a path is absolute on another system than this one: one of Windows, with a drive or a server in front,
// elsewhere, and one that begins with a slash on Windows. A session may have been brought here from there.
func Foreign(path string) bool {
	if filepath.IsAbs(path) {
		return false
	}
	drive := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
	return drive || strings.HasPrefix(path, `\\`) || path != "" && path[0] == '/'
}

// spelled returns a path of another system in one of the ways to write it. Windows has two separators, and cases alike.
func spelled(path string) string {
	if path[0] == '/' {
		return strings.TrimRight(path, "/")
	}
	return strings.TrimRight(strings.ToLower(strings.ReplaceAll(path, "/", `\`)), `\`)
}

// Files returns the paths of the files in dirs that may be sessions, that which was
// written to last first. None is opened. Of o, Recursive and Warn apply.
func Files(dirs []string, o Options) []string {
	return newestFirst(sessionFiles(dirs, o.Recursive, o.warn), o.warn)
}

// HasFiles reports whether a directory has files that may be sessions.
func HasFiles(dir string) bool {
	return len(sessionFiles([]string{dir}, false, func(string, error) {})) > 0
}

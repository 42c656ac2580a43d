package formats

import (
	"cmp"
	"context"
	"iter"
	"time"

	"github.com/sess-tools/sess/pkg/store"
)

// Files says how a format keeps its sessions: in files that hold one each. [Files.Open] makes
// an archive of it.
type Files struct {
	// Depth is how many levels of directories below a source are looked at, and Match which
	// files there are sessions. A source that is a file is one in any case.
	Depth int
	Match func(path string) bool

	// Head says of a session what the beginning of its file tells, and Read gives it to a builder.
	// Both get the source of that file alone, and the file open. What the file system knows, and
	// what stands in for a directory or a time that the file does not say, is filled in.
	Head func(ctx context.Context, src *Source, f *File) (Info, error)
	Read func(ctx context.Context, src *Source, f *File, info Info, b *Builder) error
}

// Open opens a file, standard input, or a directory of files.
func (f Files) Open(src *Source) (Archive, error) {
	if err := src.Exists(); err != nil {
		return nil, err
	}
	return files{f, src}, nil
}

type files struct {
	Files
	src *Source
}

// Close has nothing to close: each file is closed once it was looked at.
func (a files) Close() error { return nil }

// List lists the files in the order of their paths, by their heads; one that details are
// asked of is read whole.
func (a files) List(ctx context.Context, q Query) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		if !a.src.IsDir() {
			yield(a.info(ctx, a.src, q))
			return
		}
		for path, err := range Walk(ctx, a.src.Path, a.Depth, func(string) bool { return true }) {
			info := Info{Row: store.Row{Path: path}}
			switch {
			case err == nil && a.Match(path):
				info, err = a.info(ctx, a.src.Beside(path), q)
			case err == nil, ctx.Err() == nil && !IsDir(path) && !a.Match(path):
				continue
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// info lists the session of a file.
func (a files) info(ctx context.Context, src *Source, q Query) (Info, error) {
	info, err := a.head(ctx, src)
	if err != nil || !q.Details && (q.ID == "" || q.ID == info.ID) {
		return info, err
	}
	path, size, at := info.Path, info.Size, info.ModTime
	if info, err = Describe(ctx, a, info); err != nil {
		return info, err
	}
	info.Path, info.Size, info.ModTime = path, size, at
	return info, nil
}

// head lists the session of a file by its beginning.
func (a files) head(ctx context.Context, src *Source) (Info, error) {
	f, err := src.Open(ctx)
	if err != nil {
		return Info{Row: store.Row{Path: src.Path}}, err
	}
	defer f.Close()
	info, err := a.Head(ctx, src, f)
	info.Path, info.Size, info.ModTime = src.Path, f.Size, f.ModTime
	info.CWD = cmp.Or(info.CWD, src.CWD)
	if info.Created.IsZero() {
		info.Created = cmp.Or(f.ModTime, time.UnixMilli(0)).UTC().Truncate(time.Millisecond)
	}
	info.Modified = cmp.Or(f.ModTime, info.Created)
	return info, err
}

func (a files) Read(ctx context.Context, info Info, b *Builder) error {
	src := a.src
	if src.IsDir() {
		src = src.Beside(info.Path)
	}
	f, err := src.Open(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	return a.Files.Read(ctx, src, f, info, b)
}

package jqmap

import (
	"context"
	"iter"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/pkg/store"
)

// A like is a map without functions: sessions of the format of another agent, in other places. It only reads.
type like struct {
	*Map
	of formats.Format
}

// Liken binds the maps of a list that are like a format of it to that. One that is like no format that has sessions of its own says so
// when it is opened.
func Liken(list []formats.Format) []formats.Format {
	list = slices.Clone(list)
	for i, f := range list {
		m, ok := f.(*Map)
		if !ok || m.like == "" {
			continue
		}
		if of, ok := formats.Lookup(list, m.like); ok && of != f {
			if other, is := Of(of); !is || other.like == "" {
				list[i] = like{m, of}
			}
		}
	}
	return list
}

// Of returns the map that a format is.
func Of(f formats.Format) (*Map, bool) {
	switch f := f.(type) {
	case *Map:
		return f, true
	case like:
		return f.Map, true
	}
	return nil, false
}

// About describes the other agent.
func (l like) About() formats.About {
	about, of := l.Map.About(), l.of.About()
	about.Like, about.Grows, about.Here, about.Filed = of.Name, of.Grows, of.Here, of.Filed
	return about
}

// Detect says no: by its bytes a file is of the format that the map is like.
func (l like) Detect(string, []byte) bool { return false }

// Open opens a file, or a directory of files that the patterns match.
func (l like) Open(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	h, err := l.parse()
	if err != nil {
		return nil, err
	}
	if !src.IsDir() {
		return l.of.Open(ctx, src)
	}
	a := likeArchive{of: l.of, src: src}
	for path, err := range (reader{l.Map, h}).places(ctx, src) {
		a.files = append(a.files, likeFile{path, err})
	}
	return a, ctx.Err()
}

// A likeArchive is the archive of files, each of which is opened when it is looked at.
type likeArchive struct {
	of    formats.Format
	src   *formats.Source
	files []likeFile
}

type likeFile struct {
	path string
	err  error
}

// Close has nothing to close.
func (a likeArchive) Close() error { return nil }

// Lasts makes it a [formats.Lasting].
func (a likeArchive) Lasts() {}

// List lists the sessions of each file, several files at a time.
func (a likeArchive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	type listed struct {
		info formats.Info
		err  error
	}
	files := a.files
	if named := slices.DeleteFunc(slices.Clone(files), func(f likeFile) bool { return f.path != q.ID && stem(filepath.Base(f.path)) != q.ID }); len(named) > 0 {
		files = named
	}
	unopened := formats.Unopened(q, files, func(f likeFile) string { return f.path }, nil)
	return func(yield func(formats.Info, error) bool) {
		for list := range parallel.Map(ctx, runtime.GOMAXPROCS(0), slices.Values(files), func(ctx context.Context, f likeFile) (list []listed) {
			if info, ok := unopened[f.path]; ok {
				return []listed{{info, nil}}
			}
			none := formats.Info{Row: store.Row{Path: f.path}}
			if f.err != nil {
				return []listed{{none, f.err}}
			}
			archive, err := a.of.Open(ctx, a.src.Beside(f.path))
			if err != nil {
				return []listed{{none, err}}
			}
			for info, err := range archive.List(ctx, q) {
				list = append(list, listed{info, err})
			}
			if err := archive.Close(); err != nil {
				list = append(list, listed{none, err})
			}
			return list
		}) {
			for _, one := range list {
				if !yield(one.info, one.err) {
					return
				}
			}
		}
		if err := ctx.Err(); err != nil {
			yield(formats.Info{Row: store.Row{Path: a.src.Path}}, err)
		}
	}
}

// Read gives the session of a file to b.
func (a likeArchive) Read(ctx context.Context, info formats.Info, b *formats.Builder) (err error) {
	archive, err := a.of.Open(ctx, a.src.Beside(info.Path))
	if err != nil {
		return err
	}
	defer func() {
		if cerr := archive.Close(); err == nil {
			err = cerr
		}
	}()
	return archive.Read(ctx, info, b)
}

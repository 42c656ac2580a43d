package jqmap

import (
	"cmp"
	"context"
	"iter"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/store"
)

// A several is the archive of files of a directory, each of which has sessions, and is opened when it is looked at.
type several struct {
	src   *formats.Source
	open  func(context.Context, *formats.Source) (formats.Archive, error)
	files []file
}

// A file is one, or what cannot be looked at, and why.
type file struct {
	path string
	err  error
}

// several opens a file, or the files of sessions below a directory and in the directories that a registry there names.
func (h *header) several(ctx context.Context, src *formats.Source, open func(context.Context, *formats.Source) (formats.Archive, error)) (formats.Archive, error) {
	if !src.IsDir() {
		return open(ctx, src)
	}
	a := several{src: src, open: open}
	for _, dir := range append([]string{src.Path}, h.registered(src.Path)...) {
		enter, match := h.walks(dir)
		for path, err := range formats.WalkIn(ctx, dir, enter, match) {
			if !slices.ContainsFunc(a.files, func(f file) bool { return f.path == path }) {
				a.files = append(a.files, file{path, err})
			}
		}
	}
	return a, ctx.Err()
}

// registered returns the directories with sessions, of those that are there, that the agent has in a registry in its place.
func (h *header) registered(dir string) (dirs []string) {
	if len(h.registry) == 0 {
		return nil
	}
	text, err := disk.ReadFile(filepath.Join(dir, h.registry[0]))
	if err != nil || !js.Valid(text) {
		return nil
	}
	for e := range js.Value(text).Get(h.registry[1]).Elements() {
		if one := e.Get(h.registry[2]).Str(); filepath.IsAbs(one) && formats.IsDir(one) {
			dirs = append(dirs, filepath.Clean(one))
		}
	}
	return dirs
}

// Close has nothing to close.
func (a several) Close() error { return nil }

// Lasts is true: no file stays open.
func (a several) Lasts() bool { return true }

// A listed is what listing a file yields.
type listed struct {
	info formats.Info
	err  error
}

// List lists the sessions of each file, several files at a time. One that cannot be opened is listed with its error.
func (a several) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	files := a.files
	if named := slices.DeleteFunc(slices.Clone(files), func(f file) bool { return f.path != q.ID && stem(filepath.Base(f.path)) != q.ID }); len(named) > 0 {
		files = named
	}
	unopened := formats.Unopened(q, files, func(f file) string { return f.path }, nil)
	return func(yield func(formats.Info, error) bool) {
		for list := range parallel.Map(ctx, runtime.GOMAXPROCS(0), slices.Values(files), func(ctx context.Context, f file) []listed {
			if info, ok := unopened[f.path]; ok {
				return []listed{{info, nil}}
			}
			return a.list(ctx, f, q)
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

// list lists the sessions of a file.
func (a several) list(ctx context.Context, f file, q formats.Query) (list []listed) {
	err := f.err
	if err == nil {
		err = a.with(ctx, f.path, func(one formats.Archive) error {
			for info, err := range one.List(ctx, q) {
				list = append(list, listed{info, err})
			}
			return nil
		})
	}
	if err != nil {
		list = append(list, listed{formats.Info{Row: store.Row{Path: f.path}}, err})
	}
	return list
}

// Read gives a session of a file to b.
func (a several) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	return a.with(ctx, info.Path, func(one formats.Archive) error { return one.Read(ctx, info, b) })
}

// with opens a file for work.
func (a several) with(ctx context.Context, path string, work func(formats.Archive) error) error {
	one, err := a.open(ctx, a.src.Beside(path))
	if err != nil {
		return err
	}
	err = work(one)
	return cmp.Or(err, one.Close())
}

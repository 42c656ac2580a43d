package pi

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// Open opens a file, or a directory of files and of the projects one level below.
func (f format) Open(_ context.Context, src *formats.Source) (formats.Archive, error) {
	if src.Path != "" {
		if _, err := os.Stat(src.Path); err != nil {
			_, err := formats.OpenFile(src.Path) // says it as it says everything
			return nil, err
		}
	}
	a := &archive{src: src, blobs: src.Blobs}
	if sibling := filepath.Join(src.Path, "..", "blobs"); a.blobs == "" && src.IsDir() && isDir(sibling) {
		a.blobs = sibling
	}
	return a, nil
}

// An archive is a file or a directory.
type archive struct {
	src   *formats.Source
	blobs string
}

func (a *archive) Close() error { return nil }

func (a *archive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		switch {
		case !a.src.IsDir():
			yield(a.one(ctx, q))
		case q.Details || q.ID != "":
			if path, ok := a.byName(ctx, q.ID); ok {
				yield(exactly(ctx, path))
				return
			}
			a.details(ctx, yield)
		default:
			a.headers(ctx, yield)
		}
	}
}

// details lists a directory with all that sessions say.
func (a *archive) details(ctx context.Context, yield func(formats.Info, error) bool) {
	var failed []formats.Info
	var errs []error
	rows, err := store.List(ctx, []string{a.src.Path}, store.Options{
		Recursive: true, Count: true, Order: store.ByCreated,
		Warn: func(path string, err error) {
			failed, errs = append(failed, formats.Info{Row: store.Row{Path: path}}), append(errs, (&formats.Source{Path: path}).Located(err))
		},
	})
	if err != nil {
		yield(formats.Info{}, err)
		return
	}
	for i, info := range failed {
		if !yield(info, errs[i]) {
			return
		}
	}
	for _, row := range rows {
		if !yield(formats.Info{Row: row}, nil) {
			return
		}
	}
}

// headers lists a directory by the headers of its files alone, one by one.
func (a *archive) headers(ctx context.Context, yield func(formats.Info, error) bool) {
	isSession := func(base string) bool { return filepath.Ext(base) == ".jsonl" }
	for path, err := range formats.Walk(ctx, a.src.Path, 1, isSession) {
		info := formats.Info{Row: store.Row{Path: path}}
		if err == nil {
			info, err = header(ctx, &formats.Source{Path: path})
		}
		if !yield(info, err) {
			return
		}
	}
}

// header lists one file by its header.
func header(ctx context.Context, src *formats.Source) (formats.Info, error) {
	info := formats.Info{Row: store.Row{Path: src.Path}}
	f, err := src.Open(ctx)
	if err != nil {
		return info, err
	}
	defer f.Close()
	info.Size, info.ModTime, info.Modified = f.Size, f.ModTime, f.ModTime
	h, err := session.ReadHeader(f.Reader(ctx))
	if err != nil {
		return info, src.Located(err)
	}
	info.ID, info.CWD, info.Name, info.ParentSession, info.Version = h.ID, h.CWD, h.Title, h.ParentSession, h.Version
	if ms, ok := js.ParseTime(h.Timestamp); ok {
		info.Created = time.UnixMilli(ms).UTC()
	}
	return info, nil
}

// one lists the only session of a file.
func (a *archive) one(ctx context.Context, q formats.Query) (formats.Info, error) {
	info, err := header(ctx, a.src)
	if err != nil || !q.Details && q.ID == "" {
		return info, err
	}
	f, err := a.src.Open(ctx)
	if err != nil {
		return info, err
	}
	defer f.Close()
	scanned, err := session.ScanInfo(f.Reader(ctx))
	if err != nil {
		return info, a.src.Located(err)
	}
	info.Info = scanned
	if info.Modified.IsZero() {
		info.Modified = f.ModTime
	}
	return info, nil
}

package zeroclaw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strconv"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/sqldb"
)

// An archive is one store, or those of a workspace.
type archive struct {
	src    *formats.Source
	stores []*store
}

// A store is a database or a file.
type store struct {
	path   string // "" for standard input
	cwd    string
	file   *formats.File // of the older backend, or what tells size and time of the database
	db     *sqldb.DB     // nil for the older backend
	layout layout
	broken error
}

// open opens a store.
func (a *archive) open(ctx context.Context, path string) (*store, error) {
	src := a.src
	if path != src.Path {
		src = &formats.Source{Path: path}
	}
	file, err := src.Open(ctx)
	if err != nil {
		return nil, err
	}
	s := &store{path: path, file: file, cwd: a.cwd(path)}
	head := make([]byte, min(file.Size, 16))
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, errors.Join(src.Located(err), file.Close())
	}
	if file.Size > 0 && bytes.IndexByte(head, '{') >= 0 && filepath.Ext(path) == ".jsonl" {
		return s, nil
	}
	if path == "" {
		s.db, err = sqldb.OpenStream(ctx, src.Name(), file.Reader(ctx))
	} else {
		s.db, err = sqldb.Open(ctx, path)
	}
	if err == nil {
		s.layout, err = layoutOf(ctx, s.db)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// cwd returns the working directory of the sessions in the store path: the workspace.
func (a *archive) cwd(path string) string {
	dir, err := filepath.Abs(filepath.Dir(path))
	if base := filepath.Base(dir); path == "" || err != nil || base != "memory" && base != "sessions" {
		return a.src.CWD
	}
	return filepath.Dir(dir)
}

func (s *store) close() error {
	var errs []error
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	if s.file != nil {
		errs = append(errs, s.file.Close())
	}
	return errors.Join(errs...)
}

func (a *archive) Close() error {
	var errs []error
	for _, s := range a.stores {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

func (a *archive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		for i, s := range a.stores {
			for info, err := range s.list(ctx, q.ID) {
				info.Path, info.CWD, info.Version = s.path, s.cwd, 3
				if s.file != nil {
					info.Size, info.ModTime = s.file.Size, s.file.ModTime
				}
				info.Key = strconv.Itoa(i) + " " + info.Key
				if err == nil {
					info, err = a.described(ctx, q, info)
				}
				if !yield(info, err) || ctx.Err() != nil {
					return
				}
			}
		}
	}
}

// described fills in the details that were asked for.
func (a *archive) described(ctx context.Context, q formats.Query, info formats.Info) (formats.Info, error) {
	if info.Modified.IsZero() {
		info.Modified = info.ModTime
	}
	if !q.Details {
		return info, nil
	}
	detailed, err := formats.Describe(ctx, a, info)
	if err != nil {
		return info, err
	}
	if q.ID != "" && info.Name == q.ID {
		detailed.Name = info.Name // found by its key
	}
	if detailed.Modified.IsZero() {
		detailed.Modified = info.Modified
	}
	return detailed, nil
}

// list yields the sessions of the store whose id, key or name is id, or all.
func (s *store) list(ctx context.Context, id string) iter.Seq2[formats.Info, error] {
	switch {
	case s.broken != nil:
		return func(yield func(formats.Info, error) bool) { yield(formats.Info{}, s.broken) }
	case s.db == nil:
		return s.listFile()
	case s.layout.upstream:
		return s.listKeys(ctx)
	}
	return s.listFork(ctx, id)
}

func (a *archive) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	var n int
	var row int64
	if _, err := fmt.Sscanf(info.Key, "%d %d", &n, &row); err != nil || n < 0 || n >= len(a.stores) || a.stores[n].broken != nil {
		return fmt.Errorf("reading %s: no session %q", a.src.Name(), info.Key)
	}
	s := a.stores[n]
	if s.db == nil {
		return s.readFile(ctx, info, b)
	}
	r := &reading{store: s, b: b, rows: map[string]rowFacts{}}
	var err error
	if s.layout.upstream {
		err = r.upstream(ctx, row, info.ID)
	} else {
		err = r.fork(ctx, row)
	}
	if err != nil {
		return err
	}
	return s.db.Verify()
}

package jqmap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/jq"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A database is one whose sessions a map reads.
type database struct {
	path   string        // "" for standard input
	file   *formats.File // tells size and time
	db     *sqldb.DB
	layout layout
	broken error // why it cannot be read
}

// A databases is the archive of one database, or of those below a directory.
type databases struct {
	r    reader
	src  *formats.Source
	list []*database
}

// openDatabases opens a database, or those of a directory. One of those that cannot be opened is listed with its error.
func (r reader) openDatabases(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	a := &databases{r: r, src: src}
	if !src.IsDir() {
		d, err := r.openDatabase(ctx, src)
		if err != nil {
			return nil, err
		}
		a.list = []*database{d}
		return a, nil
	}
	for path, err := range r.places(ctx, src) {
		d := &database{path: path, broken: err}
		if err == nil {
			if d, err = r.openDatabase(ctx, src.Beside(path)); err != nil {
				d = &database{path: path, broken: err}
			}
		}
		if a.list = append(a.list, d); ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), a.Close())
		}
	}
	return a, nil
}

func (r reader) openDatabase(ctx context.Context, src *formats.Source) (*database, error) {
	file, err := src.Open(ctx)
	if err != nil {
		return nil, err
	}
	d := &database{path: src.Path, file: file}
	if src.Path == "" {
		d.db, err = sqldb.OpenStream(ctx, src.Name(), file.Reader(ctx))
	} else {
		d.db, err = sqldb.Open(ctx, src.Path)
	}
	if err == nil {
		d.layout, err = r.h.sqlite.layout(ctx, d.db, file.Size)
	}
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// places yields the files of sessions below a directory, and those in the directories that a registry there names.
func (r reader) places(ctx context.Context, src *formats.Source) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		seen := map[string]bool{}
		for _, dir := range append([]string{src.Path}, r.h.registered(src.Path)...) {
			tails := r.h.tails(dir)
			enter := func(path string) bool {
				leads, _ := tails.within(elementsBelow(dir, path))
				return leads
			}
			match := func(path string) bool {
				return tails.match(elementsBelow(dir, path)) && !slices.ContainsFunc(r.h.except, func(not string) bool { return fits(filepath.Base(path), not) })
			}
			for path, err := range formats.WalkIn(ctx, dir, enter, match) {
				if !seen[path] && !yield(path, err) {
					return
				}
				seen[path] = true
			}
		}
	}
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

func (d *database) close() error {
	var errs []error
	if d.db != nil {
		errs = append(errs, d.db.Close())
	}
	if d.file != nil {
		errs = append(errs, d.file.Close())
	}
	return errors.Join(errs...)
}

func (a *databases) Close() error {
	var errs []error
	for _, d := range a.list {
		errs = append(errs, d.close())
	}
	return errors.Join(errs...)
}

// List lists each session by its row.
func (a *databases) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		for _, d := range a.list {
			for info, err := range a.sessions(ctx, d, q) {
				if !yield(info, err) || ctx.Err() != nil {
					return
				}
			}
		}
	}
}

// sessions lists the sessions of a database.
func (a *databases) sessions(ctx context.Context, d *database, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		none := formats.Info{Row: store.Row{Path: d.path}}
		if d.broken != nil {
			yield(none, d.broken)
			return
		}
		for row, err := range d.rows(ctx, a.r.h.sqlite.sessions) {
			if err != nil {
				yield(none, err)
				return
			}
			info, _, err := a.about(ctx, d, row)
			switch {
			case err != nil:
				info = none
			case q.ID != "" && !mayBe(info, q.ID):
				continue
			case q.Detailed(info):
				modified := info.Modified
				info, err = formats.Describe(ctx, a, info)
				info.Modified = modified
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// mayBe reports whether an id, the beginning of one, a name or a path may mean a session.
func mayBe(info formats.Info, id string) bool {
	return strings.HasPrefix(info.ID, id) || info.Name == id || info.Path == id
}

// about returns what the map says of the session of a row.
func (a *databases) about(ctx context.Context, d *database, row string) (info formats.Info, said any, err error) {
	value, err := jq.Decode(row)
	if err != nil {
		return info, nil, fmt.Errorf("reading %s: %w", d.db.Path(), err)
	}
	key := js.Value(row).Get("key")
	if !key.IsString() {
		return info, nil, formats.Damaged("%s: a row of its sessions has no key", d.db.Path())
	}
	src := &formats.Source{Path: d.path, Called: d.db.Path(), Env: a.src.Env}
	input := map[string]any{"values": []any{value}, "beside": map[string]any{}, "lines": map[string]any{}, "path": filepath.ToSlash(d.path)}
	info, said, err = a.r.describe(ctx, src, input, key.Str()) // the row may change
	info.Row.Path, info.Key, info.Size, info.ModTime, info.Version = d.path, key.Str(), d.file.Size, d.file.ModTime, 3
	info.Dated, info.Undated = !info.Modified.IsZero(), info.Created.IsZero()
	info.Modified = cmp.Or(info.Modified, info.ModTime)
	info.Created = cmp.Or(info.Created, info.Modified, time.UnixMilli(0).UTC())
	return info, said, err
}

// Read gives the row of a session to the map, and then those of its values.
func (a *databases) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	at := slices.IndexFunc(a.list, func(d *database) bool { return d.path == info.Path && d.broken == nil })
	if at < 0 {
		return fmt.Errorf("reading %s: %w %s", a.src.Name(), formats.ErrNotFound, info.ID)
	}
	d := a.list[at]
	row := ""
	for one, err := range d.rows(ctx, "SELECT * FROM ("+a.r.h.sqlite.sessions+") WHERE key = ?1", info.Key) {
		if err != nil {
			return err
		}
		row = one
		break
	}
	if row == "" {
		return fmt.Errorf("reading %s: %w %s", d.db.Path(), formats.ErrNotFound, info.ID)
	}
	now, said, err := a.about(ctx, d, row)
	if err != nil {
		return err
	}
	err = b.Header(session.HeaderFields{ID: info.ID, Time: info.Created.UnixMilli(), CWD: info.CWD, ParentSession: info.ParentSession})
	if err != nil {
		return err
	}
	err = a.r.convert(ctx, b, info, now.Name, said, func(c *conversion) error { return c.rows(ctx, d, row, info.Key, b) })
	if err != nil {
		return err
	}
	return d.db.Verify()
}

// rows gives the row of a session and those of its values to the map, and then null.
func (c *conversion) rows(ctx context.Context, d *database, row, key string, b *formats.Builder) error {
	name, number := d.db.Path(), 1
	where := fmt.Sprintf("%s: session %s", name, key)
	for next, err := range d.rows(ctx, c.r.h.sqlite.values, key) {
		if err != nil {
			return err
		}
		if err := c.value(ctx, where, row, number); err != nil {
			return err
		}
		where, row = fmt.Sprintf("%s: session %s: row %d", name, key, number), next
		number++
	}
	if b.Growth != formats.Closed || number == 1 { // else the agent may write it anew
		if err := c.value(ctx, where, row, number); err != nil {
			return err
		}
	}
	return c.end(&formats.Source{Path: d.path, Called: name}, number+1, b)
}

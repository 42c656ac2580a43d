package jqmap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/core/jq"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// A database is the archive of one whose sessions a map reads.
type database struct {
	r      reader
	src    *formats.Source
	file   *formats.File // tells size and time
	db     *sqldb.DB
	layout layout
}

func (r reader) openDatabase(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	file, err := src.Open(ctx)
	if err != nil {
		return nil, err
	}
	d := &database{r: r, src: src, file: file}
	if src.Path == "" {
		d.db, err = sqldb.OpenStream(ctx, src.Name(), file.Reader(ctx))
	} else {
		d.db, err = sqldb.Open(ctx, src.Path)
	}
	if err == nil {
		d.layout, err = r.h.sqlite.layout(ctx, d.db, file.Size)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close closes the database.
func (d *database) Close() error {
	var err error
	if d.db != nil {
		err = d.db.Close()
	}
	return errors.Join(err, d.file.Close())
}

// Lasts is that of the database.
func (d *database) Lasts() bool { return d.db.Lasts() }

// List lists each session by its row.
func (d *database) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		none := formats.Info{Row: store.Row{Path: d.src.Path}}
		for row, err := range d.rows(ctx, d.r.h.sqlite.sessions) {
			if err != nil {
				yield(none, err)
				return
			}
			info, _, err := d.about(ctx, row)
			switch {
			case err != nil:
				info = none
			case q.ID != "" && !mayBe(info, q.ID):
				continue
			case q.Detailed(info):
				modified := info.Modified
				info, err = formats.Describe(ctx, d, info)
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
func (d *database) about(ctx context.Context, row string) (info formats.Info, said any, err error) {
	value, err := jq.Decode(row)
	if err != nil {
		return info, nil, fmt.Errorf("reading %s: %w", d.db.Path(), err)
	}
	key := js.Value(row).Get("key")
	if !key.IsString() {
		return info, nil, formats.Damaged("%s: a row of its sessions has no key", d.db.Path())
	}
	input := map[string]any{"values": []any{value}, "beside": map[string]any{}, "lines": map[string]any{}, "path": filepath.ToSlash(d.src.Path)}
	info, said, err = d.r.describe(ctx, d.src, input, key.Str()) // the row may change
	info.Row.Path, info.Key, info.Size, info.ModTime, info.Version = d.src.Path, key.Str(), d.file.Size, d.file.ModTime, 3
	info.Dated, info.Undated = !info.Modified.IsZero(), info.Created.IsZero()
	info.Modified = cmp.Or(info.Modified, info.ModTime)
	info.Created = cmp.Or(info.Created, info.Modified, time.UnixMilli(0).UTC())
	return info, said, err
}

// Read gives the row of a session to the map, and then those of its values.
func (d *database) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	row := ""
	for one, err := range d.rows(ctx, "SELECT * FROM ("+d.r.h.sqlite.sessions+") WHERE key = ?1", info.Key) {
		if err != nil {
			return err
		}
		row = one
		break
	}
	if row == "" {
		return fmt.Errorf("reading %s: %w %s", d.db.Path(), formats.ErrNotFound, info.ID)
	}
	now, said, err := d.about(ctx, row)
	if err != nil {
		return err
	}
	err = b.Header(session.HeaderFields{ID: info.ID, Time: info.Created.UnixMilli(), CWD: info.CWD, ParentSession: info.ParentSession})
	if err != nil {
		return err
	}
	err = d.r.convert(ctx, b, info, now.Name, said, func(c *conversion) error { return c.rows(ctx, d, row, info.Key, b) })
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
	return c.end(d.src, number+1, b)
}

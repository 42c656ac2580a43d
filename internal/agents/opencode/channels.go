package opencode

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/sess-tools/sess/internal/agents/formats"
)

// databasesIn returns the databases in a directory of opencode's data, that of the usual channel first: releases of other channels
// have one of their own, opencode-CHANNEL.db.
func databasesIn(dir string) []string {
	usual, list := filepath.Join(dir, "opencode.db"), []string(nil)
	entries, _ := os.ReadDir(dir) // in the order of their names; opening the home tells why there is none
	for _, e := range entries {
		switch path := filepath.Join(dir, e.Name()); {
		case path == usual:
			list = slices.Insert(list, 0, path)
		case isDatabaseName(e.Name()):
			list = append(list, path)
		}
	}
	return list
}

// channels are the databases of several channels. Of two sessions with one id the one that was written to last counts.
type channels []*database

// openDatabases opens databases, of which there is at least one.
func openDatabases(ctx context.Context, src *formats.Source, paths []string) (formats.Archive, error) {
	if len(paths) == 1 {
		return openDatabase(ctx, src, paths[0])
	}
	var c channels
	for _, path := range paths {
		d, err := openDatabase(ctx, src, path)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c = append(c, d)
	}
	return c, nil
}

func (c channels) Close() (err error) {
	for _, d := range c {
		err = errors.Join(err, d.Close())
	}
	return err
}

// Lasts reports whether all do.
func (c channels) Lasts() bool {
	return !slices.ContainsFunc(c, func(d *database) bool { return !d.Lasts() })
}

// List yields the sessions of all, newest first.
func (c channels) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	type one struct {
		info formats.Info
		err  error
	}
	return func(yield func(formats.Info, error) bool) {
		last := map[string]formats.Info{} // of each id, by what the databases say without the messages
		for _, d := range c {
			for info, err := range d.List(ctx, formats.Query{ID: q.ID}) {
				if known, ok := last[info.ID]; err == nil && (!ok || info.Modified.After(known.Modified)) {
					last[info.ID] = info
				}
			}
		}
		var list []one
		for _, d := range c {
			for info, err := range d.List(ctx, q) {
				if ctx.Err() != nil {
					yield(info, ctx.Err())
					return
				}
				if known, ok := last[info.ID]; !ok || known.Path == info.Path {
					list = append(list, one{info, err})
				}
			}
		}
		slices.SortStableFunc(list, func(a, b one) int { return b.info.Modified.Compare(a.info.Modified) })
		for _, s := range list {
			if !yield(s.info, s.err) {
				return
			}
		}
	}
}

func (c channels) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	for _, d := range c {
		if d.path == info.Path {
			return d.Read(ctx, info, b)
		}
	}
	return fmt.Errorf("reading %s: %w %s", info.Path, formats.ErrNotFound, info.ID)
}

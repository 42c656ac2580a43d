package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// segmented takes the segmented stores out of the directories that were named: each
// is a session, and not a place of sessions.
func segmented(dirs, operands []string) (rest, stores []string) {
	if len(operands) == 0 {
		return dirs, nil
	}
	for _, dir := range dirs {
		if address.Segmented(dir) {
			stores = append(stores, dir)
		} else {
			rest = append(rest, dir)
		}
	}
	return rest, stores
}

// withSegmented adds the rows of segmented stores; with --recent the newest row is
// left.
func (c *config) withSegmented(ctx context.Context, s *cli.Streams, rows []store.Row, stores []string, o store.Options) ([]store.Row, error) {
	if len(stores) == 0 {
		return rows, nil
	}
	for _, name := range stores {
		row, err := scannedRow(ctx, s, name, filepath.Join(name, "manifest.json"))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			o.Warn(name, err)
		case o.CWD == "" || o.CWD == row.CWD:
			rows = append(rows, row)
		}
	}
	if !c.recent {
		store.Sort(rows, o.Order)
		return rows, nil
	}
	store.Sort(rows, store.ByModified)
	return rows[:min(1, len(rows))], nil
}

// stored gives the rows of files whose session is a segmented store what that holds.
// The path stays: it names the session.
func (c *config) stored(ctx context.Context, s *cli.Streams, rows []store.Row, o store.Options) ([]store.Row, error) {
	changed := false
	var beside address.Neighbours
	for i := range rows {
		row, ok, err := storedRow(ctx, s, rows[i].Path, &beside)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			o.Warn(rows[i].Path, err)
			continue
		}
		if ok {
			rows[i], changed = row, true
		}
	}
	if changed && !c.recent {
		store.Sort(rows, o.Order)
	}
	return rows, nil
}

// newer returns the row of the segmented store in dirs that was written to last, if that
// was after the row which was found by the times of the files: theirs stand still.
func (c *config) newer(ctx context.Context, s *cli.Streams, rows []store.Row, dirs []string, o store.Options) []store.Row {
	pattern := []string{"*.v2"}
	if o.Recursive {
		pattern = append(pattern, filepath.Join("*", "*.v2"))
	}
	quoted := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`) // which matches itself alone
	for _, dir := range dirs {
		for _, p := range pattern {
			found, _ := filepath.Glob(filepath.Join(quoted.Replace(dir), p)) // the pattern is a good one
			for _, name := range found {
				fi, err := os.Stat(filepath.Join(name, "manifest.json"))
				if err != nil || len(rows) > 0 && !fi.ModTime().After(rows[0].ModTime) {
					continue
				}
				row, ok, err := storedRow(ctx, s, address.Beside(name), &address.Neighbours{})
				if err != nil {
					o.Warn(name, err)
				}
				if ok && (o.CWD == "" || o.CWD == row.CWD) {
					rows = []store.Row{row}
				}
			}
		}
	}
	return rows
}

// storedRow returns the row of the store that is the session instead of the file.
func storedRow(ctx context.Context, s *cli.Streams, path string, beside *address.Neighbours) (store.Row, bool, error) {
	dir, err := beside.Stored(path)
	if err != nil || dir == "" {
		return store.Row{}, false, err
	}
	row, err := scannedRow(ctx, s, dir, filepath.Join(dir, "manifest.json"))
	row.Path = path
	return row, err == nil, err
}

// scannedRow reads all of a session that is no file of ours: a segmented store, or a file of another agent. Its size is
// that of the session in it, and dated is the file that says when it was written.
func scannedRow(ctx context.Context, s *cli.Streams, name, dated string) (store.Row, error) {
	in, err := address.OpenAny(ctx, s, name)
	if err != nil {
		return store.Row{}, err
	}
	defer in.Close()
	size := &counted{r: in}
	row := store.Row{Path: name}
	if row.Info, err = session.ScanInfo(size); err != nil {
		return row, err
	}
	row.Size = size.n
	fi, err := os.Stat(dated)
	if err != nil {
		return row, disk.Cause(err)
	}
	if row.ModTime = fi.ModTime(); row.Modified.IsZero() {
		row.Modified = row.ModTime
	}
	return row, nil
}

// A counted reader counts bytes.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

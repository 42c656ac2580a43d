package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/pkg/jsonl"
)

type config struct {
	sessions                      selection.Selection
	out                           string
	only                          []string // the tables, none for all
	content, redact, prune, views bool
}

func (c *config) flags() []cli.Flag {
	return slices.Concat(
		cli.Group("Sessions", append(c.sessions.Flags(), c.sessions.NoSelfFlag())...),
		cli.Group("Output",
			cli.String(&c.out, "output, o", "", "make the tables in `DIR`, and print the path of each file that was written"),
			cli.Strings(&c.only, "tables", "write only the tables `TABLE,TABLE` beside sessions: messages, calls, usage"),
			cli.Bool(&c.content, "content", "write what was said, too: texts, commands, paths and titles"),
			cli.Bool(&c.redact, "redact", "take secrets out of sessions, as sess-redact does"),
			cli.Bool(&c.prune, "prune", "remove the rows of sessions that are not selected"),
			cli.Bool(&c.views, "views", "print SQL that makes the tables and what is counted once views of DuckDB, and end"),
		),
	)
}

// check refuses flags that contradict each other or themselves.
func (c *config) check() error {
	switch {
	case c.out == "":
		return cli.UsageError("-o DIR is missing: where to write")
	case strings.Contains(c.out, "://"):
		return cli.WithHint(cli.UsageError("-o %s: it writes to directories alone", c.out),
			"write to a directory and copy it, such as with aws s3 sync DIR %s: only files that changed are new", c.out)
	}
	for _, name := range cli.Words(c.only) {
		if err := cli.RefuseUnknown("table", name, tableNames()); err != nil {
			return err
		}
	}
	return nil
}

// A marker is what the file says by which a directory is known to be one of ours.
type marker struct {
	Format  string   `json:"format"` // "sess-table"
	Version int      `json:"version"`
	Tables  []string `json:"tables"`
}

const (
	format     = "sess-table"
	markerName = "sess-table.json"
)

// open opens the directory, which it makes if there is none, and locks it.
func (c *config) open(s *cli.Streams) (t *tables, err error) {
	t = &tables{config: c, streams: s, dir: filepath.Clean(c.out)}
	names, err := os.ReadDir(t.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = os.MkdirAll(t.dir, 0o700)
	case err == nil && len(names) > 0:
		if _, missing := os.Lstat(filepath.Join(t.dir, markerName)); missing != nil {
			return nil, cli.UsageError("-o %s: the directory has other files and no %s: name one that is empty or does not exist", t.dir, markerName)
		}
	}
	if err != nil {
		return nil, err
	}
	if t.lock, err = os.OpenFile(filepath.Join(t.dir, markerName), os.O_RDWR|os.O_CREATE|disk.NoFollow, 0o600); err != nil {
		return nil, err
	}
	if err = t.begin(); err != nil {
		return nil, errors.Join(err, t.lock.Close())
	}
	return t, nil
}

// begin takes the lock, and reads the marker or writes it.
func (t *tables) begin() (err error) {
	if free, err := disk.Flock(t.lock); !free && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("%s: %w: another sess-table is writing", t.dir, jsonl.ErrLocked)
	}
	raw, err := io.ReadAll(io.LimitReader(t.lock, 1<<16))
	if err != nil {
		return err
	}
	only := cli.Words(t.only)
	if len(only) == 0 {
		only = tableNames()
	}
	t.names = slices.DeleteFunc(tableNames(), func(name string) bool { return name != sessionsTable && !slices.Contains(only, name) })
	var m marker
	switch {
	case len(raw) == 0:
		b, err := json.Marshal(marker{format, 1, t.names})
		if err == nil {
			_, err = t.lock.Write(append(b, '\n'))
		}
		if err != nil {
			return err
		}
	case json.Unmarshal(raw, &m) != nil || m.Format != format:
		return cli.UsageError("%s: it is none of sess-table", t.lock.Name())
	case m.Version != 1:
		return cli.UsageError("%s: version %d is newer than this program", t.lock.Name(), m.Version)
	case len(t.only) > 0 && !slices.Equal(m.Tables, t.names):
		return cli.UsageError("--tables: the directory has %s, and goes on with them: name another one", strings.Join(m.Tables, ","))
	default:
		t.names = m.Tables
	}
	t.prices, err = prices.Builtin()
	t.reader = fmt.Sprintf("%s rows %d", cli.Version(), rowRules)
	return err
}

// bringUpToDate writes the days that are stale.
func (t *tables) bringUpToDate(ctx context.Context, found selection.Found) error {
	if err := t.load(); err != nil {
		return err
	}
	items, err := t.look(ctx, found)
	if err != nil {
		return err
	}
	t.merge(items)
	days := t.stale()
	for _, day := range days {
		if err := t.write(ctx, day); err != nil {
			return fmt.Errorf("writing the day %s: %w", day, err)
		}
	}
	if err := t.save(items); err != nil {
		return err
	}
	err = errors.Join(found.Failed, t.streams.Unread(t.failed, len(found.List), cli.ExitMalformed))
	if err == nil && len(days) == 0 {
		return cli.No("")
	}
	return err
}

//go:embed views.sql
var viewsSQL string

// printViews prints the SQL of the views.
func (c *config) printViews(s *cli.Streams, operands []string) error {
	if len(operands) > 0 {
		return cli.UsageError("unexpected operand %q", operands[0])
	}
	for _, table := range tableNames() {
		pattern := strings.ReplaceAll(filepath.ToSlash(filepath.Join(escapeGlob(c.out), table, "*", "*.parquet")), "'", "''")
		if _, err := fmt.Fprintf(s.Out, "create view %s as select * from read_parquet('%s', hive_partitioning=true, hive_types_autocast=false);\n", table, pattern); err != nil {
			return err
		}
	}
	_, err := io.WriteString(s.Out, viewsSQL)
	return err
}

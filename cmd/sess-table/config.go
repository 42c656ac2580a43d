package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket/s3"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/pkg/jsonl"
)

type config struct {
	sessions                      selection.Selection
	out                           string
	only                          []string // the tables, none for all
	content, redact, prune, views bool
	rules                         *rules.Rules  // of --redact, nil: secrets stay
	timeout                       time.Duration // without a word of the bucket
	bucket                        *s3.Config    // that out names, nil for a directory
	now                           func() time.Time
}

func (c *config) flags() []cli.Flag {
	return slices.Concat(
		cli.Group("Sessions", c.sessions.Flags(selection.AllBelow, selection.Agent, selection.Since)...),
		cli.Group("Output",
			cli.String(&c.out, "output, o", "", "write tables to `DIR`, and print the path of each written file; s3://BUCKET[/PREFIX] is a bucket"),
			cli.Strings(&c.only, "tables", "write only the tables `TABLE,TABLE` and sessions: messages, calls, usage"),
			cli.Bool(&c.content, "content", "also write texts, commands, paths and titles"),
			cli.Bool(&c.redact, "redact", "take secrets out of sessions, as sess-redact does"),
			cli.Bool(&c.prune, "prune", "remove the rows of sessions that are not selected"),
			cli.Bool(&c.views, "views", "print SQL that defines views for DuckDB, and end"),
			cli.Variable("SESS_TIMEOUT", cli.Duration(&c.timeout, "timeout", s3.DefaultTimeout, "give up after `DURATION` without an answer from the bucket")),
		),
	)
}

// check refuses flags that contradict each other or themselves.
func (c *config) check() error {
	scheme, _, remote := strings.Cut(c.out, "://")
	switch {
	case c.out == "":
		return cli.UsageError("-o DIR is missing: where to write")
	case c.timeout <= 0:
		return cli.UsageError("the variable SESS_TIMEOUT is %v: want more than 0", c.timeout)
	case !remote:
	case !s3.IsBucket(c.out):
		return cli.UsageError("-o %s://: it writes to directories and to s3://BUCKET[/PREFIX]", scheme)
	default:
		u, err := s3.URL(c.out)
		if err != nil {
			return err
		}
		b, err := s3.ConfigOf(u)
		if err != nil {
			return err
		}
		b.Timeout, c.bucket = c.timeout, &b
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

// prepare returns the tables in the directory or the bucket, which may not be there yet, with their mark.
func (c *config) prepare(s *cli.Streams) (t *tables, err error) {
	t = &tables{config: c, streams: s, dir: filepath.Clean(c.out), place: directory{}}
	if c.bucket != nil {
		if t.store, err = openStore(*c.bucket, s.Warnf); err != nil {
			return nil, err
		}
		t.dir, t.place = t.store.dir, t.store
	}
	t.mark = loadMark(t.dir)
	return t, nil
}

// open opens the directory, which it makes if there is none, or the bucket, and locks its files on this machine.
func (t *tables) open(ctx context.Context) (err error) {
	if t.store == nil {
		if err := makeOwn(t.dir); err != nil {
			return err
		}
	}
	if t.lock, err = os.OpenFile(filepath.Join(t.dir, markerName), os.O_RDWR|os.O_CREATE|disk.NoFollow, 0o600); err != nil {
		return err
	}
	fi, err := t.lock.Stat()
	if err == nil {
		err = disk.Regular(fi) // a FIFO would be waited for
	}
	if err != nil {
		return errors.Join(fmt.Errorf("opening %s: %w", t.lock.Name(), err), t.lock.Close())
	}
	if err = t.begin(ctx); err != nil {
		return errors.Join(err, t.lock.Close())
	}
	return nil
}

// makeOwn makes a directory, and refuses one with the files of others.
func makeOwn(dir string) error {
	names, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = os.MkdirAll(dir, 0o700)
	case err == nil && len(names) > 0:
		if _, missing := os.Lstat(filepath.Join(dir, markerName)); missing != nil {
			return cli.UsageError("-o %s: the directory has other files and no %s: name one that is empty or does not exist", dir, markerName)
		}
	}
	return err
}

// name is that of the directory or the bucket.
func (t *tables) name() string {
	if t.store != nil {
		return t.store.Name()
	}
	return t.dir
}

// readMarker reads the marker; none is empty.
func (t *tables) readMarker(ctx context.Context) ([]byte, error) {
	if t.store == nil {
		return io.ReadAll(io.LimitReader(t.lock, 1<<16))
	}
	t.store.tokens = t.lock
	return t.store.begin(ctx)
}

// writeMarker makes the marker, in a bucket when the first table is written.
func (t *tables) writeMarker(m marker) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if b = append(b, '\n'); t.store != nil {
		t.store.marker = b
		return nil
	}
	return disk.Write(t.lock, b)
}

// begin takes the lock, and reads the marker or writes it.
func (t *tables) begin(ctx context.Context) (err error) {
	if free, err := disk.Flock(t.lock); !free && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("%s: %w: another sess-table is writing", t.name(), jsonl.ErrLocked)
	}
	raw, err := t.readMarker(ctx)
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
		if err := t.writeMarker(marker{format, 1, t.names}); err != nil {
			return err
		}
	case json.Unmarshal(raw, &m) != nil || m.Format != format:
		return cli.UsageError("%s in %s: sess-table did not write it", markerName, t.name())
	case m.Version != 1:
		return cli.UsageError("%s in %s: version %d is newer than this program", markerName, t.name(), m.Version)
	case len(t.only) > 0 && !slices.Equal(m.Tables, t.names):
		return cli.UsageError("--tables: %s has %s, and keeps them: name another directory", t.name(), strings.Join(m.Tables, ","))
	default:
		t.names = m.Tables
	}
	t.prices, err = prices.Builtin()
	t.reader = fmt.Sprintf("%s rows %d", cli.Version(), rowRules)
	if t.rules != nil && t.rules.File != "" { // rows that were made by other rules may have what these take out
		t.reader += " rules " + t.rules.Digest()
	}
	return err
}

// bringUpToDate writes the days that are stale. The error is errStale if a mark does not say enough to tell those of what was found.
func (t *tables) bringUpToDate(ctx context.Context) error {
	items, told, err := t.compare(ctx)
	if err != nil {
		return err
	}
	if err := t.refuseSecrets(); err != nil {
		return err
	}
	days := t.stale()
	if t.store != nil && len(days) > 0 {
		defer t.store.release(ctx)
		if err := t.store.hold(ctx); err != nil {
			return err
		}
		err := t.store.list(ctx) // another machine may have written meanwhile
		if err == nil {
			err = t.load(ctx)
		}
		if err != nil {
			return err
		}
		if parts, err := t.parts(); t.days != nil && (err != nil || !maps.Equal(parts, t.mark.head.Parts)) {
			return errStale
		}
		days = t.stale()
	}
	for _, day := range days {
		if err := t.write(ctx, day); err != nil {
			return fmt.Errorf("writing the day %s: %w", day, err)
		}
	}
	if err := t.save(items); err != nil {
		return err
	}
	if !told { // what was told is told each time
		t.keepMark(items)
	}
	err = errors.Join(t.sought.Failed, t.streams.Unread(t.failed, len(t.sought.List), cli.ExitMalformed))
	if err == nil && len(days) == 0 {
		return cli.No("")
	}
	return err
}

// compare looks at the sessions that were found, and reads what the table of sessions has of them: by a mark of their days, else of all.
// It reports whether it told of copies.
func (t *tables) compare(ctx context.Context) (items []*item, told bool, err error) {
	t.days, t.stamps, t.failed = nil, nil, 0
	if len(t.mark.raw) == 0 {
		if t.store != nil {
			err = t.store.list(ctx)
		} else if t.stamps, err = t.parts(); err != nil {
			return nil, false, err
		}
		if err == nil {
			err = t.load(ctx)
		}
		if err == nil {
			items, err = t.look(ctx)
		}
		return items, err == nil && t.merge(items), err
	}
	switch fits, err := t.fits(ctx); {
	case err != nil:
		return nil, false, err
	case !fits:
		return nil, false, errStale
	}
	t.days, t.stamps, t.have = map[string]bool{}, maps.Clone(t.mark.head.Parts), nil
	if len(t.sought.List) == 0 {
		return nil, false, nil
	}
	if items, err = t.look(ctx); err != nil {
		return nil, false, err
	}
	for _, it := range items {
		t.days[dayOf(it.header)] = true
	}
	if err := t.load(ctx); err != nil {
		return nil, false, err
	}
	for i, it := range items {
		if r, ok := t.have[dayOf(it.header)][it.header.ID]; it.unread && ok && r.Size == it.size { // it may be as it was
			items[i] = t.item(ctx, it.src, nil)
			if err := items[i].err; err != nil {
				t.fail(items[i], err)
			}
		}
	}
	items = slices.DeleteFunc(items, func(it *item) bool { return it.err != nil })
	if !t.placed(items) {
		return nil, false, errStale
	}
	return items, t.merge(items), nil
}

//go:embed views.sql
var viewsSQL string

// writers ends the place of the tables of several writers, each in a directory writer=NAME. A session counts as the writer has it that has
// most of its lines.
const writers = "writer=*"

// printViews prints the SQL of the views.
func (c *config) printViews(s *cli.Streams, operands []string) error {
	if len(operands) > 0 {
		return cli.UsageError("unexpected operand %q", operands[0])
	}
	out := filepath.ToSlash(filepath.Clean(c.out))
	if c.bucket != nil {
		out = addressOf(c.bucket)
	}
	place, several := strings.CutSuffix(out, "/"+writers)
	place = escapeGlob(place)
	if several {
		place += "/" + writers
	}
	for _, table := range tableNames() {
		pattern := strings.ReplaceAll(place+"/"+table+"/*/*.parquet", "'", "''")
		rows := fmt.Sprintf("select * from read_parquet('%s', hive_partitioning=true, hive_types_autocast=false)", pattern)
		switch {
		case several && table == sessionsTable:
			rows += " qualify row_number() over (partition by session order by lines desc, size desc, writer) = 1"
		case several:
			rows = fmt.Sprintf("select * from (%s) where (session, writer) in (select (session, writer) from %s)", rows, sessionsTable)
		}
		if _, err := fmt.Fprintf(s.Out, "create view %s as %s;\n", table, rows); err != nil {
			return err
		}
	}
	_, err := io.WriteString(s.Out, viewsSQL)
	return err
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
all: take the sessions of every project
agent: only sessions of the agents NAME,NAME
output: write tables to DIR, or to s3://BUCKET
content: also write texts
redact
views: print SQL that defines views for DuckDB
`

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/pkg/session"
)

// The tables. The one of sessions is written last: it says what the others have.
const (
	sessionsTable = "sessions"
	messagesTable = "messages"
	callsTable    = "calls"
	usageTable    = "usage"
)

func tableNames() []string { return []string{sessionsTable, messagesTable, callsTable, usageTable} }

// What parts are called, and the day of sessions without a time.
const (
	partName = "part.parquet"
	noDay    = "unknown"
)

// tables are those of a directory or a bucket.
type tables struct {
	*config
	streams *cli.Streams
	dir     string   // of a bucket, the copy on this machine
	place   place    // where the files are
	store   *store   // the same, if it is a bucket
	lock    *os.File // the marker; of a bucket an empty one in the copy
	names   []string // of the tables there
	prices  *prices.Table
	reader  string // the value of the column of that name

	mark     *mark
	sought   selection.Found // the sessions to look at
	news     selection.News
	markable bool              // a mark can be made of this run
	stamps   map[string]string // of the parts of a directory, as this run has found or written them
	days     map[string]bool   // those that a run with a mark looks at, nil for all

	have   map[string]map[string]hadRow // that are there, by day and id
	found  map[string]*item             // what was found, by id
	failed int                          // sessions that could not be read
}

// dayOf returns the day that the rows of a session stand in: that on which it was begun, so it never moves.
func dayOf(h session.Header) string {
	if at := known(parsed(h)); at != nil {
		return time.UnixMilli(*at).UTC().Format(time.DateOnly)
	}
	return noDay
}

// badPart is the error of a file that no table is in.
func badPart(path string, err error) error {
	return cli.WithHint(fmt.Errorf("%s: %w", path, err), "remove the day's directory in each table: the next run writes it anew")
}

func (t *tables) path(table, day string) string {
	return filepath.Join(t.dir, table, "day="+day, partName)
}

// dayIn returns the day that the path of a part has.
func dayIn(path string) string { return strings.TrimPrefix(filepath.Base(filepath.Dir(path)), "day=") }

// load reads the table of sessions, of some days if the run has such, and removes the temporary files of a run that was killed.
func (t *tables) load(ctx context.Context) error {
	if t.store != nil {
		if err := t.store.mirror(ctx, t.days); err != nil {
			return err
		}
	}
	t.have = map[string]map[string]hadRow{}
	left, err := filepath.Glob(filepath.Join(escapeGlob(t.dir), "*", "day=*", "."+partName+".*"))
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := disk.Discard(disk.OS{}, path); err != nil {
			return err
		}
	}
	paths, err := filepath.Glob(filepath.Join(escapeGlob(t.dir), sessionsTable, "day=*", partName))
	if err != nil {
		return err
	}
	for _, path := range paths {
		day := dayIn(path)
		if t.days != nil && !t.days[day] {
			continue
		}
		all, err := readSessions(path)
		if err != nil {
			return err
		}
		t.have[day] = make(map[string]hadRow, len(all))
		for _, r := range all {
			if r.Reader == t.reader {
				r.Reader = t.reader // one text for all
			}
			t.have[day][r.Session] = r
		}
	}
	parts, err := t.parts()
	if err != nil && !errors.Is(err, errStale) {
		return err
	}
	for name := range parts { // rows of a day whose table of sessions was lost are of no session
		if day := dayIn(name); t.days == nil && t.have[day] == nil {
			t.have[day] = map[string]hadRow{}
		}
	}
	return t.whole()
}

func readSessions(path string) (all []hadRow, err error) {
	f, err := openTable(path)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil {
		all, err = parquet.Read[hadRow](f, fi.Size())
	}
	if err = disk.Closing(f, err); err != nil {
		return nil, badPart(path, err)
	}
	return all, nil
}

// whole returns an error if another program has damaged a part of the other tables, which is read only when its day changes. Those of a
// bucket are not here.
func (t *tables) whole() error {
	if t.store != nil {
		return nil
	}
	for day := range t.have {
		for _, table := range t.names {
			f, err := openTable(t.path(table, day))
			if err == nil {
				err = f.Close()
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// escapeGlob returns a pattern that matches a path alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// texts reports whether a row that stays may keep its texts.
func (t *tables) texts(r hadRow) bool {
	return r.Content && t.content && (r.Redacted || !t.redact && t.store == nil)
}

// stale returns the days to write, in their order.
func (t *tables) stale() (days []string) {
	all := map[string]bool{}
	for _, it := range t.found {
		day := dayOf(it.header)
		r, ok := t.have[day][it.header.ID]
		if !ok || !t.current(r, it) {
			all[day] = true
		}
	}
	for day, have := range t.have {
		for id, r := range have {
			it := t.found[id]
			if it != nil && dayOf(it.header) != day || it == nil && (t.prunes() || r.Content && !t.texts(r)) {
				all[day] = true
			}
		}
		if !t.entire(day) {
			all[day] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// prunes reports whether the rows of sessions go that were not found. Those that a mark left out are there.
func (t *tables) prunes() bool { return t.prune && t.days == nil }

// secret reports whether the rows of a session may not leave.
func (t *tables) secret(redacted bool) bool {
	return t.store != nil && t.content && !t.redact && !redacted
}

// refuseSecrets refuses texts for a bucket of sessions that have their secrets.
func (t *tables) refuseSecrets() error {
	var first *item
	n := 0
	for _, it := range t.found {
		if t.secret(it.header.IsRedacted()) {
			if n++; first == nil || it.src.Name < first.src.Name {
				first = it
			}
		}
	}
	if n == 0 {
		return nil
	}
	return cli.WithHint(cli.UsageError("--content: %s may have secrets, and so may %d more: a bucket gets none", first.src.Label(), n-1),
		"--redact takes them out")
}

// write writes a day anew: the rows of the sessions that were found, and of those that were there before.
func (t *tables) write(ctx context.Context, day string) (err error) {
	ids := slices.Collect(maps.Keys(t.have[day]))
	for id, it := range t.found {
		if _, ok := t.have[day][id]; !ok && dayOf(it.header) == day {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	d, err := t.openDay(day)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.discard())
		}
	}()
	for next := range t.readDay(ctx, day, ids) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.take(ctx, t, day, next); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.publish(ctx, t)
}

// A reading is what came of reading a session again.
type reading struct {
	id   string
	rows *rows // nil if the rows that are there stay
	gone bool  // nothing stays
}

// readDay reads the sessions of a day, some at once, and yields them in the order of their ids.
func (t *tables) readDay(ctx context.Context, day string, ids []string) iter.Seq[reading] {
	type result struct {
		reading
		err error
	}
	entire := t.entire(day)
	read := func(ctx context.Context, id string) (r result) {
		it := t.found[id]
		old, was := t.have[day][id]
		switch r.id = id; {
		case it == nil:
			r.gone = t.prunes()
			return r
		case dayOf(it.header) != day: // its header was changed
			r.gone = true
			return r
		case was && entire && t.current(old, it): // its rows stay
			return r
		}
		of, err := t.reads(ctx, day, it)
		if err == nil && of.session.Session != id {
			err = fmt.Errorf("%s: it became another session meanwhile: run sess-table again", it.src.Label())
		}
		if err == nil && t.secret(of.session.Redacted) {
			err = fmt.Errorf("%s: it has its secrets again: run sess-table again", it.src.Label())
		}
		if r.err = err; err == nil {
			r.rows = &of
		}
		return r
	}
	return func(yield func(reading) bool) {
		for r := range parallel.Map(ctx, runtime.GOMAXPROCS(0), slices.Values(ids), read) {
			if r.err != nil && ctx.Err() == nil {
				t.fail(t.found[r.id], r.err)
			}
			if !yield(r.reading) {
				return
			}
		}
	}
}

// fail takes note of a session that could not be read.
func (t *tables) fail(it *item, err error) {
	it.err = err
	t.mark.owe(it)
	t.failed++
	t.streams.Warn(cli.Unseen, "%v", err)
}

// A dayParts are the parts of a day; those of tables that are not wanted are nil.
type dayParts struct {
	sessions *part[sessionRow]
	messages *part[messageRow]
	calls    *part[callRow]
	usage    *part[usageRow]
}

func (t *tables) openDay(day string) (*dayParts, error) {
	d := &dayParts{}
	var errs []error
	for _, table := range t.names {
		path := t.path(table, day)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			switch table {
			case sessionsTable:
				d.sessions, err = openPart[sessionRow](path, t.place)
			case messagesTable:
				d.messages, err = openPart[messageRow](path, t.place)
			case callsTable:
				d.calls, err = openPart[callRow](path, t.place)
			case usageTable:
				d.usage, err = openPart[usageRow](path, t.place)
			}
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, d.discard())
	}
	return d, nil
}

// take writes the rows of a session.
func (d *dayParts) take(ctx context.Context, t *tables, day string, r reading) error {
	old, was := t.have[day][r.id]
	switch {
	case r.rows != nil:
		return errors.Join(added(d.messages, r.rows.messages), added(d.calls, r.rows.calls), added(d.usage, r.rows.usage),
			added(d.sessions, []sessionRow{r.rows.session}))
	case r.gone || !was:
		return nil
	}
	bare := !t.texts(old)
	return errors.Join(kept(ctx, d.messages, r.id, bare), kept(ctx, d.calls, r.id, bare), kept(ctx, d.usage, r.id, bare), kept(ctx, d.sessions, r.id, bare))
}

func added[T row[T]](p *part[T], all []T) error {
	if p == nil {
		return nil
	}
	return p.add(all)
}

func kept[T row[T]](ctx context.Context, p *part[T], id string, bare bool) error {
	if p == nil {
		return nil
	}
	return p.keep(ctx, id, bare)
}

// An ending is a part that was written.
type ending interface {
	finish() error
	publish(ctx context.Context) (name string, err error)
	discard() error
}

// parts are those that are there, the one of sessions last.
func (d *dayParts) parts() (all []ending) {
	if d.messages != nil {
		all = append(all, d.messages)
	}
	if d.calls != nil {
		all = append(all, d.calls)
	}
	if d.usage != nil {
		all = append(all, d.usage)
	}
	if d.sessions != nil {
		all = append(all, d.sessions)
	}
	return all
}

// publish gives the parts their names, once all are durable, and prints these.
func (d *dayParts) publish(ctx context.Context, t *tables) error {
	for _, p := range d.parts() {
		if err := p.finish(); err != nil {
			return err
		}
	}
	if t.store != nil {
		if err := t.store.confirm(ctx); err != nil {
			return err
		}
	}
	for _, p := range d.parts() {
		name, err := p.publish(ctx)
		if err != nil {
			return err
		}
		if t.stamps != nil {
			if err := t.stat(t.stamps, name); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintln(t.streams.Out, name); err != nil {
			return err
		}
	}
	return nil
}

func (d *dayParts) discard() error {
	var errs []error
	for _, p := range d.parts() {
		errs = append(errs, p.discard())
	}
	return errors.Join(errs...)
}

// newest orders items of one session: the one with most bytes first, then by name.
func newest(a, b *item) int {
	return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.src.Name, b.src.Name))
}

// merge takes the items, one for each session, and warns of others. It reports whether there were any.
func (t *tables) merge(items []*item) (told bool) {
	slices.SortStableFunc(items, newest)
	t.found = map[string]*item{}
	tally := t.streams.Tally(cli.Unseen)
	for _, it := range items {
		id := it.header.ID
		switch first, ok := t.found[id]; {
		case !ok:
			t.found[id] = it
		case first.sum != it.sum:
			told = true
			tally.Warnf("other copies of sessions", "%s: left out, a copy of session %s: %s has more", it.src.Label(), id, first.src.Label())
		}
	}
	tally.More("", "")
	return told
}

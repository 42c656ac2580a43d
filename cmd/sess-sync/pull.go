package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/share/replica"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

var pullCommand = command("pull", "[SESSION...]", "append to sessions what the remote has more, and print their paths",
	`sess-sync pull s.jsonl
sess-sync pull 01a1fc13-4173-73d3-8273-e3e1ca1285c1
sess-sync pull -a --since 7d
sess-sync pull --follow s.jsonl`,
	func(c *config) []cli.Flag {
		return append(c.changes(),
			cli.String(&c.since, "since", "", "only sessions made in the month since `WHEN`: 90m, 12h, 7d, 2w, a date or a time"),
			cli.Bool(&c.follow, "follow", "do not end; look again from time to time"))
	},
	(*config).pull)

// A target is a session to pull.
type target struct {
	path string // of its file; "" if there is none yet
	key  string // "" for one that is named by its file
	name string // for messages
	told bool   // it is said to be there, by a journal and not by a listing
}

func (c *config) pull(ctx context.Context, s *cli.Streams, l remote.Log, operands []string) error {
	if err := c.chosen(operands); err != nil {
		return err
	}
	if c.since != "" && !c.all {
		return cli.UsageError("--since goes with --all")
	}
	if c.follow && c.dryRun {
		return cli.UsageError("--follow and --dry-run contradict each other")
	}
	since, err := listing.When(c.since, time.Now())
	if err != nil {
		return cli.UsageError("--since: %v", err)
	}
	err = c.pullOnce(ctx, s, l, operands, since)
	for c.follow && (err == nil || cli.Status(err) == cli.ExitNo) {
		if err = c.rest(ctx, err != nil); err == nil {
			err = c.pullOnce(ctx, s, l, operands, since)
		}
	}
	return err
}

// The time between two looks grows as long as there is nothing.
const (
	leastRest = time.Second
	mostRest  = 30 * time.Second
)

// rest waits until it is time to look again.
func (c *config) rest(ctx context.Context, idle bool) error {
	if !idle || c.idle == 0 {
		c.idle = leastRest
	}
	t := time.NewTimer(c.idle)
	defer t.Stop()
	c.idle = min(2*c.idle, mostRest)
	select {
	case <-ctx.Done():
	case <-t.C:
	}
	return ctx.Err()
}

func (c *config) pullOnce(ctx context.Context, s *cli.Streams, l remote.Log, operands []string, since time.Time) error {
	var r *round
	if c.all && since.IsZero() {
		var err error
		if r, err = c.begin(ctx, l, "pull"); err != nil {
			return err
		}
	}
	targets, listing, lerr := c.targets(ctx, s, l, r, operands, since)
	if lerr != nil && len(targets) == 0 {
		return lerr
	}
	o := c.options(s, l)
	o.Listing = listing
	results, err := each(ctx, s, targets, func(ctx context.Context, t target, moved func(int)) (pulled, error) {
		o := o
		o.Moved = moved
		p, err := pullTarget(ctx, t, o)
		if r != nil {
			r.done(p.path, t.key, err)
		}
		return p, named(err, t.name, l)
	}, func(t target, p pulled) { c.say(s, t.name, p.Result) })
	if r != nil {
		r.end(ctx, s)
	}
	var plain []replica.Result
	for _, p := range results {
		plain = append(plain, p.Result)
		if p.Nothing() || p.path == "" {
			continue
		}
		if _, err := fmt.Fprintln(s.Out, p.path); err != nil {
			return err
		}
	}
	if ferr := s.Flush(); ferr != nil {
		return ferr
	}
	return c.conclude(plain, errors.Join(err, lerr), "nothing to pull")
}

// A pulled session has a path, but not in a dry run.
type pulled struct {
	replica.Result
	path string
}

func pullTarget(ctx context.Context, t target, o replica.Options) (p pulled, err error) {
	if t.path != "" {
		p.path = t.path
		p.Result, err = replica.Pull(ctx, t.path, o)
		return p, err
	}
	p.path, p.Result, err = replica.Fetch(ctx, t.key, o, create)
	if err == nil && p.N == 0 && !t.told {
		err = errors.New("no such session")
	}
	return p, err
}

// create makes the file of a session in the store.
func create(h session.Header, content io.WriterTo) (string, error) {
	dir, err := address.StoreDir()
	if err != nil {
		return "", err
	}
	path, err := store.Open(dir).Create(h.CWD, h.Timestamp, h.ID, content, true)
	if errors.Is(err, fs.ErrExist) {
		err = cli.WithHint(err, "an existing file is never overwritten: move it away")
	}
	return path, err
}

// targets returns the sessions that are named, or all in the remote, and what a listing says of them. The error is of
// those that could not be found; the others are returned with it.
func (c *config) targets(ctx context.Context, s *cli.Streams, l remote.Log, r *round, operands []string, since time.Time) ([]target, remote.Listing, error) {
	switch {
	case r != nil:
		return r.targets(ctx, s)
	case c.all:
		return c.every(ctx, s, l, since)
	}
	var list []target
	var errs []error
	for _, name := range operands {
		t, err := c.target(ctx, l, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, t)
	}
	known, _ := remote.List(ctx, l, len(list), nil)
	return list, known, errors.Join(errs...)
}

// target finds a session that is named: its file, or else the session in the remote.
func (c *config) target(ctx context.Context, l remote.Log, name string) (target, error) {
	path, err := c.file(ctx, name)
	if err == nil || !session.ValidSessionID(name) || errors.Is(err, store.ErrAmbiguous) || path != "" {
		return target{path: path, name: name}, err
	}
	id, err := resolve(ctx, l, name)
	return target{key: remote.KeyOf(id), name: id}, named(err, name, l)
}

// resolve returns the id of the session in the remote that has a name for its id, or for
// the beginning of its id.
func resolve(ctx context.Context, l remote.Log, name string) (string, error) {
	if !session.ValidSessionID(name) {
		return "", cli.UsageError("%q is no id of a session", name)
	}
	if there, err := l.Has(ctx, remote.KeyOf(name)); err != nil || there {
		return name, err
	}
	found := ""
	for card, err := range l.Cards(ctx, time.Time{}) {
		if err != nil {
			return "", err
		}
		id, ok := remote.IDOf(card.Key)
		if !ok { // it is too long to stand in the key
			read, _ := l.Card(ctx, card.Key, card.Month)
			id = read.ID
		}
		if len(name) < session.MinPrefix || !strings.HasPrefix(id, name) {
			continue
		}
		if found != "" && found != id {
			return "", fmt.Errorf("the id is ambiguous: %s, %s", found, id)
		}
		found = id
	}
	if found == "" {
		return "", errors.New("no such session, neither here nor there")
	}
	return found, nil
}

// targets returns the sessions of the remote that something came for, and those here that were written to; without a mark all that are listed,
// and those that are here and were there.
func (r *round) targets(ctx context.Context, s *cli.Streams) (list []target, known remote.Listing, err error) {
	files, err := r.files(ctx, s)
	if err != nil {
		return nil, known, err
	}
	if r.some && r.mark.Gone() { // a file that is gone is pulled again
		if err := r.all(ctx); err != nil {
			return nil, known, err
		}
		if files, err = r.files(ctx, s); err != nil {
			return nil, known, err
		}
	}
	keys := slices.Sorted(maps.Keys(r.news))
	if !r.some {
		if known, err = remote.List(ctx, r.log, math.MaxInt, nil); err != nil {
			return nil, known, fmt.Errorf("%s: %w", r.log.Name(), err)
		}
		r.mark.Listed(known)
		keys = known.Keys()
	}
	paths := map[string][]found{}
	for _, f := range files {
		paths[f.key] = append(paths[f.key], f)
	}
	there := map[string]bool{}
	for _, key := range keys {
		if there[key] = true; len(paths[key]) == 0 {
			list = append(list, target{key: key, name: nameOf(key), told: r.some})
		}
	}
	tally := cli.NewTally(s.Warnf)
	var one []found
	for _, f := range files {
		switch here := paths[f.key]; {
		case len(here) == 1:
			one = append(one, f)
		case f == here[0] && there[f.key]:
			twice(tally, here)
		}
	}
	if one, err = r.due(ctx, one, false); err != nil {
		return nil, known, err
	}
	for _, f := range one {
		if r.some || there[f.key] || replica.Shared(f.path, r.log.Name()) {
			list = append(list, target{path: f.path, key: f.key, name: f.path})
		} else {
			r.mark.Settle(f.path, f.key)
		}
	}
	slices.SortFunc(list, func(a, b target) int { return strings.Compare(a.key, b.key) })
	if r.some {
		known = r.listing(ctx, len(list), nil)
	}
	return list, known, nil
}

// every returns the sessions of the remote that have a card and were made since a time.
func (c *config) every(ctx context.Context, s *cli.Streams, l remote.Log, since time.Time) ([]target, remote.Listing, error) {
	rows, err := stored(ctx, s, nil)
	if err != nil {
		return nil, remote.Listing{}, err
	}
	keys, known, err := everyKey(ctx, l, since)
	if err != nil {
		return nil, known, fmt.Errorf("%s: %w", l.Name(), err)
	}
	paths := map[string][]found{}
	for _, r := range rows {
		key := remote.KeyOf(r.ID)
		paths[key] = append(paths[key], found{r.Path, key})
	}
	tally := cli.NewTally(s.Warnf)
	var list []target
	for _, key := range keys {
		switch here := paths[key]; len(here) {
		case 0:
			list = append(list, target{key: key, name: nameOf(key)})
		case 1:
			list = append(list, target{path: here[0].path, key: key, name: here[0].path})
		default:
			twice(tally, here)
		}
	}
	return list, known, nil
}

// twice tells of files of one session.
func twice(tally *cli.Tally, files []found) {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.path)
	}
	tally.Warnf("twice", "%s: several files have this id, and none is pulled: %s", nameOf(files[0].key), strings.Join(paths, ", "))
}

// everyKey lists the sessions of the remote that were made since a time.
func everyKey(ctx context.Context, l remote.Log, since time.Time) (keys []string, known remote.Listing, err error) {
	for card, err := range l.Cards(ctx, since) {
		if err != nil {
			return nil, known, err
		}
		keys = append(keys, card.Key)
	}
	slices.Sort(keys) // a session may have cards in two months
	keys = slices.Compact(keys)
	known, _ = remote.List(ctx, l, len(keys), nil)
	return keys, known, nil
}

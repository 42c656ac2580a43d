package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	key  string // if there is none
	name string // for messages
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
	targets, listing, lerr := c.targets(ctx, s, l, operands, since)
	if lerr != nil && len(targets) == 0 {
		return lerr
	}
	o := c.options(s, l)
	o.Listing = listing
	results, err := each(ctx, s, targets, func(ctx context.Context, t target, moved func(int)) (pulled, error) {
		o := o
		o.Moved = moved
		p, err := pullTarget(ctx, t, o)
		return p, named(err, t.name, l)
	}, func(t target, p pulled) { c.say(s, t.name, p.Result) })
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
	if err == nil && p.N == 0 {
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
func (c *config) targets(ctx context.Context, s *cli.Streams, l remote.Log, operands []string, since time.Time) ([]target, remote.Listing, error) {
	if c.all {
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

// every returns all sessions of the remote: since a time those that have a card, else all that are listed, and those that
// are here and were there.
func (c *config) every(ctx context.Context, s *cli.Streams, l remote.Log, since time.Time) ([]target, remote.Listing, error) {
	rows, err := stored(ctx, s)
	if err != nil {
		return nil, remote.Listing{}, err
	}
	keys, known, err := everyKey(ctx, l, since)
	if err != nil {
		return nil, known, fmt.Errorf("%s: %w", l.Name(), err)
	}
	there := map[string]bool{}
	for _, key := range keys {
		there[key] = true
	}
	paths := map[string][]string{}
	for _, r := range rows {
		key := remote.KeyOf(r.ID)
		if paths[key] = append(paths[key], r.Path); !there[key] && since.IsZero() && replica.Shared(r.Path, l.Name()) {
			keys, there[key] = append(keys, key), true
		}
	}
	tally := cli.NewTally(s.Warnf)
	var list []target
	for _, key := range keys {
		switch here := paths[key]; len(here) {
		case 0:
			list = append(list, target{key: key, name: nameOf(key)})
		case 1:
			list = append(list, target{path: here[0], name: here[0]})
		default:
			tally.Warnf("twice", "%s: several files have this id, and none is pulled: %s", nameOf(key), strings.Join(here, ", "))
		}
	}
	return list, known, nil
}

// everyKey lists the sessions of the remote that were made since a time.
func everyKey(ctx context.Context, l remote.Log, since time.Time) (keys []string, known remote.Listing, err error) {
	if since.IsZero() {
		known, err = remote.List(ctx, l, math.MaxInt, nil)
		return known.Keys(), known, err
	}
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

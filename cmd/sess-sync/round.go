package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/share/replica"
)

// A round is a push or pull of all sessions. By its mark it looks at those alone that something was written to, here or there.
type round struct {
	*config
	log  remote.Log
	mark *replica.Mark
	news map[string]uint64 // by key, the last part that came
	some bool              // the others need not be looked at

	failed atomic.Int64 // sessions
}

// begin asks what came to the remote since the last round in a direction.
func (c *config) begin(ctx context.Context, l remote.Log, direction string) (*round, error) {
	dir, err := address.StoreDir()
	if err != nil {
		return nil, err
	}
	r := &round{config: c, log: l, mark: replica.OpenMark(l.Name(), dir, direction, c.now)}
	if c.reseed {
		r.mark.Forget()
	}
	if r.news, r.some, err = r.mark.News(ctx, l); err != nil {
		return nil, fmt.Errorf("%s: %w", l.Name(), err)
	}
	return r, nil
}

// all goes back to looking at all sessions.
func (r *round) all(ctx context.Context) (err error) {
	r.mark.Forget()
	r.news, r.some, err = r.mark.News(ctx, r.log)
	return err
}

// A found is a file of the store that may have to be looked at.
type found struct{ path, key string }

// files returns the files of the store that are not as they were, with those that something came for. Without a mark they are all.
func (r *round) files(ctx context.Context, s *cli.Streams) (list []found, err error) {
	rows, err := stored(ctx, s, r.mark.Same)
	for _, row := range rows {
		list = append(list, found{row.Path, remote.KeyOf(row.ID)})
	}
	return r.beside(list), err
}

// beside adds the files to some that something came for, or that have the key of one of those.
func (r *round) beside(list []found) []found {
	keys := maps.Clone(r.news)
	for _, f := range list {
		keys[f.key] = max(keys[f.key], 0)
	}
	for key, paths := range r.mark.Paths(maps.Keys(keys)) {
		for _, path := range paths {
			list = append(list, found{path, key})
		}
	}
	slices.SortFunc(list, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return list
}

// due returns those of some files that the remote has to be asked for. A file that has what came is done with; a push wants it to
// have no more.
func (r *round) due(ctx context.Context, list []found, push bool) (due []found, err error) {
	if !r.some {
		return list, nil
	}
	next := 0
	for asked := range parallel.Map(ctx, workers, slices.Values(list), func(ctx context.Context, f found) bool {
		return !r.mark.Has(ctx, f.path, r.news[f.key], push)
	}) {
		if f := list[next]; asked {
			due = append(due, f)
		} else {
			r.mark.Settle(f.path, f.key)
		}
		next++
	}
	return due, ctx.Err()
}

// listing lists the remote for some sessions, if that is better than asking for each.
func (r *round) listing(ctx context.Context, count int, want func(key string) bool) remote.Listing {
	return r.mark.List(ctx, r.log, count, want)
}

// done notes how bringing a session up to date ended, whose file has a path.
func (r *round) done(path, key string, err error) {
	switch {
	case err != nil:
		r.failed.Add(1)
		r.mark.Owe(key)
	case path != "":
		r.mark.Settle(path, key)
	}
}

// end tells others what was written, and keeps the mark; not that of a round that was interrupted, which did not look at all that came.
func (r *round) end(ctx context.Context, s *cli.Streams) {
	if r.dryRun {
		return
	}
	if place := tell(ctx, s, r.log, r.mark.Place()); ctx.Err() == nil {
		r.mark.Save(ctx, place)
	}
}

// tellTime is how long an interrupted program goes on telling.
const tellTime = 5 * time.Second

// tell leaves word of what was written to the remote, and returns the place behind it. An interrupted push has written something, too.
func tell(ctx context.Context, s *cli.Streams, l remote.Log, at string) string {
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), tellTime)
		defer cancel()
	}
	next, err := l.Tell(ctx, at)
	if err != nil {
		s.Warnf("%s: the lines are in the remote, but its journal does not say so: %v; other machines find them within a day", l.Name(), err)
	}
	return next
}

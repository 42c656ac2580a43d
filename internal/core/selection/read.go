package selection

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// Reading counts what came of reading sessions.
type Reading struct {
	Sessions int // that were read
	failed   int
	all      int
	first    error
	found    error
	streams  *cli.Streams
}

// Err is why there may be more than was read: of one session that is its error, of several a
// number of those that could not be read, of which each was told.
func (r *Reading) Err() error {
	if r.all == 1 && r.first != nil {
		return r.first
	}
	return errors.Join(r.found, r.streams.Unread(r.failed, r.all, cli.ExitUsage))
}

// Read reads the sessions that were found whole, or what cut leaves of their lines if it is not nil, some at once, and yields the result of work for each, in their order.
// Those of another directory, and those of sub-agents that are not wanted, are left out. Err of the result says in the
// end which sessions were not read.
func Read[T any](ctx context.Context, s *cli.Streams, f Found, which Subagents, cut func(line string) string, work func(context.Context, Source, *address.Source) (T, error)) (iter.Seq[T], *Reading) {
	type result struct {
		of T
		ok bool
	}
	count := &Reading{all: len(f.List), found: f.Failed, streams: s}
	read := func(ctx context.Context, src Source) (r result, err error) {
		in, err := src.Open(ctx, s)
		if err != nil {
			return r, err
		}
		defer in.Close()
		whole, err := in.Cut(cut)
		if err != nil {
			return r, err
		}
		if err := src.Here(whole.Header); err != nil {
			return r, err
		}
		if which != WithSubagents && which != "" && !which.Takes(isSubagents(whole)) {
			return r, ErrNotHere
		}
		r.of, err = work(ctx, src, whole)
		r.ok = err == nil
		return r, err
	}
	return func(yield func(T) bool) {
		for r, err := range parallel.MapErr(ctx, 2*runtime.GOMAXPROCS(0), slices.Values(f.List), read) {
			switch {
			case errors.Is(err, ErrNotHere), ctx.Err() != nil:
				continue
			case err != nil:
				if count.failed++; count.first == nil {
					count.first = err
				}
				if count.all > 1 {
					s.Warn(cli.Unseen, "%v", err)
				}
				continue
			}
			if count.Sessions++; r.ok && !yield(r.of) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			count.found = err
		}
	}, count
}

// isSubagents reports whether a session is that of a sub-agent.
func isSubagents(whole *address.Source) bool {
	return store.ParentFile(whole.Path) != "" ||
		slices.ContainsFunc(whole.Entries, func(e session.Entry) bool { return IsSubagent(whole.Header, e) })
}

// StartedBy returns the session that started the agent whose session it is, by its path or id, "" if it is not that of a sub-agent.
func StartedBy(whole *address.Source) string {
	if file := store.ParentFile(whole.Path); file != "" {
		return file
	}
	if !isSubagents(whole) {
		return ""
	}
	return strings.Clone(whole.Header.ParentSession)
}

// WithAgents adds to sessions that are named those of the agents that they started, and that these started, as far as sess-ls finds them.
func (c Selection) WithAgents(ctx context.Context, s *cli.Streams, f Found) (Found, error) {
	from := map[string]bool{} // sessions by id and path
	var owners []string
	for _, src := range f.List {
		if !src.Named || src.Name == "-" {
			continue
		}
		in, err := src.Open(ctx, s)
		if err != nil {
			return f, err
		}
		h, err := session.ReadOrigin(in)
		if path := in.Path(); path != "" {
			from[path] = true
		}
		in.Close()
		if err != nil {
			return f, address.Locate(in.Name, err)
		}
		if from[h.ID] = true; !slices.Contains(owners, src.Owner()) {
			owners = append(owners, src.Owner())
		}
		if in.Path() == "" {
			continue
		}
		warn := func(path string, err error) { s.Warn(cli.Unseen, "%s: %v", path, err) }
		beside := &address.Neighbours{}
		for _, path := range store.Parts(in.Path(), warn) {
			f.add([]Source{{Name: path, Plain: true, beside: beside}})
		}
	}
	for _, owner := range owners {
		var all Found
		if err := (&Selection{Rows: true, All: true, Subagents: OnlySubagents}).listAgent(ctx, s, &all, owner, false, nil); err != nil && cli.Status(err) != cli.ExitNo {
			return f, err
		}
		for added := true; added; {
			added = false
			for _, src := range all.List {
				id, path := src.Row.Get("session").Str(), src.Row.Get("path").Str()
				if from[src.Row.Get("parent").Str()] && !from[id] {
					from[id], from[path], added = true, true, true
					f.add([]Source{src})
				}
			}
		}
	}
	return f.ready(s, c.Without(s)), nil
}

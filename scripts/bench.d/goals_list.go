package main

import (
	"context"
	"os"
	"path/filepath"
)

// listGoals are about many sessions.
func (b *bench) listGoals() []goal {
	name := "sess-ls, " + count(int64(b.sessions())) + " sessions"
	search, _, _ := b.search()
	return []goal{
		versus(b, name+" / pi 0.73 listAll (node)", 1./25, b.listing(func(dir string) (command, error) { return b.piListing(b.node, dir) })),
		versus(b, name+" / pi 0.73 listAll (bun)", 1./8, b.listing(func(dir string) (command, error) { return b.piListing(b.bun, dir) })),
		measured(b, name+" / "+search+" -c", 2.5, 64e6, b.counting),
		bound(b, name+" / reading and validating them", []string{"-valid"}, func(ctx context.Context) (command, []string, error) {
			dir, err := b.store(ctx)
			return b.listed(dir), []string{dir}, err
		}),
		measured(b, name+", usage sums / ccusage", 1./4, 64e6, b.usage),
	}
}

// listed lists the sessions of a store with exact counts.
func (b *bench) listed(dir string) command {
	return b.ours("sess-ls", "--all", "--exact", dir)
}

func (b *bench) listing(peer func(dir string) (command, error)) func(context.Context) (ours, theirs command, err error) {
	return func(ctx context.Context) (ours, theirs command, err error) {
		dir, err := b.store(ctx)
		if err != nil {
			return ours, theirs, err
		}
		theirs, err = peer(dir)
		return b.listed(dir), theirs, err
	}
}

func (b *bench) piListing(runtime func() (string, error), dir string) (command, error) {
	c, err := b.pi(runtime, "list")
	c.env = []string{"PI_CODING_AGENT_DIR=" + filepath.Dir(dir)}
	return c, err
}

// counting measures against a search for what is in every message.
func (b *bench) counting(ctx context.Context) (ours, peer command, err error) {
	return b.listing(func(dir string) (command, error) {
		_, _, count := b.search()
		return command{argv: append(count, "--", `"type":"message"`, dir)}, nil
	})(ctx)
}

// usage measures a listing with sums of usage.
func (b *bench) usage(ctx context.Context) (ours, peer command, err error) {
	ours, peer, err = b.listing(func(dir string) (command, error) {
		ccusage, err := b.ccusage()
		return command{argv: []string{ccusage, "pi", "session", "--offline", "--json", "--pi-path", dir}}, err
	})(ctx)
	ours.argv = append(ours.argv, "--usage")
	return ours, peer, err
}

// projects returns the directories of a store, the first n of them.
func projects(dir string, n int) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, n)
	for _, e := range entries[:min(n, len(entries))] {
		names = append(names, filepath.Join(dir, e.Name()))
	}
	return names, nil
}

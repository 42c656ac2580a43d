package main

import "context"

// statGoals are about adding up the usage of many sessions, on one core: the goal is the
// time of the processor.
func (b *bench) statGoals() []goal {
	name := "sess-stat, " + count(int64(b.sessions())) + " sessions"
	return []goal{
		measured(b, name+" / ccusage", 1./4, 64e6, b.stat(func(dir string) (command, error) {
			ccusage, err := b.ccusage()
			return command{argv: []string{ccusage, "pi", "daily", "--offline", "--json", "--pi-path", dir}}, err
		})),
		versus(b, name+" / sess-ls --usage", 2, b.stat(func(dir string) (command, error) {
			c := b.listed(dir)
			c.argv = append(c.argv, "--usage")
			return c, nil
		})),
		bound(b, name+" / reading them", nil, func(ctx context.Context) (ours command, operands []string, err error) {
			dir, err := b.store(ctx)
			ours = b.summed(dir)
			ours.pinned = true
			return ours, []string{dir}, err
		}),
	}
}

// summed adds up the usage of a store by days.
func (b *bench) summed(dir string) command {
	return b.ours("sess-stat", "--all", "--by", "day", "--json", dir)
}

// stat adds up the usage of a store by days.
func (b *bench) stat(peer func(dir string) (command, error)) func(context.Context) (ours, theirs command, err error) {
	return func(ctx context.Context) (ours, theirs command, err error) {
		dir, err := b.store(ctx)
		if err != nil {
			return ours, theirs, err
		}
		theirs, err = peer(dir)
		ours = b.summed(dir)
		ours.pinned, theirs.pinned = true, true
		return ours, theirs, err
	}
}

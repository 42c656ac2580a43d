package main

import (
	"context"
	"slices"
)

// goals are all goals, in the order of the table.
func (b *bench) goals() []goal {
	return slices.Concat(b.startGoals(), b.turnGoals(), b.recordGoals(), b.pathGoals(), b.mergeGoals(), b.walkGoals(), b.viewGoals(), b.listGoals(), b.statGoals(), b.grepGoals(), b.gitGoals(), b.redactGoals(), b.showGoals(), b.checkGoals(), b.coreGoals(), b.importGoals(), b.homeGoals(), b.agentGoals(), b.segGoals(), b.syncGoals(), b.packageGoals(), b.growthGoals())
}

// versus is the goal that the ratio of two commands is at most limit.
func versus(b *bench, name string, limit float64, sides func(context.Context) (ours, peer command, err error)) goal {
	return measured(b, name, limit, 0, sides)
}

// measured is versus with a limit for the memory that ours takes, in bytes; 0 stands
// for none.
func measured(b *bench, name string, limit float64, memory int64, sides func(context.Context) (ours, peer command, err error)) goal {
	return goal{name, func(ctx context.Context, name string) ([]row, error) {
		ours, peer, err := sides(ctx)
		if err != nil {
			return nil, err
		}
		c, err := b.compare(ctx, ours, peer)
		if err != nil {
			return nil, err
		}
		rows := []row{ratioRow(name, c, limit)}
		if memory > 0 {
			rows = append(rows, memoryRow(c.rss, memory))
		}
		return rows, nil
	}}
}

// reported is measured without a limit: nobody has asked for one.
func reported(b *bench, name string, sides func(context.Context) (ours, peer command, err error)) goal {
	of := versus(b, name, 0, sides)
	return goal{name, func(ctx context.Context, name string) ([]row, error) {
		rows, err := of.run(ctx, name)
		for i := range rows {
			rows[i].want, rows[i].met = noGoal, true
		}
		return rows, err
	}}
}

// bound reports what a tool takes beside the part of its work that cannot be left out, as
// bound/main.go does it.
func bound(b *bench, name string, flags []string, sides func(context.Context) (ours command, operands []string, err error)) goal {
	return reported(b, name, func(ctx context.Context) (ours, peer command, err error) {
		ours, operands, err := sides(ctx)
		peer = b.ours("bound", slices.Concat(flags, operands)...)
		peer.pinned = ours.pinned
		return ours, peer, err
	})
}

// cores is the goal that a second core makes a command 1.7 times as quick.
func cores(b *bench, name string, ours func(context.Context) (command, error)) goal {
	const least = 1.7
	return goal{"second core: " + name, func(ctx context.Context, name string) ([]row, error) {
		two, err := ours(ctx)
		if err != nil {
			return nil, err
		}
		one := two
		one.pinned, two.pinned = true, false
		c, err := b.compare(ctx, one, two)
		if err != nil {
			return nil, err
		}
		r := ratioRow(name, c, least)
		r.want, r.met = "≥ "+ratio(least), c.ratio >= least
		return []row{r}, nil
	}}
}

// part is the size of the large sessions divided by n, and its name.
func (b *bench) part(n int64) (int64, string) { return b.size / n, size(float64(b.size / n)) }

// adding appends a message to a session, and takes it away again.
func (b *bench) adding(s session) command {
	c := b.ours("sess-append", "--sync=never", "-t", "hello", s.file)
	c.after, c.check = s.restore, s.grown
	return c
}

// addingTo is adding to the linear session of a size.
func (b *bench) addingTo(ctx context.Context, size int64) (command, session, error) {
	s, err := b.session(ctx, linear, size)
	return b.adding(s), s, err
}

// startGoals are about what takes no time.
func (b *bench) startGoals() []goal {
	_, big := b.part(1)
	small, smallName := b.part(1000)
	half, halfName := b.part(2)
	return []goal{
		versus(b, "no-op tool / empty Go program", 1.6, func(context.Context) (ours, peer command, err error) {
			return b.ours("noop", "-t", "hello", "s.jsonl"), b.ours("empty"), nil
		}),
		versus(b, "sess-append "+big+" / no-op tool", 1.25, func(ctx context.Context) (ours, peer command, err error) {
			ours, _, err = b.addingTo(ctx, b.size)
			return ours, b.ours("noop", "-t", "hello", "s.jsonl"), err
		}),
		versus(b, "sess-append "+big+" / "+smallName, 1.1, func(ctx context.Context) (ours, peer command, err error) {
			if ours, _, err = b.addingTo(ctx, b.size); err == nil {
				peer, _, err = b.addingTo(ctx, small)
			}
			return ours, peer, err
		}),
		versus(b, "sess-append "+smallName+" / pi 0.73 (node)", 1./30, b.besidePi(small)),
		versus(b, "sess-append "+halfName+" / pi 0.73 (node)", 1./2000, func(ctx context.Context) (ours, peer command, err error) {
			if !b.full {
				return ours, peer, skip("takes 4 GB of memory for 500 MB; --full")
			}
			return b.besidePi(half)(ctx)
		}),
	}
}

// besidePi lets pi append to the same session as sess-append.
func (b *bench) besidePi(size int64) func(context.Context) (ours, peer command, err error) {
	return func(ctx context.Context) (ours, peer command, err error) {
		ours, s, err := b.addingTo(ctx, size)
		if err != nil {
			return ours, peer, err
		}
		peer, err = b.pi(b.node, "append", s.file)
		peer.after, peer.check = s.restore, s.grown
		return ours, peer, err
	}
}

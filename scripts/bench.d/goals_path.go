package main

import (
	"context"
	"fmt"
	"os"
)

// pathGoals are about copying a path, against cat.
func (b *bench) pathGoals() []goal {
	_, big := b.part(1)
	name := "sess-path " + big
	return []goal{
		measured(b, name+" → pipe / cat → pipe, one core", 0.8, 32e6, b.besideCat(linear, toPipe)),
		versus(b, name+" → /dev/null / cat", 2.5, b.besideCat(linear, toNull)),
		versus(b, name+" → file / cat", 1.8, b.besideCat(linear, toFile)),
		versus(b, name+" → /dev/null, cold cache / cat", 1.3, func(ctx context.Context) (ours, peer command, err error) {
			ours, peer, err = b.besideCat(linear, toNull)(ctx)
			cold := func() error { return chill(ours.argv[len(ours.argv)-1]) }
			ours.before, peer.before = cold, cold
			return ours, peer, err
		}),
		versus(b, name+", torn tail → pipe / cat → pipe, one core", 0.8, func(ctx context.Context) (ours, peer command, err error) {
			s, err := b.session(ctx, linear, b.size)
			if err != nil {
				return ours, peer, err
			}
			ours, peer, err = b.besideCat(linear, toPipe)(ctx)
			tear := func() error { return s.append(`{"type":"message","id":"0badcafe","parentId":"dead`) }
			ours.before, peer.before = tear, tear
			ours.after, peer.after = s.restore, s.restore
			return ours, peer, err
		}),
		versus(b, name+", 5 % off the path → pipe / cat → pipe, one core", 2.0, b.besideCat(branched, toPipe)),
	}
}

// besideCat lets cat copy the file that sess-path prints the path of. What goes
// through a pipe is pinned to one core, both ends.
func (b *bench) besideCat(kind string, to sink) func(context.Context) (ours, peer command, err error) {
	return func(ctx context.Context) (ours, peer command, err error) {
		cat, err := b.need("cat")
		if err != nil {
			return ours, peer, err
		}
		if _, err := b.need("taskset"); to == toPipe && err != nil {
			return ours, peer, err
		}
		s, err := b.session(ctx, kind, b.size)
		if err != nil {
			return ours, peer, err
		}
		ours, peer = b.ours("sess-path", s.file), command{argv: []string{cat, s.file}}
		ours.sink, peer.sink = to, to
		ours.pinned, peer.pinned = to == toPipe, to == toPipe
		if to == toFile && kind == linear {
			ours.check = func() error { return b.copied(s) }
		}
		return ours, peer, nil
	}
}

// copied says whether the output has the size of the session, as it must have if
// all of it is on the path.
func (b *bench) copied(s session) error {
	st, err := os.Stat(b.output())
	if err == nil && st.Size() != s.Bytes {
		err = fmt.Errorf("printed %d bytes of %d", st.Size(), s.Bytes)
	}
	return err
}

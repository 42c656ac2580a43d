package main

import "context"

// walkGoals are about reading as little as possible.
func (b *bench) walkGoals() []goal {
	_, big := b.part(1)
	small, smallName := b.part(1000)
	search, _, _ := b.search()
	noop := func() command { return b.ours("noop", "s.jsonl") }
	return []goal{
		versus(b, "sess-path --as messages after a compaction, "+big+" / no-op tool", 1.5, func(ctx context.Context) (ours, peer command, err error) {
			ours, err = b.view(ctx, compacted, b.size, "messages")
			return ours, noop(), err
		}),
		versus(b, "sess-path --as messages after a compaction, "+big+" / "+smallName, 1.1, func(ctx context.Context) (ours, peer command, err error) {
			if ours, err = b.view(ctx, compacted, b.size, "messages"); err == nil {
				peer, err = b.view(ctx, compacted, small, "messages")
			}
			return ours, peer, err
		}),
		versus(b, "sess-path --as context after a compaction, "+big+" / cat → /dev/null", 2.5, b.viewBesideCat("context")),
		versus(b, "sess-path --as state after a compaction, "+big+" / cat → /dev/null", 2.5, b.viewBesideCat("state")),
		versus(b, "sess-path --leaf ID half way, "+big+" → /dev/null / "+search+" -F", 1.5, b.half(toNull)),
		versus(b, "sess-path --leaf ID half way, "+big+" → pipe / "+search+" -F → pipe", 1.5, b.half(toPipe)),
		reported(b, "sess-path --leaf ID half way, "+big+" → /dev/null / cat of all of it", func(ctx context.Context) (ours, peer command, err error) {
			ours, peer, err = b.half(toNull)(ctx)
			peer.argv = []string{b.find("cat"), ours.argv[len(ours.argv)-1]}
			return ours, peer, err
		}),
	}
}

// half ends at an entry half way, beside a search that prints its line.
func (b *bench) half(to sink) func(context.Context) (ours, peer command, err error) {
	return func(ctx context.Context) (ours, peer command, err error) {
		s, err := b.session(ctx, linear, b.size)
		_, find, _ := b.search()
		ours, peer = b.ours("sess-path", "--leaf", s.Middle, s.file), command{argv: append(find, "--", s.Middle, s.file)}
		ours.sink, peer.sink = to, to
		return ours, peer, err
	}
}

// view prints a session in a form.
func (b *bench) view(ctx context.Context, kind string, size int64, form string) (command, error) {
	s, err := b.session(ctx, kind, size)
	return b.ours("sess-path", "--as", form, s.file), err
}

func (b *bench) viewBesideCat(form string) func(context.Context) (ours, peer command, err error) {
	return func(ctx context.Context) (ours, peer command, err error) {
		cat, err := b.need("cat")
		if err != nil {
			return ours, peer, err
		}
		if ours, err = b.view(ctx, compacted, b.size, form); err != nil {
			return ours, peer, err
		}
		return ours, command{argv: []string{cat, ours.argv[len(ours.argv)-1]}}, nil
	}
}

// planned is the number of entries sess-compact --plan is measured with.
func (b *bench) planned() int64 { return b.size / 10_000 }

// viewGoals are about interpreting what a path says.
func (b *bench) viewGoals() []goal {
	tenth, tenthName := b.part(10)
	return []goal{
		versus(b, "sess-path --as messages, "+tenthName+" / jq -c .", 1./12, func(ctx context.Context) (ours, peer command, err error) {
			jq, err := b.need("jq")
			if err != nil {
				return ours, peer, err
			}
			ours, err = b.view(ctx, linear, tenth, "messages")
			return ours, command{argv: []string{jq, "-c", ".", ours.argv[len(ours.argv)-1]}}, err
		}),
		versus(b, "sess-compact --plan, "+count(b.planned())+" entries / sess-path --as messages", 1.3, func(ctx context.Context) (ours, peer command, err error) {
			peer, err = b.view(ctx, short, b.planned(), "messages")
			return b.ours("sess-compact", "--plan", peer.argv[len(peer.argv)-1]), peer, err
		}),
	}
}

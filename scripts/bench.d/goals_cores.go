package main

import "context"

// coreGoals are about what a second core gains.
func (b *bench) coreGoals() []goal {
	_, big := b.part(1)
	tenth, tenthName := b.part(10)
	return []goal{
		cores(b, "sess-check "+big, func(ctx context.Context) (command, error) {
			s, err := b.session(ctx, linear, b.size)
			return b.ours("sess-check", s.file), err
		}),
		cores(b, "sess-ls, "+count(int64(b.sessions()))+" sessions", func(ctx context.Context) (command, error) {
			dir, err := b.store(ctx)
			return b.listed(dir), err
		}),
		cores(b, "sess-stat, "+count(int64(b.sessions()))+" sessions", func(ctx context.Context) (command, error) {
			dir, err := b.store(ctx)
			return b.summed(dir), err
		}),
		cores(b, "sess-path --as messages, "+tenthName, func(ctx context.Context) (command, error) {
			return b.view(ctx, linear, tenth, "messages")
		}),
	}
}

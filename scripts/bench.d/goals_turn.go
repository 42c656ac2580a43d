package main

import "context"

// turnGoals are about what a turn costs besides its command.
func (b *bench) turnGoals() []goal {
	const limit = 1.5
	return []goal{{"sess-turn around a command, less the command / no-op tool", func(ctx context.Context, name string) ([]row, error) {
		cat, err := b.need("cat")
		if err != nil {
			return nil, err
		}
		s, err := b.session(ctx, short, 10)
		if err != nil {
			return nil, err
		}
		turn := b.ours("sess-turn", "-t", "hello", s.file, "--", cat)
		turn.after, turn.check, turn.env = s.restore, s.grown, []string{"SESS_SYNC=never"}
		c, err := b.compare(ctx, turn, b.ours("noop", "-t", "hello", "s.jsonl"))
		if err != nil {
			return nil, err
		}
		alone, err := b.repeat(ctx, command{argv: []string{cat, "/dev/null"}})
		if err != nil {
			return nil, err
		}
		c.ours -= alone
		c.ratio = c.ours / c.peer
		rows := []row{ratioRow(name, c, limit)}
		started, err := b.repeat(ctx, b.ours("bound", "-run", cat, "/dev/null"))
		if err != nil {
			return rows, err
		}
		return append(rows, row{goal: "… a Go program that starts it and takes what it prints, less the command", ours: duration(started - alone), want: noGoal, met: true}), nil
	}}}
}

package main

import (
	"context"
	"fmt"
	"strings"
)

// maxExponent is what linear may look like.
const maxExponent = 1.05

// growthGoals are about what a thousand times the size takes.
func (b *bench) growthGoals() []goal {
	to := func(s sink, kind, tool string, args ...string) func(context.Context, int64) (command, float64, error) {
		return func(ctx context.Context, size int64) (command, float64, error) {
			file, err := b.session(ctx, kind, size)
			c := b.ours(tool, append(args, file.file)...)
			c.sink = s
			return c, float64(file.Bytes), err
		}
	}
	return []goal{
		b.growth("sess-append", func(ctx context.Context, size int64) (command, float64, error) {
			c, s, err := b.addingTo(ctx, size)
			return c, float64(s.Bytes), err
		}),
		b.growth("sess-path → /dev/null", to(toNull, linear, "sess-path")),
		b.growth("sess-path → pipe", to(toPipe, linear, "sess-path")),
		b.growth("sess-path, 5 % off the path → pipe", to(toPipe, branched, "sess-path")),
		b.growth("sess-path --leaf ID half way", func(ctx context.Context, size int64) (command, float64, error) {
			s, err := b.session(ctx, linear, size)
			return b.ours("sess-path", "--leaf", s.Middle, s.file), float64(s.Bytes), err
		}),
		b.growth("sess-path --as messages", to(toNull, linear, "sess-path", "--as", "messages")),
		b.growth("sess-path --as messages after a compaction", to(toNull, compacted, "sess-path", "--as", "messages")),
		b.growth("sess-path --as state after a compaction", to(toNull, compacted, "sess-path", "--as", "state")),
		b.growth("sess-check", to(toNull, linear, "sess-check")),
		b.growth("sess-compact --plan", to(toNull, linear, "sess-compact", "--plan")),
		b.growth("sess-ls", func(ctx context.Context, size int64) (command, float64, error) {
			dir, err := b.store(ctx)
			if err != nil {
				return command{}, 0, err
			}
			all := b.sessions() / storedPerProject
			some, err := projects(dir, max(1, int(int64(all)*size/b.size)))
			return b.ours("sess-ls", append([]string{"--exact", "--json"}, some...)...), float64(len(some)), err
		}),
	}
}

// growth is the goal that a command takes time in proportion to the size, or
// less. It is measured with a thousandth of the size, a hundredth, a tenth and
// all of it.
func (b *bench) growth(what string, measured func(context.Context, int64) (command, float64, error)) goal {
	_, from := b.part(1000)
	_, to := b.part(1)
	if what == "sess-ls" { // measured in directories of sessions
		to = count(int64(b.sessions())) + " sessions"
		from = count(max(1, int64(b.sessions())/storedPerProject/1000) * storedPerProject)
	}
	return goal{"growth of " + what + ", " + from + " to " + to, func(ctx context.Context, name string) ([]row, error) {
		start, err := b.repeat(ctx, b.ours("noop", "s.jsonl"))
		if err != nil {
			return nil, err
		}
		var points []point
		var times []string
		for _, n := range []int64{1000, 100, 10, 1} {
			c, size, err := measured(ctx, b.size/n)
			if err != nil {
				return nil, err
			}
			if len(points) > 0 && size == points[len(points)-1].size {
				continue
			}
			seconds, err := b.repeat(ctx, c)
			if err != nil {
				return nil, err
			}
			points = append(points, point{size, seconds})
			times = append(times, duration(seconds))
		}
		if len(points) < 2 {
			return nil, skip("too small to grow")
		}
		e := exponent(points, start)
		return []row{{
			goal: name, ours: times[len(times)-1], ratio: fmt.Sprintf("^%.2f", e), want: fmt.Sprintf("≤ ^%.2f", maxExponent),
			met: e <= maxExponent, note: strings.Join(times, ", "),
		}}, nil
	}}
}

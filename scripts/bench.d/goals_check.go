package main

import (
	"context"
	"fmt"
)

// checkGoals are about validating everything.
func (b *bench) checkGoals() []goal {
	_, big := b.part(1)
	small, smallName := b.part(1000)
	check := func(ctx context.Context, size int64) (command, session, error) {
		s, err := b.session(ctx, linear, size)
		return b.ours("sess-check", s.file), s, err
	}
	memory := func(ctx context.Context, name string) ([]row, error) {
		ours, s, err := check(ctx, b.size)
		if err != nil {
			return nil, err
		}
		base, _, err := check(ctx, small)
		if err != nil {
			return nil, err
		}
		c, err := b.compare(ctx, ours, base)
		if err != nil {
			return nil, err
		}
		each := float64(max(0, c.rss-c.peerRSS)) / float64(s.Entries)
		return []row{{
			goal: name, ours: size(float64(c.rss)), peer: size(float64(c.peerRSS)), ratio: fmt.Sprintf("%.0f B", each),
			want: "≤ 64 B", met: each <= 64, note: count(int64(s.Entries)) + " entries",
		}}, nil
	}
	return []goal{
		versus(b, "sess-check "+big+" / jq -c .", 1./20, func(ctx context.Context) (ours, peer command, err error) {
			jq, err := b.need("jq")
			if err != nil {
				return ours, peer, err
			}
			ours, s, err := check(ctx, b.size)
			return ours, command{argv: []string{jq, "-c", ".", s.file}}, err
		}),
		{"sess-check, peak RSS " + big + " over that of " + smallName + ", for each entry", memory},
	}
}

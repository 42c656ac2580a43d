package main

import (
	"context"
	"time"
)

// A contest is what came of running two commands in turn.
type contest struct {
	ours, peer float64 // median seconds
	ratio      float64 // median of the ratios of neighbours
	rss        int64   // the most ours took
	peerRSS    int64
	pairs      int
}

const (
	// A pair that takes longer than this counts itself, and is the only one.
	slowPair = 20 * time.Second
	// A pair quicker than this is run eight times as often: starting a process
	// varies more than reading a file does.
	quickPair = 50 * time.Millisecond
	// No further pair is begun after this time.
	rowBudget = 90 * time.Second
)

// compare runs ours and the peer in turn, both orders alike, and one pair before
// to warm up.
func (b *bench) compare(ctx context.Context, ours, peer command) (contest, error) {
	var c contest
	var mine, theirs, ratios []float64
	pair := func(swap bool) (time.Duration, error) {
		o, p, err := b.pair(ctx, ours, peer, swap)
		if err != nil {
			return 0, err
		}
		mine, theirs, ratios = append(mine, o.seconds), append(theirs, p.seconds), append(ratios, o.seconds/p.seconds)
		c.rss, c.peerRSS = max(c.rss, o.rss), max(c.peerRSS, p.rss)
		return time.Duration((o.seconds + p.seconds) * 1e9), nil
	}
	begun := time.Now()
	warm, err := pair(false)
	if err != nil {
		return c, err
	}
	runs := b.runs
	switch {
	case warm > b.slow:
		runs = 0
	case warm < quickPair:
		runs *= 8
	}
	if runs > 0 {
		mine, theirs, ratios = nil, nil, nil
	} else if mine[0] < b.slow.Seconds()/4 {
		// Only the peer is slow. Ours was the one that found the cache cold.
		if mine, err = b.again(ctx, ours, b.runs); err != nil {
			return c, err
		}
		ratios = []float64{median(mine) / theirs[0]}
	}
	for i := range runs {
		if i > 0 && time.Since(begun) > rowBudget {
			break
		}
		if _, err := pair(i%2 == 1); err != nil {
			return c, err
		}
	}
	c.ours, c.peer, c.ratio, c.pairs = median(mine), median(theirs), median(ratios), len(ratios)
	return c, nil
}

// again returns the seconds of n runs of one command.
func (b *bench) again(ctx context.Context, c command, n int) (all []float64, err error) {
	for range n {
		s, err := b.run(ctx, c)
		if err != nil {
			return nil, err
		}
		all = append(all, s.seconds)
	}
	return all, nil
}

// pair runs the two commands, the peer first if swap is set.
func (b *bench) pair(ctx context.Context, ours, peer command, swap bool) (o, p sample, err error) {
	if swap {
		if p, err = b.run(ctx, peer); err == nil {
			o, err = b.run(ctx, ours)
		}
		return o, p, err
	}
	if o, err = b.run(ctx, ours); err == nil {
		p, err = b.run(ctx, peer)
	}
	return o, p, err
}

// repeat runs one command and returns the median of its seconds.
func (b *bench) repeat(ctx context.Context, c command) (seconds float64, err error) {
	first, err := b.run(ctx, c)
	if err != nil {
		return 0, err
	}
	runs := b.runs
	switch {
	case first.seconds > b.slow.Seconds()/2:
		runs = 0
	case first.seconds < quickPair.Seconds()/2:
		runs *= 8
	}
	if runs == 0 {
		return first.seconds, nil
	}
	all, err := b.again(ctx, c, runs)
	if err != nil {
		return 0, err
	}
	return median(all), nil
}

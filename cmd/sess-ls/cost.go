package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/pkg/store"
)

// byCost is the order of sessions by cost, which the store does not know.
const byCost = "cost"

// order returns the order in which rows are read: for that by cost the usual one.
func (c *config) order() store.Order {
	order, _ := store.ParseOrder(c.sort) // --sort has no others
	return order
}

// A cost is what the calls of a session cost in USD, as sess-stat says. Known is false if it says of none, and bound is set if
// a call has no price.
type cost struct {
	usd          float64
	known, bound bool
}

// price has sess-stat say what sessions cost, all in one run, since a call that several have counts once.
func (c *config) price(ctx context.Context, s *cli.Streams, rows []store.Row) error {
	c.costs = map[string]cost{}
	if len(rows) == 0 {
		return nil
	}
	args := []string{"--by", "session", "--json", "--"}
	for _, r := range rows {
		args = append(args, c.nameOf(r))
	}
	found, err := subprocess.Program{Name: "sess-stat", Args: args, Say: address.Say(s, cli.Unseen)}.Rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range found {
		name := row.Get("address").Str()
		if usd := row.Get("cost"); name != "" {
			c.costs[name] = cost{usd: usd.Float(), known: usd.IsNumber(), bound: row.Get("unpriced").Int() > 0}
		}
	}
	return nil
}

// dearest returns the rows to keep, those first that cost most, and those last of which that is not known.
func (c *config) dearest(ctx context.Context, s *cli.Streams, rows []store.Row, keep func(store.Row) (bool, error)) ([]store.Row, error) {
	var kept []store.Row
	if _, err := each(rows, 0, keep, func(r store.Row) error { kept = append(kept, r); return nil }); err != nil {
		return nil, err
	}
	if err := c.price(ctx, s, kept); err != nil {
		return nil, err
	}
	usd := func(r store.Row) float64 {
		if of := c.costs[c.nameOf(r)]; of.known {
			return of.usd
		}
		return -1
	}
	slices.SortStableFunc(kept, func(a, b store.Row) int { return cmp.Compare(usd(b), usd(a)) })
	return kept, nil
}

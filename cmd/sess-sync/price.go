package main

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/share/remote"
)

// A pricer has sess-stat, which knows prices, say what sessions used and cost. Sessions that come while it runs are in its
// next run, all of them.
type pricer struct {
	run     sync.Mutex // held while sess-stat runs
	mu      sync.Mutex
	waiting map[string]*remote.Card // by path
}

// begin has the session in a file priced, and returns a function that puts the result into a card.
func (p *pricer) begin(ctx context.Context, path string) func(*remote.Card) {
	priced := make(chan remote.Card, 1)
	go func() {
		var c remote.Card
		p.price(ctx, path, &c)
		priced <- c
	}()
	return func(card *remote.Card) {
		c := <-priced
		card.Tokens, card.Cost, card.Unpriced, card.Prices = c.Tokens, c.Cost, c.Unpriced, c.Prices
	}
}

// price fills in what sess-stat says of a session. Without an answer that stays empty: a card is advice.
func (p *pricer) price(ctx context.Context, path string, card *remote.Card) {
	p.mu.Lock()
	if p.waiting == nil {
		p.waiting = map[string]*remote.Card{}
	}
	p.waiting[path] = card
	p.mu.Unlock()
	p.run.Lock()
	defer p.run.Unlock()
	p.mu.Lock()
	cards := p.waiting
	if cards[path] == card {
		p.waiting = nil
	} else {
		cards = nil // the run before had it
	}
	p.mu.Unlock()
	if len(cards) == 0 {
		return
	}
	args := append([]string{"--by", "session", "--copies", "--json", "--"}, slices.Sorted(maps.Keys(cards))...)
	rows, _ := subprocess.Program{Name: "sess-stat", Args: args, Say: func(subprocess.Message) {}}.Rows(ctx)
	for _, row := range rows {
		c := cards[row.Get("address").Str()]
		if c == nil || row.Get("kind").Str() != "call" {
			continue
		}
		t := row.Get("tokens")
		c.Tokens = remote.Tokens{
			Input: t.Get("input").Int(), Output: t.Get("output").Int(), CacheRead: t.Get("cacheRead").Int(),
			CacheWrite: t.Get("cacheWrite").Int(), Reasoning: t.Get("reasoning").Int(),
		}
		c.Tokens.Unsplit = max(0, t.Get("total").Int()-c.Tokens.Input-c.Tokens.Output-c.Tokens.CacheRead-c.Tokens.CacheWrite)
		if cost := row.Get("cost"); cost.IsNumber() {
			c.Cost = string(cost)
		}
		c.Unpriced, c.Prices = row.Get("unpriced").Int(), row.Get("prices").Get("date").Str()
	}
}

package usage

import (
	"math"

	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
)

// mostTokens is more than any call has: a higher number is no count.
const mostTokens = 1 << 48

// usage reads the usage of a call, in the counters of the format or of an API.
func (c *Call) usage(raw string) {
	beside := c.Price
	if c.counters(raw) {
		return
	}
	c.Price = beside
	full, err := metering.UsageOf(raw)
	if err != nil {
		c.Bad = true // its counts are unknown
		return
	}
	c.counters(full)
}

// counters reads the counters of the format. It reports false if there is none.
func (c *Call) counters(raw string) bool {
	some, total, priced := false, int64(-1), ""
	t := &c.Tokens
	js.WalkObject(raw, 0, func(key string, at int) int {
		end := js.ValueEnd(raw, at)
		v := js.Value(raw[at:end])
		switch js.PlainKey(key) {
		case `"input"`:
			t.Input, some = c.count(v), true
		case `"output"`:
			t.Output, some = c.count(v), true
		case `"cacheRead"`:
			t.CacheRead, some = c.count(v), true
		case `"cacheWrite"`:
			t.CacheWrite, some = c.count(v), true
		case `"cacheWrite1h"`:
			t.CacheWrite1h = c.count(v)
		case `"reasoning"`, `"reasoningTokens"`:
			t.Reasoning = c.count(v)
		case `"totalTokens"`:
			total, some = c.count(v), true
		case `"cost"`:
			priced = string(v)
		default:
			c.Price.Add(js.Unquote(key), v)
		}
		return end
	})
	if !some {
		return priced != "" && c.onlyCost(raw, priced)
	}
	// Parts of a count are never more than the count: they are cut to it. Of a rest, replies may have the output.
	if t.CacheWrite1h = min(t.CacheWrite1h, t.CacheWrite); c.Purpose != Rest {
		t.Reasoning = min(t.Reasoning, t.Output)
	}
	if t.Total() == 0 && total > 0 {
		t.Unsplit = total
	}
	if c.Mismatch = total > 0 && total != t.Total(); c.Mismatch { // 0 says nothing
		c.Price.Parts, c.Price.Total = t.Total(), total
	}
	c.cost(priced)
	return true
}

// onlyCost reads a usage that has a cost and no counter of any kind.
func (c *Call) onlyCost(raw, priced string) bool {
	for key := range js.Members(raw) {
		if !js.IsKey(key, "cost") {
			return false
		}
	}
	c.cost(priced)
	return true
}

// count returns a counter, 0 for one that is absent or no count.
func (c *Call) count(v js.Value) int64 {
	if v == "null" {
		return 0
	}
	f := v.Float()
	if !v.IsNumber() || !(f >= 0 && f <= mostTokens) || f != math.Trunc(f) {
		c.Bad = true
		return 0
	}
	return int64(f)
}

// cost reads what a call cost: a total, or the sum of its parts.
func (c *Call) cost(raw string) {
	v := js.Value(raw)
	if v == "" || v == "null" {
		return
	}
	if v.IsNumber() {
		c.Stored = c.dollars(v)
		return
	}
	if !v.IsObject() {
		c.Bad = true
		return
	}
	c.Billed = v.Get("totalFromProvider") == "true"
	if total := v.Get("total"); total != "" {
		c.Stored = c.dollars(total)
		return
	}
	for _, part := range []string{"input", "output", "cacheRead", "cacheWrite"} {
		if v := v.Get(part); v != "" {
			c.Stored = c.Stored.Add(c.dollars(v))
		}
	}
}

// dollars returns an amount, 0 for a value that is no amount.
func (c *Call) dollars(v js.Value) prices.Money {
	m, ok := prices.Of(v.Float())
	if !v.IsNumber() || !ok {
		c.Bad, c.Billed = true, false
		return 0
	}
	return m
}

// Modes say which costs count: those that are stored, those that a table of prices gives, or the
// stored cost if it is known and else the table's.
const (
	Auto     = "auto"
	Stored   = "stored"
	Computed = "computed"
)

// A By says where the cost of a call is from.
type By string

// Where a cost is from. A call without tokens and cost has none.
const (
	ByNothing By = ""
	ByStored  By = "stored"
	ByTable   By = "computed"
	Unpriced  By = "unpriced"
)

// A Costing finds what calls cost. It is not for concurrent use.
type Costing struct {
	Mode  string
	Table *prices.Table
	Known []string // members of usage that cost nothing, though they are not known otherwise

	found map[[2]string]*prices.Model
}

// A Charge is what a call cost.
type Charge struct {
	Cost    prices.Money
	By      By
	Because string // why the cost is not known: see the Because constants, or "usage." and the name of a member
	As      string // "PROVIDER/MODEL" of the maker by whose price a call through a gateway was computed, "" for its own
	Assumed string // "PROVIDER/MODEL" of the one maker of a model whose provider is not named, "" for one that is
}

// Why a cost is not known.
const (
	BecauseModel    = "model"    // no table has a price for the model
	BecauseCounters = "counters" // one of them is no count
	becauseUsage    = "usage."   // and the name of a member without a known price
)

// Of returns what a call cost. A cost of 0 that is stored for tokens is not known to be
// one, unless the provider said so: subscriptions and proxies store it for all calls.
func (k *Costing) Of(c *Call) Charge {
	unknown := func(because string) Charge { return Charge{By: Unpriced, Because: because} }
	price := c.Price.Without(k.Known)
	switch nothing := c.Tokens.Total() == 0 && price.Unknown == "" && price.Searches == 0; {
	case k.Mode != Computed && (c.Stored != 0 || c.Billed):
		return Charge{Cost: c.Stored, By: ByStored}
	case nothing && !c.Bad:
		return Charge{}
	case k.Mode == Stored && !c.Bad:
		return Charge{By: ByStored}
	case c.Bad:
		return unknown(BecauseCounters)
	}
	m := k.Model(c.Provider, c.Model)
	if m == nil {
		return unknown(BecauseModel)
	}
	cost, because := k.Table.Charge(m, c.Tokens, price, c.Time)
	if because != "" {
		return unknown(becauseUsage + because)
	}
	charge := Charge{Cost: cost, By: ByTable, As: m.As(c.Provider)}
	if prices.Unnamed(c.Provider) {
		charge.Assumed = m.Provider + "/" + m.ID
	}
	return charge
}

// Model returns the model of the table that a call used, nil if it is not there.
func (k *Costing) Model(provider, model string) *prices.Model {
	name := [2]string{provider, model}
	m, ok := k.found[name]
	if !ok {
		if k.found == nil {
			k.found = map[[2]string]*prices.Model{}
		}
		m, _ = k.Table.Find(provider, model)
		k.found[name] = m
	}
	return m
}

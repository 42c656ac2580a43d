package account

import "github.com/sess-tools/sess/internal/find/prices"

// Modes say which costs count: those that are stored, those that a table of prices gives,
// or what is stored if it is known and else what the table gives.
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

	found map[[2]string]*prices.Model
}

// Of returns what a call cost. A cost of 0 that is stored for tokens is not known to be
// one, unless the provider said so: subscriptions and proxies store it for all calls.
// What a service tier other than the usual one costs is in no table.
func (k *Costing) Of(c *Call) (prices.Money, By) {
	nothing := c.Tokens.Total() == 0
	switch {
	case k.Mode != Computed && (c.Stored != 0 || c.Billed):
		return c.Stored, ByStored
	case nothing && !c.Bad:
		return 0, ByNothing
	case k.Mode == Stored && !c.Bad:
		return 0, ByStored
	case c.Bad || c.Tier != "":
		return 0, Unpriced
	}
	m := k.Model(c.Provider, c.Model)
	if m == nil {
		return 0, Unpriced
	}
	return m.Cost(c.Tokens, c.Time), ByTable
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
